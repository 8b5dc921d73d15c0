/**
 * The battery of a device: its remaining charge, and its voltage at rest and under load. Radio time, measurements under load
 * and a small constant current drain the battery. Cold lowers the voltage, not the charge.
 *
 * All figures of the model are here. The sources give the ends of each range (behaviour B-35); values marked [assumption] are
 * ours.
 */

import { noise } from '../../kernel/random.js';
import type { Ratio } from '../../kernel/ratio.js';
import { hours, type Instant, type Millis } from '../../kernel/time.js';

/** Milliampere hours of the pack: primary lithium cells [assumption]. With a report every half hour it lasts about 4 years. */
const CAPACITY = 7200;
/** Milliamperes [assumptions, except for the test load]. */
const CURRENTS = {
  /** Searching for a network and attaching to it. */
  attach: 60,
  /** In a radio connection, on average. */
  connected: 50,
  /** A measurement under load: some 3.5 V across 100 ohm (behaviour B-35). */
  'test-load': 35,
} as const;
export type CurrentUse = keyof typeof CURRENTS;
/** Constant current in mA: modem in power saving mode ("~ 10 µA class"), microcontroller, sensors [assumption]. */
const FLOOR = 0.02;
/** Current of the transmitter's bursts in mA, as far as the board's capacitors do not supply it [assumption]. */
const BURST = 100;
const TEST_LOAD_OHMS = 100;
/** How long the test load is on at each measurement (behaviour B-35). */
export const TEST_LOAD_TIME: Millis = 9000;
/** Volts below which the board browns out while the transmitter is on [assumption]. */
const BROWN_OUT = 2.5;
/** Volts at rest while the board has line power (behaviour B-35). */
const LINE_SUPPLY = 3.65;
/** Largest deviation of the voltage between packs and boards: ± volts [assumption]. */
const SPREAD = 0.02;
/** Largest used share of a pack at the start of a run. Such a pack still supplies the transmitter at any temperature. */
const OLDEST_AT_START = 0.25;

/**
 * Rows by the share of the charge that is used. Volts at rest: 3.60-3.68 fresh, nearly constant up to 85 %, then down to 3.0.
 * Inner resistance in ohm: because of it, the voltage under load falls first (3.45-3.60 V fresh, 2.9-3.2 V old).
 */
const AGEING = [
  { used: 0, rest: 3.66, ohms: 3.5 },
  { used: 0.5, rest: 3.63, ohms: 4.5 },
  { used: 0.85, rest: 3.58, ohms: 9 },
  { used: 0.95, rest: 3.35, ohms: 12 },
  { used: 1, rest: 3.0, ohms: 25 },
] as const;
/** Factor of the inner resistance by temperature. At -20 °C, the voltage under load is 0.1 to 0.3 V lower. */
const COLD = [
  { celsius: 20, factor: 1 },
  { celsius: -20, factor: 2 },
  { celsius: -40, factor: 2.6 },
] as const;

export class Battery {
  /** Milliampere hours drawn so far. */
  #drawn: number;
  /** When the idle current was last counted, in whole milliseconds; undefined before the first time. */
  #at: Instant | undefined;
  readonly #seed: number;

  /** @param seed of the device: packs differ slightly */
  constructor(seed: number) {
    this.#seed = seed;
    this.#drawn = OLDEST_AT_START * noise(seed, -4) * CAPACITY;
  }

  /** Share of the charge that is used, 0 (fresh) to 1 (empty). */
  get used(): Ratio {
    return Math.min(1, this.#drawn / CAPACITY);
  }

  /** Replaces the pack by one with this share used: 0 for a new one. */
  set(used: Ratio): void {
    this.#drawn = Math.min(1, Math.max(0, used)) * CAPACITY;
  }

  /** Counts a use of `duration`, and the idle current since the last call. */
  spend(use: CurrentUse, duration: Millis, now: Instant): void {
    const before = this.#at;
    this.idle(now);
    const charge =
      CURRENTS[use] * duration + FLOOR * (before === undefined ? 0 : Math.max(0, Math.floor(now) - before));
    this.#drawn += charge / hours(1);
  }

  /** Advances the time without using the battery, because the board has line power. */
  idle(now: Instant): void {
    this.#at = Math.floor(now);
  }

  /** Volts without load. */
  rest(): number {
    return at(this.used, AGEING, 'used', 'rest') + this.spread();
  }

  /** Volts without load while the board has line power. They do not depend on the state of the battery. */
  restOnLine(): number {
    return LINE_SUPPLY + this.spread();
  }

  /** Volts with the test load while the board has line power. */
  loadOnLine(): number {
    return (this.restOnLine() * TEST_LOAD_OHMS) / (TEST_LOAD_OHMS + AGEING[0].ohms);
  }

  /** Volts with the test load of 100 ohm. */
  load(celsius: number): number {
    return (this.rest() * TEST_LOAD_OHMS) / (TEST_LOAD_OHMS + this.ohms(celsius));
  }

  /**
   * Whether the battery is strong enough for the transmitter at any temperature: a quick check that is true for most devices.
   */
  get isStrong(): boolean {
    return this.used < 0.3;
  }

  /** Whether the battery can supply the transmitter at this temperature; if not, the device browns out. */
  bearsRadio(celsius: number): boolean {
    return this.rest() - (BURST / 1000) * this.ohms(celsius) >= BROWN_OUT;
  }

  private spread(): number {
    return SPREAD * (2 * noise(this.#seed, -5) - 1);
  }

  private ohms(celsius: number): number {
    return at(this.used, AGEING, 'used', 'ohms') * at(-celsius, WARM_TO_COLD, 'cold', 'factor');
  }
}

const WARM_TO_COLD = COLD.map(({ celsius, factor }) => ({ cold: -celsius, factor }));

/** Linear interpolation between the rows of a table, which ascend by `by`; constant beyond both ends. */
function at<B extends string, C extends string>(
  value: number,
  table: readonly { readonly [K in B | C]: number }[],
  by: B,
  column: C,
): number {
  let below = table[0];
  for (const row of table) {
    if (below === undefined || value <= row[by]) {
      if (below === undefined || row === below) return row[column];
      return below[column] + ((row[column] - below[column]) * (value - below[by])) / (row[by] - below[by]);
    }
    below = row;
  }
  return below?.[column] ?? Number.NaN;
}
