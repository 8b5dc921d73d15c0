/**
 * What two runs are compared by: a few counts and durations, each kept in batches, so that a comparison can see how much
 * they vary within one run. What belongs to a device goes into the batch of the device, because what happens to one device
 * hangs together; a request goes into that of its stretch of time, because what happens to a service hangs together in time.
 */
import type { Instant, Millis } from '../../kernel/time.js';
import { Buckets } from '../buckets.js';
import type { Handlers } from '../dispatch.js';
import type { DownlinkRecord, Stage } from '../downlinks/ledger.js';
import { isAnswered } from './calls.js';

export const BATCHES = 24;
/** Stretches of the planned duration; several belong to one batch, so that a load that changes is in all of them. */
const STRETCHES = 4 * BATCHES;
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

/** Only what occurred. */
export interface SampleSummary {
  readonly batches: number;
  /** By the name of the metric, one number a batch. */
  readonly counts: Readonly<Record<string, readonly number[]>>;
  /** By the name of the metric. */
  readonly durations: Readonly<Record<string, SampledDurations>>;
}

export interface SampledDurations {
  /** Steps in a millisecond, in which the values of the buckets count. */
  readonly steps: number;
  /** Bucket, count, bucket, count, … for each batch: see trace/buckets.ts. */
  readonly batches: readonly (readonly number[])[];
}

export class SampleFold {
  readonly #warmUp: Millis;
  readonly #stretch: Millis;
  readonly #counts = new Map<SampledCount, Float64Array>();
  readonly #durations = new Map<SampledDuration, (Buckets | undefined)[]>();
  readonly #bootedAt = new Map<number, Instant>();

  constructor(duration: Millis, warmUp: Millis) {
    this.#warmUp = warmUp;
    this.#stretch = Math.max(1, duration / STRETCHES);
  }

  readonly on: Handlers = {
    'device.boot': ({ serial, at }) => {
      this.#bootedAt.set(serial, at);
    },
    'device.ready': ({ serial, at }) => {
      const booted = this.#bootedAt.get(serial);
      if (booted === undefined) return;
      this.#bootedAt.delete(serial);
      this.#time('device.startup', ofDevice(serial), at - booted);
    },
    'device.wake': ({ serial }) => this.#count('device.wakes', ofDevice(serial)),
    'device.repeat': ({ serial }) => this.#count('device.repeats', ofDevice(serial)),
    'uplink.dropped': ({ serial, type }) => {
      if (type === 'data') this.#count('uplink.dropped', ofDevice(serial));
    },
    'cloud.stored': ({ serial, type, copy }) => {
      if (type === 'data' && !copy) this.#count('uplink.stored', ofDevice(serial));
    },
    'call.done': (event) => {
      const { at, intended, sent } = event;
      const batch = this.#ofTime(intended);
      const answered = isAnswered(event);
      this.#count(answered ? 'call.answered' : 'call.failed', batch);
      if (!answered || intended < this.#warmUp) return;
      this.#time('call.latency', batch, at - intended);
      this.#time('call.service', batch, at - sent);
    },
    'call.dropped': ({ intended }) => this.#count('call.dropped', this.#ofTime(intended)),
  };

  /** A downlink has reached a stage. */
  stage(record: DownlinkRecord, stage: Stage): void {
    const at = record.reached[stage];
    if (at === undefined || (stage !== 'delivered' && stage !== 'answered')) return;
    const batch = ofDevice(record.serial);
    this.#count(`downlink.${stage}`, batch);
    this.#time(`downlink.${stage}`, batch, at - record.queuedAt);
  }

  summary(): SampleSummary {
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
          // Because Object.entries forgets the keys' types.
          const batches = this.#durations.get(name as SampledDuration);
          if (batches === undefined) return [];
          return [[name, { steps, batches: Array.from(batches, (batch) => batch?.toPairs() ?? []) }]];
        }),
      ),
    };
  }

  #ofTime(at: Instant): number {
    return Math.max(0, Math.floor(at / this.#stretch)) % BATCHES;
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
      batches = new Array<Buckets | undefined>(BATCHES).fill(undefined);
      this.#durations.set(name, batches);
    }
    batches[batch] ??= new Buckets();
    batches[batch].record(duration * DURATIONS[name]);
  }
}

/** Serial numbers run on within a group, so that every batch has its share of every group. */
function ofDevice(serial: number): number {
  return serial % BATCHES;
}
