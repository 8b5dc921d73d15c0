/**
 * The physical quantities at the sensors of one device. Their values come from the models of the profile, with the seed of the
 * device, or from overrides by scenario steps and the console. A reboot of the firmware does not change them.
 *
 * Models and names are built once for each profile; a device stores only a seed.
 */
import { noise } from '../../kernel/random.js';
import type { UnixMillis } from '../../kernel/time.js';
import type { Profile, QuantitySpec } from '../../profile/profile.js';
import { findQuantity, type QuantityAddress } from '../../profile/quantities.js';
import { Battery } from './battery.js';
import { makeModel } from './models/index.js';
import type { Model, Others } from './models/model.js';
import {
  isEmpty,
  nextPulse,
  type Override,
  type PulseTrain,
  pulsesGiven,
  type Waveform,
  waveformChange,
  waveformValue,
} from './overrides.js';

/** A quantity of one of the sensors that devices of a profile may have. */
export interface Signal {
  readonly spec: QuantitySpec;
  readonly model: Model;
  /** Whether it is a running total. */
  readonly counter: boolean;
  /** Combined with a device's seed, this number gives each signal its own random stream. */
  readonly salt: number;
  /** All quantities of the same sensor, this one included. */
  readonly siblings: readonly Signal[];
}

/** What the devices of a profile share. */
interface SignalTable {
  /** By sensor and number (from 0): the signals of its quantities. */
  readonly sensors: readonly (readonly (readonly Signal[])[])[];
  readonly feeding: Feeding;
}

export class Environment {
  readonly battery: Battery;
  #table: SignalTable;
  readonly #seed: number;
  #overrides: Map<Signal, Override> | undefined;

  /** @param seed 32 bits, the device's own: `noiseSeed(random.fork('sensors'))` */
  constructor(profile: Profile, seed: number) {
    this.#table = signalTable(profile);
    this.#seed = seed;
    this.battery = new Battery(seed);
  }

  /** Another version runs, with its own numbers of sensors. Overrides stay with their quantity, or go with it. */
  adopt(profile: Profile): void {
    const overrides = this.#overrides;
    this.#table = signalTable(profile);
    this.#overrides = undefined;
    if (overrides === undefined) return;
    const signals = new Map(this.#table.sensors.flat(2).map((signal) => [signal.salt, signal]));
    for (const [{ salt }, override] of overrides) {
      const signal = signals.get(salt);
      if (signal) this.replace(signal, override);
    }
  }

  /** The quantities of a sensor; empty when the device type has no such sensor. */
  signals(sensor: number, number: number): readonly Signal[] {
    return this.#table.sensors[sensor]?.[number] ?? [];
  }

  /** The value at a time; NaN if the sensor does not answer. */
  value(signal: Signal, wall: UnixMillis): number {
    const override = this.#overrides?.get(signal);
    if (override === undefined) return this.modelled(signal, wall);
    const { waveform, moved, trains } = override;
    let value = (waveform && waveformValue(waveform, wall)) ?? this.modelled(signal, wall) + moved;
    for (const train of trains) value += pulsesGiven(train, wall);
    return value;
  }

  /** Holds a quantity at a value. With null, the sensor does not answer. Call Measurements.look afterwards. */
  set(address: QuantityAddress, value: number | null): void {
    this.steer(address, { kind: 'held', value: value ?? Number.NaN });
  }

  /** Lets a quantity follow a waveform in place of its model. Call Measurements.look afterwards. */
  steer(address: QuantityAddress, waveform: Waveform): void {
    const signal = this.signal(address);
    const moved = this.#overrides?.get(signal)?.moved ?? 0;
    this.replace(signal, { waveform, moved, trains: NO_TRAINS });
  }

  /** Adds pulses to a running total. Call Measurements.look afterwards. */
  give(address: QuantityAddress, train: PulseTrain): void {
    const signal = this.signal(address);
    const { waveform, moved, trains } = this.#overrides?.get(signal) ?? UNTOUCHED;
    // The pulses of finished trains become part of `moved`, and these trains are dropped.
    const over = waveform ? NO_TRAINS : trains.filter((earlier) => pulsesGiven(earlier, train.start) === earlier.times);
    const given = over.reduce((sum, { times }) => sum + times, 0);
    const open = trains.filter((earlier) => !over.includes(earlier));
    this.replace(signal, { waveform, moved: moved + given, trains: [...open, train] });
  }

  /** Lets a quantity follow its model again. Call Measurements.look afterwards. */
  free(address: QuantityAddress, wall: UnixMillis): void {
    const signal = this.signal(address);
    const override = this.#overrides?.get(signal);
    if (override?.waveform === undefined) return;
    // A running total continues from its present value. After a jump to the value of the model, the firmware would count the
    // difference as pulses.
    const shown = waveformValue(override.waveform, wall) ?? Number.NaN;
    const continues = signal.counter && !Number.isNaN(shown);
    const moved = continues ? shown - this.modelled(signal, wall) : override.moved;
    this.replace(signal, { waveform: undefined, moved, trains: override.trains });
  }

  /** When the firmware next has to read a watched signal, because its value may have changed; Infinity for never. */
  nextChange(signal: Signal, wall: UnixMillis): UnixMillis {
    const override = this.#overrides?.get(signal);
    const steered = override?.waveform !== undefined && waveformValue(override.waveform, wall) !== undefined;
    let next = steered ? Number.POSITIVE_INFINITY : this.modelChange(signal, wall);
    if (override?.waveform) next = Math.min(next, waveformChange(override.waveform, wall));
    for (const train of override?.trains ?? NO_TRAINS) next = Math.min(next, nextPulse(train, wall));
    return next;
  }

  /** Whether the power line supplies the board (through CHESTER-Z) instead of the battery. */
  supplied(wall: UnixMillis): boolean {
    const { line } = this.#table.feeding;
    return line !== undefined && this.value(this.signal(line), wall) > LINE_PRESENT;
  }

  /** Temperature of the battery, °C. */
  celsius(wall: UnixMillis): number {
    const { thermometer } = this.#table.feeding;
    const shown = thermometer ? this.value(this.signal(thermometer), wall) : Number.NaN;
    return Number.isNaN(shown) ? ROOM : shown;
  }

  /** The 48-bit 1-Wire serial number of a sensor. */
  serialNumber(sensor: number, number: number): number {
    const seed = this.#seed ^ (this.#table.sensors[sensor]?.[number]?.[0]?.salt ?? 0);
    return 1 + Math.floor(noise(seed, -2) * 0x7fff) * 0x1_0000_0000 + Math.floor(noise(seed, -3) * 0xffff_ffff);
  }

  private modelled(signal: Signal, wall: UnixMillis): number {
    const outer = siblings.of;
    siblings.of = signal;
    siblings.environment = this;
    siblings.place = this.#seed ^ PLACE;
    const value = signal.model.value(this.#seed ^ signal.salt, wall, siblings);
    siblings.of = outer;
    const { min, max } = signal.spec;
    return Math.min(Math.max(value, min), max);
  }

  private modelChange(signal: Signal, wall: UnixMillis): UnixMillis {
    return signal.model.nextChange?.(this.#seed ^ signal.salt, wall) ?? Number.POSITIVE_INFINITY;
  }

  private replace(signal: Signal, override: Override): void {
    this.#overrides ??= new Map();
    if (isEmpty(override)) this.#overrides.delete(signal);
    else this.#overrides.set(signal, override);
    if (this.#overrides.size === 0) this.#overrides = undefined;
  }

  /** @throws RangeError when the device type has no such quantity */
  signal({ sensor, number, quantity }: QuantityAddress): Signal {
    const signal = this.#table.sensors[sensor]?.[number]?.[quantity];
    if (signal === undefined) throw new RangeError(`unknown quantity ${sensor}.${number}.${quantity}`);
    return signal;
  }
}

/** If the line voltage is above this number of volts, CHESTER-Z supplies the board from the line. */
export const LINE_PRESENT = 6;
/** °C of the battery if the device has no thermometer, or if the thermometer does not answer. */
const ROOM = 20;

/**
 * The quantities on which the supply of the board depends. `line`: voltage of the power line, which decides whether the line
 * supplies the board. `thermometer`: temperature on the board, taken as that of the battery.
 */
interface Feeding {
  readonly line: QuantityAddress | undefined;
  readonly thermometer: QuantityAddress | undefined;
}

function feedingOf(profile: Profile): Feeding {
  return {
    line: findQuantity(profile, 'backup.line_voltage'),
    thermometer: findQuantity(profile, 'thermometer.temperature'),
  };
}

/** Combined with a device's seed, this number gives the seed of the weather and the people at its place. */
const PLACE = 0x70c4_a9e1;

const NO_TRAINS: readonly PulseTrain[] = [];
const UNTOUCHED: Override = { waveform: undefined, moved: 0, trains: NO_TRAINS };

/** Lets a model read its sensor's other quantities. One object for all: a new one for each call would be a million. */
class Siblings implements Others {
  of: Signal | undefined;
  environment: Environment | undefined;
  place = 0;

  value(quantity: number, wall: UnixMillis): number {
    const signal = this.of?.siblings[quantity];
    return signal && this.environment ? this.environment.value(signal, wall) : Number.NaN;
  }

  voltage(underLoad: boolean, wall: UnixMillis): number {
    const { environment } = this;
    if (environment === undefined) return Number.NaN;
    const { battery } = environment;
    // `supplied` and `celsius` read other signals and change the fields of this object, so the fields were read above.
    if (environment.supplied(wall)) return underLoad ? battery.loadOnLine() : battery.restOnLine();
    return underLoad ? battery.load(environment.celsius(wall)) : battery.rest();
  }
}
const siblings = new Siblings();

const tables = new WeakMap<Profile, SignalTable>();

function signalTable(profile: Profile): SignalTable {
  const known = tables.get(profile);
  if (known) return known;
  const sensors = profile.sensors.map(({ name, count, counter, quantities }) => {
    const models = quantities.map((spec) => makeModel(spec.model));
    return Array.from({ length: count }, (_, number) => {
      const all: Signal[] = [];
      quantities.forEach((spec, i) => {
        const salt = saltOf(`${name}.${number + 1}.${spec.name}`);
        all.push({ spec, model: models[i] as Model, counter, salt, siblings: all });
      });
      return all;
    });
  });
  const table = { sensors, feeding: feedingOf(profile) };
  tables.set(profile, table);
  return table;
}

/** A hash of a name (FNV-1a), for a sensor's random numbers: another sensor does not change them. */
function saltOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash;
}
