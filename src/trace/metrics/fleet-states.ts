/** How the devices of a fleet stood at the end of each bin: a byte or two a device, looked at when a bin is over. */
import type { Instant, Millis } from '../../kernel/time.js';

/**
 *   off       not switched on yet
 *   starting  booted, without a session
 *   unheard   repeats itself, has given an exchange up and not begun another, or wakes in vain
 *   awake     has just given a sign
 *   asleep    has not
 */
export const FLEET_STATES = ['asleep', 'awake', 'unheard', 'starting', 'off'] as const;
export type FleetState = (typeof FLEET_STATES)[number];

const STARTING = 1;
const READY = 2;

const FINE = 0;
const REPEATED = 1;
const GAVE_UP = 2;
/** It was woken, and has not sent anything since; and once more after that. */
const WOKEN = 3;
const WOKEN_IN_VAIN = 4;

export class FleetStates {
  readonly #devices: number;
  readonly #indices = new Map<number, number>();
  #phase: Uint8Array;
  #trouble: Uint8Array;
  #lastSign: Float64Array;
  readonly #columns: Readonly<Record<FleetState, Float64Array>>;
  /** Bins that are over. */
  #closed = 0;

  /** @param devices of the plan; others are counted as well when they appear */
  constructor(devices: number, bins: number) {
    this.#devices = devices;
    this.#phase = new Uint8Array(devices);
    this.#trouble = new Uint8Array(devices);
    this.#lastSign = new Float64Array(devices);
    const column = () => new Float64Array(bins);
    this.#columns = { asleep: column(), awake: column(), unheard: column(), starting: column(), off: column() };
  }

  boot(serial: number, at: Instant): void {
    this.#set(serial, at, FINE, STARTING);
  }

  ready(serial: number, at: Instant): void {
    this.#set(serial, at, FINE, READY);
  }

  /** It does something, and nobody knows yet whether it is heard. */
  sign(serial: number, at: Instant): void {
    const index = this.#of(serial);
    this.#lastSign[index] = at;
    if ((this.#trouble[index] ?? FINE) >= WOKEN) this.#trouble[index] = FINE;
  }

  /** Its radio is woken. @param polls for a poll, which leaves no trace when it finds nothing */
  woken(serial: number, at: Instant, polls: boolean): void {
    const inVain = (this.#trouble[this.#of(serial)] ?? FINE) >= WOKEN;
    if (polls) this.#set(serial, at, FINE);
    else this.#set(serial, at, inVain ? WOKEN_IN_VAIN : WOKEN);
  }

  /** The cloud has answered. */
  heard(serial: number, at: Instant): void {
    this.#set(serial, at, FINE);
  }

  repeated(serial: number, at: Instant): void {
    this.#set(serial, at, REPEATED);
  }

  gaveUp(serial: number, at: Instant): void {
    this.#set(serial, at, GAVE_UP);
  }

  /** Notes how the fleet stands in every bin before `end` that is not closed yet. @param window for which a sign lasts */
  closeUntil(end: Instant, bin: Millis, window: Millis): void {
    for (; this.#closed < end; this.#closed++) this.#close(this.#closed, (this.#closed + 1) * bin - window);
  }

  /** Two bins become one; the later one tells how it ended. */
  merge(): void {
    for (const column of Object.values(this.#columns)) {
      for (let i = 0; 2 * i < column.length; i++) {
        column[i] = column[Math.min(2 * i + 1, Math.max(2 * i, this.#closed - 1))] ?? 0;
      }
    }
    this.#closed = Math.floor(this.#closed / 2);
  }

  columns(bins: number): Readonly<Record<FleetState, readonly number[]>> {
    const column = (state: FleetState) => [...this.#columns[state].subarray(0, bins)];
    return {
      asleep: column('asleep'),
      awake: column('awake'),
      unheard: column('unheard'),
      starting: column('starting'),
      off: column('off'),
    };
  }

  #close(bin: number, since: Instant): void {
    let [starting, unheard, awake, asleep] = [0, 0, 0, 0];
    const known = this.#indices.size;
    for (let i = 0; i < known; i++) {
      const recent = (this.#lastSign[i] ?? 0) >= since;
      const trouble = this.#trouble[i];
      if (this.#phase[i] === STARTING) starting++;
      else if (trouble === GAVE_UP || trouble === WOKEN_IN_VAIN || (trouble === REPEATED && recent)) unheard++;
      else if (recent) awake++;
      else asleep++;
    }
    const { off, ...on } = this.#columns;
    on.starting[bin] = starting;
    on.unheard[bin] = unheard;
    on.awake[bin] = awake;
    on.asleep[bin] = asleep;
    off[bin] = Math.max(0, this.#devices - known);
  }

  #set(serial: number, at: Instant, trouble: number, phase?: number): void {
    const index = this.#of(serial);
    this.#lastSign[index] = at;
    this.#trouble[index] = trouble;
    if (phase !== undefined) this.#phase[index] = phase;
  }

  #of(serial: number): number {
    const known = this.#indices.get(serial);
    if (known !== undefined) return known;
    const index = this.#indices.size;
    this.#indices.set(serial, index);
    if (index >= this.#phase.length) this.#grow();
    return index;
  }

  #grow(): void {
    const length = Math.max(16, 2 * this.#phase.length);
    const phase = new Uint8Array(length);
    phase.set(this.#phase);
    const trouble = new Uint8Array(length);
    trouble.set(this.#trouble);
    const lastSign = new Float64Array(length);
    lastSign.set(this.#lastSign);
    [this.#phase, this.#trouble, this.#lastSign] = [phase, trouble, lastSign];
  }
}
