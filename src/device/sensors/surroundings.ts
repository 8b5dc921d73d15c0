/**
 * What there is to measure around one device: the models of its profile, seen with the device's own seed, and what
 * somebody has set by hand. It is the world, not the device: it goes on through reboots.
 *
 * Everything that devices of a profile share (models, names) is made once a profile; a device keeps a seed.
 */
import { noise } from '../../kernel/random.js';
import type { UnixMillis } from '../../kernel/time.js';
import type { Profile, QuantitySpec } from '../../profile/profile.js';
import type { QuantityAddress } from '../../profile/quantities.js';
import { makeModel } from './models/index.js';
import type { Model, Others } from './models/model.js';

/** A quantity of one of the sensors that devices of a profile may have. */
export interface Signal {
  readonly spec: QuantitySpec;
  readonly model: Model;
  /** Whether it is a running total. */
  readonly counter: boolean;
  /** Makes a stream of its own out of a device's seed. */
  readonly salt: number;
  /** All quantities of the same sensor, this one included. */
  readonly siblings: readonly Signal[];
}

/** By sensor and number (from 0): the signals of its quantities. */
type SignalTable = readonly (readonly (readonly Signal[])[])[];

export class Surroundings {
  readonly #table: SignalTable;
  readonly #seed: number;
  #byHand: Map<Signal, Hand> | undefined;

  /** @param seed 32 bits, the device's own: `noiseSeed(random.fork('sensors'))` */
  constructor(profile: Profile, seed: number) {
    this.#table = signalTable(profile);
    this.#seed = seed;
  }

  /** The quantities of a sensor; empty when the device type has no such sensor. */
  signals(sensor: number, number: number): readonly Signal[] {
    return this.#table[sensor]?.[number] ?? [];
  }

  /** What a signal is at a time; NaN when the sensor does not answer. */
  value(signal: Signal, wall: UnixMillis): number {
    const hand = this.#byHand?.get(signal);
    return hand?.held ?? this.#modelled(signal, wall) + (hand?.moved ?? 0);
  }

  /** Sets a quantity by hand; null: the sensor does not answer. Then let the device look (Measurements.look). */
  set(address: QuantityAddress, value: number | null): void {
    const signal = this.#signal(address);
    this.#byHand ??= new Map();
    this.#byHand.set(signal, { held: value ?? Number.NaN, moved: this.#byHand.get(signal)?.moved ?? 0 });
  }

  /** Lets a quantity take its own course again. Then let the device look. */
  free(address: QuantityAddress, wall: UnixMillis): void {
    const signal = this.#signal(address);
    const hand = this.#byHand?.get(signal);
    if (hand?.held === undefined) return;
    // A running total goes on from where it was held: should it jump back, all the pulses in between would come at once.
    const goesOn = signal.counter && !Number.isNaN(hand.held);
    const moved = goesOn ? hand.held - this.#modelled(signal, wall) : hand.moved;
    this.#byHand?.delete(signal);
    if (moved !== 0) this.#byHand?.set(signal, { held: undefined, moved });
    if (this.#byHand?.size === 0) this.#byHand = undefined;
  }

  /** When a signal next jumps; Infinity for never. What is set by hand stays out of it. */
  nextChange(signal: Signal, wall: UnixMillis): UnixMillis {
    return signal.model.nextChange?.(this.#seed ^ signal.salt, wall) ?? Number.POSITIVE_INFINITY;
  }

  /** The 48-bit 1-Wire serial number of a sensor. */
  serialNumber(sensor: number, number: number): number {
    const seed = this.#seed ^ (this.#table[sensor]?.[number]?.[0]?.salt ?? 0);
    return 1 + Math.floor(noise(seed, -2) * 0x7fff) * 0x1_0000_0000 + Math.floor(noise(seed, -3) * 0xffff_ffff);
  }

  #modelled(signal: Signal, wall: UnixMillis): number {
    const outer = siblings.of;
    siblings.of = signal;
    siblings.around = this;
    const value = signal.model.value(this.#seed ^ signal.salt, wall, siblings);
    siblings.of = outer;
    const { min, max } = signal.spec;
    return Math.min(Math.max(value, min), max);
  }

  #signal({ sensor, number, quantity }: QuantityAddress): Signal {
    const signal = this.#table[sensor]?.[number]?.[quantity];
    if (signal === undefined) throw new RangeError(`there is no quantity ${sensor}.${number}.${quantity}`);
    return signal;
  }
}

/** What somebody has done to a signal: it is held at a value, or what the model says is moved by a constant. */
interface Hand {
  readonly held: number | undefined;
  readonly moved: number;
}

/**
 * Lets a model read the other quantities of its sensor. There is one for everybody, set up before each call: a million
 * samples would otherwise make a million of them.
 */
class Siblings implements Others {
  of: Signal | undefined;
  around: Surroundings | undefined;

  value(quantity: number, wall: UnixMillis): number {
    const signal = this.of?.siblings[quantity];
    return signal && this.around ? this.around.value(signal, wall) : Number.NaN;
  }
}
const siblings = new Siblings();

const tables = new WeakMap<Profile, SignalTable>();

function signalTable(profile: Profile): SignalTable {
  const known = tables.get(profile);
  if (known) return known;
  const table = profile.sensors.map(({ name, count, counter, quantities }) => {
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
  tables.set(profile, table);
  return table;
}

/** A hash of a name (FNV-1a): sensors get their numbers from their names, so that adding one changes no other. */
function saltOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash;
}
