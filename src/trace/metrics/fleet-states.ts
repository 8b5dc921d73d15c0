/** Devices in each state at each bin's end: ten bytes a device, evaluated then. */
import type { Instant, Millis } from '../../kernel/time.js';

/**
 *   off       not switched on yet
 *   starting  booted, not ready yet
 *   unheard   has repeated its last datagram within the window (see {@link FleetStates.closeUntil}), has failed its last
 *             exchange, or has woken more than once without sending
 *   awake     was active within the window
 *   asleep    was not active within the window
 */
export const FLEET_STATES = ['asleep', 'awake', 'unheard', 'starting', 'off'] as const;
export type FleetState = (typeof FLEET_STATES)[number];

const STARTING = 1;
const READY = 2;

/** Link states of a device. */
const FINE = 0;
const REPEATED = 1;
const GAVE_UP = 2;
/** The radio was woken once (`WOKEN`) or more than once (`WOKEN_AGAIN`) and has sent nothing since. */
const WOKEN = 3;
const WOKEN_AGAIN = 4;

export class FleetStates {
  readonly #devices: number;
  readonly #indices = new Map<number, number>();
  #phase: Uint8Array;
  #link: Uint8Array;
  #lastActive: Float64Array;
  readonly #columns: Readonly<Record<FleetState, Float64Array>>;
  /** Number of bins that are closed. */
  #closed = 0;

  /** @param devices number of devices in the plan; further devices are counted from their first event on */
  constructor(devices: number, bins: number) {
    this.#devices = devices;
    this.#phase = new Uint8Array(devices);
    this.#link = new Uint8Array(devices);
    this.#lastActive = new Float64Array(devices);
    const column = () => new Float64Array(bins);
    this.#columns = { asleep: column(), awake: column(), unheard: column(), starting: column(), off: column() };
  }

  boot(serial: number, at: Instant): void {
    this.#set(serial, at, FINE, STARTING);
  }

  noteReady(serial: number, at: Instant): void {
    this.#set(serial, at, FINE, READY);
  }

  /** The device is active; it is not known yet whether the cloud receives its packets. */
  noteActivity(serial: number, at: Instant): void {
    const index = this.#findIndex(serial);
    this.#lastActive[index] = at;
    if ((this.#link[index] ?? FINE) >= WOKEN) this.#link[index] = FINE;
  }

  /** The device wakes its radio. @param polls true for a poll, which causes no event if it finds nothing */
  noteWake(serial: number, at: Instant, polls: boolean): void {
    const again = (this.#link[this.#findIndex(serial)] ?? FINE) >= WOKEN;
    if (polls) this.#set(serial, at, FINE);
    else this.#set(serial, at, again ? WOKEN_AGAIN : WOKEN);
  }

  /** The device and the cloud have exchanged a packet. */
  noteHeard(serial: number, at: Instant): void {
    this.#set(serial, at, FINE);
  }

  noteRepeat(serial: number, at: Instant): void {
    this.#set(serial, at, REPEATED);
  }

  noteGaveUp(serial: number, at: Instant): void {
    this.#set(serial, at, GAVE_UP);
  }

  /**
   * Counts the states for every bin before `end` that is not closed yet.
   * @param window time for which a device counts as awake after it was active
   */
  closeUntil(end: number, bin: Millis, window: Millis): void {
    for (; this.#closed < end; this.#closed++) this.#close(this.#closed, (this.#closed + 1) * bin - window);
  }

  /** Merges pairs of bins; the state at the end of the later bin remains. */
  merge(): void {
    for (const column of Object.values(this.#columns)) {
      for (let i = 0; 2 * i < column.length; i++) {
        column[i] = column[Math.min(2 * i + 1, Math.max(2 * i, this.#closed - 1))] ?? 0;
      }
    }
    this.#closed = Math.floor(this.#closed / 2);
  }

  listColumns(bins: number): Readonly<Record<FleetState, readonly number[]>> {
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
      const recent = (this.#lastActive[i] ?? 0) >= since;
      const link = this.#link[i];
      if (this.#phase[i] === STARTING) starting++;
      else if (link === GAVE_UP || link === WOKEN_AGAIN || (link === REPEATED && recent)) unheard++;
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

  #set(serial: number, at: Instant, link: number, phase?: number): void {
    const index = this.#findIndex(serial);
    this.#lastActive[index] = at;
    this.#link[index] = link;
    if (phase !== undefined) this.#phase[index] = phase;
  }

  #findIndex(serial: number): number {
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
    const link = new Uint8Array(length);
    link.set(this.#link);
    const lastActive = new Float64Array(length);
    lastActive.set(this.#lastActive);
    [this.#phase, this.#link, this.#lastActive] = [phase, link, lastActive];
  }
}
