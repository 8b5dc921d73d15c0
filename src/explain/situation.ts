/**
 * What a run was planned to be, as far as explanations need it: its device types with their intervals, and its faults with their
 * times and devices. Plain data; part of the result of a run.
 */
import type { Ratio } from '../kernel/ratio.js';
import type { Instant, Millis } from '../kernel/time.js';

export interface Situation {
  readonly fleet: readonly FleetPart[];
  readonly faults: readonly SituationFault[];
}

/** A group of devices of one type. */
export interface FleetPart {
  /** Name of the group: `cellar`. */
  readonly group: string;
  /** Serial numbers: the first and the last of each range, inclusive. */
  readonly serials: readonly SerialRange[];
  /** Name of the device type: `clime`. */
  readonly profile: string;
  readonly firmware: string;
  /** Report interval at the first boot; null: the device sends no periodic reports. */
  readonly reportEvery: Millis | null;
  /** Poll interval at the first boot; 0: off; null: the device type has no poll timer. */
  readonly pollEvery: Millis | null;
  /** Whether the device type has an encoder. Without one, the cloud never delivers a data downlink. */
  readonly encoder: boolean;
}

/** First and last serial number, inclusive. */
type SerialRange = readonly [number, number];

/** How a fault affects exchanges with the cloud. */
export type FaultEffect =
  /** No exchange succeeds while it is in force. */
  | 'blocks'
  /** Exchanges fail by chance, or take longer. */
  | 'hinders'
  /** The device restarts at its beginning. */
  | 'restarts'
  /** The modem fails once, at its beginning. */
  | 'disturbs';

/** A fault, or a step with the effect of one. */
export interface SituationFault {
  /** As in the scenario: `outage`, `loss`, `no-signal`, `radio: off`. */
  readonly name: string;
  /** With its options: `loss 10%`. */
  readonly what: string;
  /** Text of its selector, or names of devices; empty: all devices. */
  readonly whom: string;
  /** Serial numbers; null: all devices. */
  readonly serials: readonly SerialRange[] | null;
  readonly effect: FaultEffect;
  /** Name in `net.fault` events, or `brown-out` for a weak battery; null: it leaves no sign. */
  readonly sign: string | null;
  /** Share of the round trips (a datagram and its answer) that get through, 0 to 1; 1 if it loses none. */
  readonly passes: Ratio;
  /** When it is in force, in chronological order; several for a recurring fault. */
  readonly windows: readonly FaultWindow[];
}

export interface FaultWindow {
  readonly from: Instant;
  /** Exclusive; null: until the end of the run. For a fault that happens once: equal to `from`. */
  readonly until: Instant | null;
}

/** Whether `serials` contains the device. @param serials null: all devices */
export function contains(serials: readonly SerialRange[] | null, serial: number): boolean {
  return serials === null || serials.some(([first, last]) => serial >= first && serial <= last);
}

/** The serial numbers as ranges. @param serials ascending */
export function rangesOf(serials: readonly number[]): readonly SerialRange[] {
  const ranges: [number, number][] = [];
  for (const serial of serials) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === serial - 1) last[1] = serial;
    else ranges.push([serial, serial]);
  }
  return ranges;
}

/** The faults of one device. */
export class FaultCalendar {
  /** Indices into `faults` of the situation. */
  readonly #own: readonly (readonly [number, SituationFault])[];

  constructor(faults: readonly SituationFault[], serial: number) {
    this.#own = faults.flatMap((fault, index) => (contains(fault.serials, serial) ? [[index, fault] as const] : []));
  }

  /** Indices of the faults of these effects that are in force at `at`. */
  at(at: Instant, ...effects: readonly FaultEffect[]): readonly number[] {
    return this.during(at, at, ...effects);
  }

  /** Indices of the faults of these effects that are in force at any time from `from` to `until`, inclusive. */
  during(from: Instant, until: Instant, ...effects: readonly FaultEffect[]): readonly number[] {
    return this.#own.flatMap(([index, { effect, windows }]) =>
      effects.includes(effect) && windows.some((window) => overlaps(window, from, until)) ? [index] : [],
    );
  }

  /** Indices of the faults in force from `from` to `until` that leave the sign `sign` in `net.fault` events. */
  signed(sign: string, from: Instant, until: Instant): readonly number[] {
    return this.#own.flatMap(([index, fault]) =>
      fault.sign === sign && fault.windows.some((window) => overlaps(window, from, until)) ? [index] : [],
    );
  }

  /** Share of the round trips that get through at `at`, 0 to 1, without the faults that `removed` contains. */
  passes(at: Instant, removed: (fault: number) => boolean): Ratio {
    let passes = 1;
    for (const [index, fault] of this.#own) {
      if (fault.effect !== 'hinders' || removed(index)) continue;
      if (fault.windows.some((window) => overlaps(window, at, at))) passes *= fault.passes;
    }
    return passes;
  }

  /** The ends of all blocking windows after `after` and before `before`, ascending. */
  ends(after: Instant, before: Instant): readonly Instant[] {
    const ends = this.#own.flatMap(([, { effect, windows }]) =>
      effect === 'blocks' ? windows.flatMap(({ until }) => until ?? []) : [],
    );
    return [...new Set(ends)].filter((end) => end > after && end < before).sort((a, b) => a - b);
  }
}

function overlaps({ from, until }: FaultWindow, begin: Instant, end: Instant): boolean {
  if (until === from) return begin <= from && from <= end;
  return from <= end && (until === null || begin < until);
}
