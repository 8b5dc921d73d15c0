/**
 * Data for the comparison of two runs: some counts and durations in 24 batches. The differences between batches show how much
 * the numbers vary within a run. All events of a device go into one batch, because they are correlated. API requests go into a
 * batch by their time, because the behaviour of a service is correlated in time.
 */
import type { Instant, Millis } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import { Distribution } from '../distribution.js';
import { type DownlinkRecord, type Stage, timeTo } from '../downlinks/ledger.js';
import { isAnswered } from './calls.js';
import type { RealTime } from './real-time.js';

export const BATCHES = 24;
/**
 * Number of time slices of the planned duration. Each batch has the API requests of four slices, which are spread over the run.
 * So if the load changes over time, every batch has requests of low and of high load.
 */
const SLICES = 4 * BATCHES;
const MICROSECONDS = 1000;

const DURATIONS = {
  'downlink.delivered': 1,
  'downlink.answered': 1,
  'device.startup': 1,
  'call.latency': MICROSECONDS,
  'call.service': MICROSECONDS,
} as const;
type SampledDuration = keyof typeof DURATIONS;
const COUNTS = [
  'uplink.stored',
  'uplink.dropped',
  'device.wakes',
  'device.repeats',
  'downlink.delivered',
  'downlink.answered',
  'call.answered',
  'call.failed',
  'call.dropped',
] as const;
type SampledCount = (typeof COUNTS)[number];

/** The metrics of which runs can be compared. */
export const SAMPLED: { readonly durations: readonly string[]; readonly counts: readonly string[] } = {
  durations: Object.keys(DURATIONS),
  counts: COUNTS,
};

/** The counts and durations that have at least one value. */
export interface SampleSummary {
  readonly batches: number;
  /** One count per batch, by the name of the metric. */
  readonly counts: Readonly<Record<string, readonly number[]>>;
  /** One histogram per batch, by the name of the metric. */
  readonly durations: Readonly<Record<string, SampledDurations>>;
}

export interface SampledDurations {
  /** The values in `batches` are in steps; this is the number of steps in a millisecond. */
  readonly steps: number;
  /** The shortest and the longest duration of all batches. */
  readonly min: Millis;
  readonly max: Millis;
  /**
   * The histogram of each batch: value, count, value, count, … Each value is the smallest one of its bucket
   * (trace/histogram.ts). The percentiles of the metric are read from the sum of all batches.
   */
  readonly batches: readonly (readonly number[])[];
}

export class SampleFold {
  readonly #warmUp: Millis;
  readonly #slice: Millis;
  readonly #realTime: RealTime;
  readonly #counts = new Map<SampledCount, Float64Array>();
  readonly #durations = new Map<SampledDuration, (Distribution | undefined)[]>();
  readonly #bootedAt = new Map<number, Instant>();

  constructor(duration: Millis, warmUp: Millis, realTime: RealTime) {
    this.#realTime = realTime;
    this.#warmUp = warmUp;
    this.#slice = Math.max(1, duration / SLICES);
  }

  readonly on: Handlers = {
    'device.boot': ({ serial, at }) => {
      this.#bootedAt.set(serial, at);
    },
    'device.ready': ({ serial, at }) => {
      const booted = this.#bootedAt.get(serial);
      if (booted === undefined) return;
      this.#bootedAt.delete(serial);
      this.#time('device.startup', findDeviceSlot(serial), at - booted);
    },
    'device.wake': ({ serial }) => this.#count('device.wakes', findDeviceSlot(serial)),
    'device.repeat': ({ serial }) => this.#count('device.repeats', findDeviceSlot(serial)),
    'uplink.dropped': ({ serial, type }) => {
      if (type === 'data') this.#count('uplink.dropped', findDeviceSlot(serial));
    },
    'cloud.stored': ({ serial, type, copy }) => {
      if (type === 'data' && !copy) this.#count('uplink.stored', findDeviceSlot(serial));
    },
    'call.done': (event) => {
      const { at, intended, sent } = event;
      const batch = this.#findTimeSlot(intended);
      const answered = isAnswered(event);
      this.#count(answered ? 'call.answered' : 'call.failed', batch);
      if (!answered || intended < this.#warmUp) return;
      this.#time('call.latency', batch, this.#realTime.measureBetween(intended, at));
      this.#time('call.service', batch, this.#realTime.measureBetween(sent, at));
    },
    'call.dropped': ({ intended }) => this.#count('call.dropped', this.#findTimeSlot(intended)),
  };

  takeStage(record: DownlinkRecord, stage: Stage): void {
    if (stage !== 'delivered' && stage !== 'answered') return;
    const batch = findDeviceSlot(record.serial);
    this.#count(`downlink.${stage}`, batch);
    this.#time(`downlink.${stage}`, batch, timeTo(record, stage));
  }

  summarise(): SampleSummary {
    return {
      batches: BATCHES,
      counts: Object.fromEntries(
        COUNTS.flatMap((name) => {
          const counts = this.#counts.get(name);
          return counts === undefined ? [] : [[name, [...counts]]];
        }),
      ),
      durations: Object.fromEntries(
        Object.entries(DURATIONS).flatMap(([name, steps]) => {
          // The cast is needed because `Object.entries` returns keys of type `string`.
          const batches = this.#durations.get(name as SampledDuration);
          if (batches === undefined) return [];
          const { min = 0, max = 0 } = Distribution.merge(batches.filter((batch) => batch !== undefined));
          return [[name, { steps, min, max, batches: batches.map((batch) => batch?.listPairs() ?? []) }]];
        }),
      ),
    };
  }

  #findTimeSlot(at: Instant): number {
    return Math.max(0, Math.floor(at / this.#slice)) % BATCHES;
  }

  #count(name: SampledCount, batch: number): void {
    let counts = this.#counts.get(name);
    if (counts === undefined) {
      counts = new Float64Array(BATCHES);
      this.#counts.set(name, counts);
    }
    counts[batch] = (counts[batch] ?? 0) + 1;
  }

  #time(name: SampledDuration, batch: number, duration: Millis): void {
    let batches = this.#durations.get(name);
    if (batches === undefined) {
      batches = new Array<Distribution | undefined>(BATCHES).fill(undefined);
      this.#durations.set(name, batches);
    }
    batches[batch] ??= new Distribution(DURATIONS[name]);
    batches[batch].record(duration);
  }
}

/** Batch of a device. Serial numbers are consecutive within a group, so every batch has its share of every group. */
function findDeviceSlot(serial: number): number {
  return serial % BATCHES;
}
