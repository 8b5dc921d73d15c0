/**
 * The plan of a run, as far as explanations need it: its device types with their intervals, and its faults with their times and
 * devices. Plain data; part of the result of a run.
 */
import type { Instant, Millis } from '../kernel/time.js';

export interface Situation {
  readonly fleet: readonly FleetPart[];
  readonly faults: readonly SituationFault[];
  /** Configurations that set an interval, by time. */
  readonly settings: readonly IntervalSetting[];
}

/** Intervals of a device. */
export interface Intervals {
  /** null if the device sends no periodic reports. */
  readonly reportEvery: Millis | null;
  /** 0 if polls are off; null if the device type has no poll timer. */
  readonly pollEvery: Millis | null;
}

/** The intervals that change at a time; the other one is left out. */
export interface IntervalChange extends Partial<Intervals> {
  readonly at: Instant;
}

/** A configuration that users queue for devices. */
export interface IntervalSetting extends IntervalChange {
  readonly serials: readonly SerialRange[];
}

/** A group of devices of one type, with its intervals at the first boot. */
export interface FleetPart extends Intervals {
  /** Name of the group: `cellar`. */
  readonly group: string;
  /** Serial numbers: the first and the last of each range, inclusive. */
  readonly serials: readonly SerialRange[];
  /** Name of the device type: `clime`. */
  readonly profile: string;
  /** The family of its firmware, which has its own rules for the contact with the cloud. */
  readonly family: 'chester' | 'hio';
  readonly firmware: string;
  /** Whether the device type has an encoder. Without one, the cloud never delivers a data downlink. */
  readonly encoder: boolean;
  /** The intervals that the devices have reported since, in order; only of a recording, which does not show the execution. */
  readonly reported?: readonly IntervalChange[];
}

/** First and last serial number, inclusive. */
type SerialRange = readonly [number, number];

/** How a fault affects exchanges with the cloud. */
type FaultEffect =
  /** No exchange succeeds while the fault is in force. */
  | 'blocks'
  /** Exchanges fail by chance, or take longer. */
  | 'hinders'
  /** The device restarts when the fault begins. */
  | 'restarts'
  /** The modem fails once, when the fault begins. */
  | 'disturbs';

/**
 * What a fault acts on. `datagrams`: the device sends datagrams, and the fault loses or delays them. `device`: the device has
 * no network, or does not work. `modem`: the modem is off.
 */
type FaultPlace = 'datagrams' | 'device' | 'modem';

/** A fault, or a step with the effect of one. */
export interface SituationFault {
  /** Name of the fault as in the scenario: `outage`, `loss`, `no-signal`, `radio: off`. */
  readonly name: string;
  /** Set for a step that carries out no fault. */
  readonly isStep?: true;
  /** The fault with its options: `loss 10%`. */
  readonly what: string;
  /** Text of its selector, or names of devices; empty for all devices. */
  readonly whom: string;
  /** Serial numbers; null for all devices. */
  readonly serials: readonly SerialRange[] | null;
  readonly effect: FaultEffect;
  /** Name in `net.fault` events, or `brown-out` for a weak battery; null if the fault leaves no sign. */
  readonly sign: string | null;
  readonly on: FaultPlace;
  /**
   * The entries of the plan that make up the fault (scenario/plan/change.ts), for a repetition without it. Missing if the plan
   * does not contain it.
   */
  readonly entries?: readonly string[];
  /** Times in which the fault is in force, in chronological order; several for a recurring fault. */
  readonly windows: readonly FaultWindow[];
}

export interface FaultWindow {
  readonly from: Instant;
  /** Exclusive end; null if the fault lasts until the end of the run. Equal to `from` for a fault that happens once. */
  readonly until: Instant | null;
}

/** Whether `serials` contains the device. @param serials null for all devices */
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
  /** Each with its index in the situation. */
  readonly faults: readonly (readonly [number, SituationFault])[];

  constructor(faults: readonly SituationFault[], serial: number) {
    this.faults = faults.flatMap((fault, index) => (contains(fault.serials, serial) ? [[index, fault] as const] : []));
  }

  /** The fault with this index. */
  get(index: number): SituationFault | undefined {
    return this.faults.find(([each]) => each === index)?.[1];
  }

  /** Indices of the faults of these effects that are in force at `at`. */
  at(at: Instant, ...effects: readonly FaultEffect[]): readonly number[] {
    return this.during(at, at, ...effects);
  }

  /** Indices of the faults of these effects that are in force at any time from `from` to `until`, inclusive. */
  during(from: Instant, until: Instant, ...effects: readonly FaultEffect[]): readonly number[] {
    return this.faults.flatMap(([index, { effect, windows }]) =>
      effects.includes(effect) && windows.some((window) => overlaps(window, from, until)) ? [index] : [],
    );
  }

  /** Indices of the faults in force from `from` to `until` that leave the sign `sign` in `net.fault` events. */
  signed(sign: string, from: Instant, until: Instant): readonly number[] {
    return this.faults.flatMap(([index, fault]) =>
      fault.sign === sign && fault.windows.some((window) => overlaps(window, from, until)) ? [index] : [],
    );
  }

  /** Start times, from `from` to `until`, of the faults that affect a running exchange; in chronological order. */
  starts(from: Instant, until: Instant): readonly { readonly fault: number; readonly at: Instant }[] {
    const starts = this.faults.flatMap(([fault, { effect, windows }]) =>
      effect === 'blocks' || effect === 'hinders' ? windows.map((window) => ({ fault, at: window.from })) : [],
    );
    return starts.filter(({ at }) => at >= from && at <= until).sort((a, b) => a.at - b.at);
  }
}

function overlaps({ from, until }: FaultWindow, begin: Instant, end: Instant): boolean {
  if (until === from) return begin <= from && from <= end;
  return from <= end && (until === null || begin < until);
}
