/**
 * The memory layout of a device: the index of each number in `floats` (last samples, samples, windows of statistics, values of
 * alarms) or in `ints` (counts, times, totals, events).
 *
 * At rest, a device has room for the samples of the open window, but none for windows, logs and events: a report empties them.
 * The first value without room moves the device to a layout with the room that it is expected to need until its next report: a
 * fraction of the firmware's buffers. Each further value without room moves it to a layout with twice the room. All devices
 * with the same plan share their layouts.
 */
import type { ListPlan, Plan, SensorPlan } from './measuring-plan.js';

/** Indices of one sensor's numbers. */
export interface SensorPlace {
  /** In floats: the last sample of each quantity. */
  readonly last: number;
  /** In ints: number of samples in the open window, number of closed windows, time of the first closed window. */
  readonly counts: number;
  /** In floats: samples; the values of one reading are adjacent. */
  readonly samples: number;
  readonly sampleRoom: number;
  /** In ints, of a log: the time of each sample. */
  readonly times: number;
  /** For each window, four floats per quantity; for counters, two longs per quantity. The values of one window are adjacent. */
  readonly windows: number;
  readonly windowRoom: number;
  /** In ints, {@link COUNTER}.size per quantity: the counts of a counter, each as a long. */
  readonly totals: number;
}

/** Indices of one event list's numbers. */
export interface ListPlace {
  /** In ints: state, number of events, then time and type of each. */
  readonly at: number;
  /** In floats, for alarms only: the value of each event. */
  readonly values: number;
  readonly room: number;
}

/**
 * Longs (pairs of ints, `Memory.long`) of a counter per quantity: the input's total at the last read; the count now, and at the
 * last window, report body and report.
 */
export const COUNTER = { raw: 0, counted: 2, atWindow: 4, atBody: 6, atReport: 8, size: 10 } as const;

/** Number of ints in an event list before its events. */
export const EVENT_HEAD = 2;

export interface Layout {
  /** By {@link SensorPlan.index} and {@link ListPlan.index}. */
  readonly sensors: readonly SensorPlace[];
  readonly lists: readonly ListPlace[];
  readonly floats: Space;
  readonly ints: Space;
  /** Bytes of all numbers. */
  readonly bytes: number;
  /** The next layout with more room. */
  larger(): Layout;
}

export function layoutAtRest(plan: Plan): Layout {
  const known = layouts.get(plan) ?? makeLayout(plan, 0);
  layouts.set(plan, known);
  return known;
}

const layouts = new WeakMap<Plan, Layout>();

/** Allocates pieces of a block of memory, one after the other. */
class Space {
  size = 0;
  /** Start of each piece. A layout and a larger one have the same pieces in the same order. */
  readonly starts: number[] = [];

  take(length: number): number {
    const start = this.size;
    this.starts.push(start);
    this.size += length;
    return start;
  }
}

/** @param scale factor of the expected buffer sizes; 0 for a device at rest */
function makeLayout(plan: Plan, scale: number): Layout {
  const floats = new Space();
  const ints = new Space();
  // `expected` may be Infinity, and 0 × Infinity would be NaN.
  const room = (most: number, expected: number, times = scale): number =>
    times === 0 ? 0 : Math.min(most, times * (expected + 1));

  const placeSensor = ({ spec, expected }: SensorPlan): SensorPlace => {
    const quantities = spec.quantities.length;
    const { kind, windows = 0, samples = 0 } = spec.windows ?? {};
    // The open window continues after a report, so its samples stay.
    const openWindow = kind === 'log' ? scale : Math.max(1, scale);
    const sampleRoom = samples > 0 ? room(samples, expected.samples, openWindow) : 0;
    const windowRoom = windows > 0 ? room(windows, expected.windows) : 0;
    const counted = kind === 'count' || kind === 'total' || kind === 'amount';
    return {
      last: floats.take(quantities),
      counts: ints.take(kind ? 3 : 0),
      samples: floats.take(sampleRoom * quantities),
      sampleRoom,
      times: ints.take(kind === 'log' ? sampleRoom : 0),
      windows: counted ? ints.take(4 * windowRoom * quantities) : floats.take(4 * windowRoom * quantities),
      windowRoom,
      totals: ints.take(spec.counter ? COUNTER.size * quantities : 0),
    };
  };
  const placeList = ({ spec }: ListPlan): ListPlace => {
    const events = room(spec.capacity, EXPECTED_EVENTS);
    return {
      at: ints.take(EVENT_HEAD + 2 * events),
      values: floats.take(spec.kind === 'alarm' ? events : 0),
      room: events,
    };
  };
  const sensors = plan.sensors.map(placeSensor);
  const lists = plan.lists.map(placeList);
  let next: Layout | undefined;
  return {
    sensors,
    lists,
    floats,
    ints,
    bytes: 4 * (floats.size + ints.size),
    larger() {
      next ??= makeLayout(plan, Math.max(1, 2 * scale));
      return next;
    },
  };
}

/** Expected number of events in a list between two reports. */
const EXPECTED_EVENTS = 3;
