/**
 * A run over time: a bounded number of equal bins, each with counts, percentiles of durations, and the states of the fleet at
 * the end of the bin. When a run exceeds the last bin, pairs of bins are merged, so that each bin becomes twice as long.
 *
 * The trace has no event for falling asleep, because the modem alone decides when it sleeps. A device counts as asleep when it
 * was not active for ten seconds, or for a whole bin if that is longer.
 */
import { type Instant, type Millis, seconds } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import { Distribution } from '../distribution.js';
import { type DownlinkRecord, isOfUsers, type Stage, timeTo } from '../downlinks/ledger.js';
import { isAnswered } from './calls.js';
import { type FleetState, FleetStates } from './fleet-states.js';
import type { RealTime } from './real-time.js';

/** Bins for the planned duration. */
const PLANNED_BINS = 240;
/** Most bins: more than {@link PLANNED_BINS}, because a run goes on until its devices rest. */
const MOST_BINS = 300;
/** Minimum length of a bin. */
const SHORTEST_BIN: Millis = 100;
/** Time without activity after which a device counts as asleep, unless a bin is longer. */
const AWAKE_FOR = seconds(10);
/** Resolution of the latencies of calls, in steps per millisecond: a step is a microsecond. */
const MICROSECONDS = 1000;

/** The counts of each bin. */
export const SERIES_COUNTS = [
  'uplinksStored',
  'downlinksQueued',
  'downlinksDelivered',
  'downlinksAnswered',
  'callsAnswered',
  'callsFailed',
  'callsDropped',
] as const;
export type SeriesCount = (typeof SERIES_COUNTS)[number];

/** Columns of equal length, one value per bin; the first bin begins at 0. */
export interface SeriesSummary {
  readonly bin: Millis;
  readonly bins: number;
  readonly counts: Readonly<Record<SeriesCount, readonly number[]>>;
  /** Latency of answered requests, in the bin in which they were due; null in bins without such requests. */
  readonly callLatency: PercentileColumns;
  /** Time from the API to the confirmed delivery, in the bin of the delivery; null in bins without deliveries. */
  readonly deliveryTime: PercentileColumns;
  /** Percentiles of `callLatency` and `deliveryTime` for plots, over several bins if durations are few. */
  readonly trends: { readonly callLatency: Trend; readonly deliveryTime: Trend };
  /** Number of devices by state at the end of each bin. */
  readonly fleet: Readonly<Record<FleetState, readonly number[]>>;
}

/** Percentiles per bin, in ms. */
interface PercentileColumns {
  readonly p50: readonly (Millis | null)[];
  readonly p95: readonly (Millis | null)[];
  readonly p99: readonly (Millis | null)[];
}

/** Percentiles for groups of `every` bins, from the histogram of all durations in a group. */
export interface Trend extends PercentileColumns {
  readonly every: number;
  /** Number of durations. */
  readonly count: readonly number[];
}

export class SeriesFold {
  #bin: Millis;
  #bins = 0;
  readonly #warmUp: Millis;
  readonly #realTime: RealTime;
  readonly #counts: Readonly<Record<SeriesCount, Float64Array>>;
  readonly #callLatency = new Map<number, Distribution>();
  readonly #deliveryTime = new Map<number, Distribution>();
  readonly #fleet: FleetStates;

  /**
   * @param devices number of devices in the plan
   * @param duration planned duration; 0 if unknown: the series then starts with the shortest bins
   * @param warmUp requests that were due earlier do not count in latencies
   */
  constructor(devices: number, duration: Millis, warmUp: Millis, realTime: RealTime) {
    this.#realTime = realTime;
    this.#bin = Math.max(SHORTEST_BIN, Math.ceil(duration / PLANNED_BINS));
    this.#warmUp = warmUp;
    const column = () => new Float64Array(MOST_BINS);
    this.#counts = Object.fromEntries(SERIES_COUNTS.map((name) => [name, column()])) as Record<
      SeriesCount,
      Float64Array
    >;
    this.#fleet = new FleetStates(devices, MOST_BINS);
  }

  readonly on: Handlers = {
    'device.boot': ({ serial, at }) => this.#fleet.boot(serial, this.#reach(at)),
    'device.ready': ({ serial, at }) => this.#fleet.noteReady(serial, this.#reach(at)),
    'device.wake': ({ serial, at, why }) => this.#fleet.noteWake(serial, this.#reach(at), why === 'poll'),
    'device.repeat': ({ serial, at }) => this.#fleet.noteRepeat(serial, this.#reach(at)),
    'poll.failed': ({ serial, at }) => this.#fleet.noteGaveUp(serial, this.#reach(at)),
    'uplink.sent': ({ serial, at }) => this.#fleet.noteActivity(serial, this.#reach(at)),
    'uplink.acked': ({ serial, at }) => this.#fleet.noteHeard(serial, this.#reach(at)),
    'uplink.dropped': ({ serial, at }) => this.#fleet.noteGaveUp(serial, this.#reach(at)),
    'downlink.received': ({ serial, at }) => this.#fleet.noteHeard(serial, this.#reach(at)),
    'cloud.stored': ({ at, copy }) => {
      if (!copy) this.#count('uplinksStored', at);
    },
    'downlink.queued': ({ at, type }) => {
      if (isOfUsers(type)) this.#count('downlinksQueued', at);
    },
    'call.done': (event) => {
      const { at, intended } = event;
      const answered = isAnswered(event);
      this.#count(answered ? 'callsAnswered' : 'callsFailed', at);
      if (!answered || intended < this.#warmUp) return;
      this.#time(this.#callLatency, intended, this.#realTime.measureBetween(intended, at), MICROSECONDS);
    },
    'call.dropped': ({ at }) => this.#count('callsDropped', at),
    'world.closing': ({ at }) => {
      this.#reach(at);
    },
  };

  takeStage(record: DownlinkRecord, stage: Stage): void {
    const at = record.reached[stage];
    if (at === undefined) return;
    if (stage === 'answered') this.#count('downlinksAnswered', at);
    if (stage !== 'delivered') return;
    this.#count('downlinksDelivered', at);
    this.#time(this.#deliveryTime, at, timeTo(record, stage), 1);
  }

  summarise(): SeriesSummary {
    const bins = this.#bins;
    this.#fleet.closeUntil(bins, this.#bin, this.#window);
    const counts = SERIES_COUNTS.map((name) => [name, [...this.#counts[name].subarray(0, bins)]]);
    return {
      bin: this.#bin,
      bins,
      counts: Object.fromEntries(counts) as SeriesSummary['counts'],
      callLatency: listColumns(this.#callLatency, bins),
      deliveryTime: listColumns(this.#deliveryTime, bins),
      trends: { callLatency: listTrend(this.#callLatency, bins), deliveryTime: listTrend(this.#deliveryTime, bins) },
      fleet: this.#fleet.listColumns(bins),
    };
  }

  get #window(): Millis {
    return Math.max(this.#bin, AWAKE_FOR);
  }

  #count(name: SeriesCount, at: Instant): void {
    const index = this.#index(this.#reach(at));
    const column = this.#counts[name];
    column[index] = (column[index] ?? 0) + 1;
  }

  #time(into: Map<number, Distribution>, at: Instant, duration: Millis, steps: number): void {
    const index = this.#index(this.#reach(at));
    let times = into.get(index);
    if (times === undefined) {
      times = new Distribution(steps);
      into.set(index, times);
    }
    times.record(duration);
  }

  #index(at: Instant): number {
    return Math.max(0, Math.floor(at / this.#bin));
  }

  /** Extends the series to the bin of `at`, and closes the bins before it. A late event counts in the bin of its time. */
  #reach(at: Instant): Instant {
    while (this.#index(at) >= MOST_BINS) this.#merge();
    const index = this.#index(at);
    if (index >= this.#bins) {
      this.#fleet.closeUntil(index, this.#bin, this.#window);
      this.#bins = index + 1;
    }
    return at;
  }

  /** Merges pairs of bins. */
  #merge(): void {
    this.#fleet.closeUntil(this.#bins, this.#bin, this.#window);
    for (const column of Object.values(this.#counts)) {
      for (let i = 0; i < MOST_BINS; i++) column[i] = (column[2 * i] ?? 0) + (column[2 * i + 1] ?? 0);
    }
    for (const timed of [this.#callLatency, this.#deliveryTime]) {
      const old = [...timed];
      timed.clear();
      for (const [index, times] of old) {
        const half = Math.floor(index / 2);
        const known = timed.get(half);
        if (known === undefined) timed.set(half, times);
        else known.add(times);
      }
    }
    this.#fleet.merge();
    this.#bins = Math.ceil(this.#bins / 2);
    this.#bin *= 2;
  }
}

function listColumns(timed: ReadonlyMap<number, Distribution>, bins: number): PercentileColumns {
  const points = Array.from({ length: bins }, (_, index) => timed.get(index)?.findPercentiles([50, 95, 99]) ?? []);
  const [p50, p95, p99] = [0, 1, 2].map((i) => points.map((percentiles) => percentiles[i] ?? null));
  return { p50: p50 ?? [], p95: p95 ?? [], p99: p99 ?? [] };
}

/** Minimum number of durations per value of a trend, on average. A percentile of fewer durations would mostly be random. */
const ENOUGH = 20;

function listTrend(timed: ReadonlyMap<number, Distribution>, bins: number): Trend {
  const counts = Array.from({ length: bins }, (_, index) => timed.get(index)?.count ?? 0);
  const every = chooseBins(counts, ENOUGH);
  const groups = new Map<number, Distribution>();
  for (const [index, times] of [...timed].sort(([one], [other]) => one - other)) {
    const group = Math.floor(index / every);
    const known = groups.get(group);
    groups.set(group, known === undefined ? times : Distribution.merge([known, times]));
  }
  const points = Math.ceil(bins / every);
  const count = Array.from({ length: points }, (_, group) => groups.get(group)?.count ?? 0);
  return { every, count, ...listColumns(groups, points) };
}

/** Possible numbers of bins that are drawn as one point, ascending. */
const GROUPS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24] as const;

/**
 * The number of bins to draw as one point, so that a point has at least `enough` events on average, not counting empty points.
 */
export function chooseBins(counts: readonly number[], enough: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const every = GROUPS.find((size) => {
    const filled = new Set(counts.flatMap((count, index) => (count > 0 ? [Math.floor(index / size)] : [])));
    return total >= enough * filled.size;
  });
  return every ?? 24;
}
