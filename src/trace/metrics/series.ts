/**
 * The course of a run over time: a bounded number of equal bins, each with what was counted in it, how long things took, and
 * how the fleet stood at its end. When a run goes on for longer than there are bins, two become one: a bin is then twice as long.
 *
 * A device is not seen going to sleep, because its modem decides that alone. One that has given no sign for ten seconds, or
 * for a whole bin if that is longer, counts as asleep.
 */
import { type Instant, type Millis, seconds } from '../../kernel/time.js';
import { Buckets } from '../buckets.js';
import type { Handlers } from '../dispatch.js';
import { type DownlinkRecord, isUserType, type Stage } from '../downlinks/ledger.js';
import { isAnswered } from './calls.js';
import { type FleetState, FleetStates } from './fleet-states.js';

/** Bins for the planned duration. */
const PLANNED_BINS = 240;
/** Bins that there may be: settling goes beyond the duration. */
const MOST_BINS = 300;
/** A bin is no shorter than this. */
const SHORTEST_BIN: Millis = 100;
/** A device that has given no sign for so long is taken to be asleep. */
const AWAKE_FOR = seconds(10);
/** Call latencies are counted in microseconds. */
const MICROSECONDS = 1000;

/** What is counted in each bin. */
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

/** Columns of the same length, one value a bin; the first bin begins at 0. */
export interface SeriesSummary {
  readonly bin: Millis;
  readonly bins: number;
  readonly counts: Readonly<Record<SeriesCount, readonly number[]>>;
  /** Of answered requests, from when they were due, in the bin in which they were due; null where there are none. */
  readonly callLatency: PercentileColumns;
  /** From the API to the confirmed delivery, in the bin of the delivery; null where there are none. */
  readonly deliveryTime: PercentileColumns;
  /** Devices at the end of each bin. */
  readonly fleet: Readonly<Record<FleetState, readonly number[]>>;
}

/** In ms. */
export interface PercentileColumns {
  readonly p50: readonly (Millis | null)[];
  readonly p95: readonly (Millis | null)[];
  readonly p99: readonly (Millis | null)[];
}

export class SeriesFold {
  #bin: Millis;
  #bins = 0;
  readonly #warmUp: Millis;
  readonly #counts: Readonly<Record<SeriesCount, Float64Array>>;
  readonly #callLatency = new Map<number, Buckets>();
  readonly #deliveryTime = new Map<number, Buckets>();
  readonly #fleet: FleetStates;

  /** @param duration planned; a run of unknown length begins with the shortest bins */
  constructor(devices: number, duration: Millis, warmUp: Millis) {
    this.#bin = Math.max(SHORTEST_BIN, Math.ceil(duration / PLANNED_BINS));
    this.#warmUp = warmUp;
    const column = () => new Float64Array(MOST_BINS);
    // Because SERIES_COUNTS lists every count once.
    this.#counts = Object.fromEntries(SERIES_COUNTS.map((name) => [name, column()])) as Record<
      SeriesCount,
      Float64Array
    >;
    this.#fleet = new FleetStates(devices, MOST_BINS);
  }

  readonly on: Handlers = {
    'device.boot': ({ serial, at }) => this.#fleet.boot(serial, this.#reach(at)),
    'device.ready': ({ serial, at }) => this.#fleet.ready(serial, this.#reach(at)),
    'device.wake': ({ serial, at, why }) => this.#fleet.woken(serial, this.#reach(at), why === 'poll'),
    'device.repeat': ({ serial, at }) => this.#fleet.repeated(serial, this.#reach(at)),
    'poll.failed': ({ serial, at }) => this.#fleet.gaveUp(serial, this.#reach(at)),
    'uplink.sent': ({ serial, at }) => this.#fleet.sign(serial, this.#reach(at)),
    'uplink.acked': ({ serial, at }) => this.#fleet.heard(serial, this.#reach(at)),
    'uplink.dropped': ({ serial, at }) => this.#fleet.gaveUp(serial, this.#reach(at)),
    'downlink.received': ({ serial, at }) => this.#fleet.heard(serial, this.#reach(at)),
    'cloud.stored': ({ at, copy }) => {
      if (!copy) this.#count('uplinksStored', at);
    },
    'downlink.queued': ({ at, type }) => {
      if (isUserType(type)) this.#count('downlinksQueued', at);
    },
    'call.done': (event) => {
      const { at, intended } = event;
      const answered = isAnswered(event);
      this.#count(answered ? 'callsAnswered' : 'callsFailed', at);
      if (answered && intended >= this.#warmUp) this.#time(this.#callLatency, intended, (at - intended) * MICROSECONDS);
    },
    'call.dropped': ({ at }) => this.#count('callsDropped', at),
    'world.closing': ({ at }) => {
      this.#reach(at);
    },
  };

  /** A downlink has reached a stage. */
  stage(record: DownlinkRecord, stage: Stage): void {
    const at = record.reached[stage];
    if (at === undefined) return;
    if (stage === 'answered') this.#count('downlinksAnswered', at);
    if (stage !== 'delivered') return;
    this.#count('downlinksDelivered', at);
    this.#time(this.#deliveryTime, at, at - record.queuedAt);
  }

  summary(): SeriesSummary {
    const bins = this.#bins;
    this.#fleet.closeUntil(bins, this.#bin, this.#window);
    const counts = SERIES_COUNTS.map((name) => [name, [...this.#counts[name].subarray(0, bins)]]);
    return {
      bin: this.#bin,
      bins,
      // Because SERIES_COUNTS lists every count once.
      counts: Object.fromEntries(counts) as SeriesSummary['counts'],
      callLatency: columns(this.#callLatency, bins, MICROSECONDS),
      deliveryTime: columns(this.#deliveryTime, bins, 1),
      fleet: this.#fleet.columns(bins),
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

  #time(into: Map<number, Buckets>, at: Instant, value: number): void {
    const index = this.#index(this.#reach(at));
    let buckets = into.get(index);
    if (buckets === undefined) {
      buckets = new Buckets();
      into.set(index, buckets);
    }
    buckets.record(value);
  }

  #index(at: Instant): number {
    return Math.max(0, Math.floor(at / this.#bin));
  }

  /** Makes sure that there is a bin for `at`, and closes those before it. What is told late counts where it belongs. */
  #reach(at: Instant): Instant {
    while (this.#index(at) >= MOST_BINS) this.#merge();
    const index = this.#index(at);
    if (index >= this.#bins) {
      this.#fleet.closeUntil(index, this.#bin, this.#window);
      this.#bins = index + 1;
    }
    return at;
  }

  /** Two bins become one. */
  #merge(): void {
    this.#fleet.closeUntil(this.#bins, this.#bin, this.#window);
    for (const column of Object.values(this.#counts)) {
      for (let i = 0; i < MOST_BINS; i++) column[i] = (column[2 * i] ?? 0) + (column[2 * i + 1] ?? 0);
    }
    for (const timed of [this.#callLatency, this.#deliveryTime]) {
      const old = [...timed];
      timed.clear();
      for (const [index, buckets] of old) {
        const half = Math.floor(index / 2);
        const known = timed.get(half);
        if (known === undefined) timed.set(half, buckets);
        else known.add(buckets);
      }
    }
    this.#fleet.merge();
    this.#bins = Math.ceil(this.#bins / 2);
    this.#bin *= 2;
  }
}

function columns(timed: ReadonlyMap<number, Buckets>, bins: number, steps: number): PercentileColumns {
  const column = (percent: number) =>
    Array.from({ length: bins }, (_, index) => {
      const value = timed.get(index)?.percentile(percent);
      return value === undefined ? null : Math.round(value) / steps;
    });
  return { p50: column(50), p95: column(95), p99: column(99) };
}
