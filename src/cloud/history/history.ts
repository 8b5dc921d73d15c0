/**
 * The history of each space while the service runs: devices on time, reports, waiting downlinks, delivery times. It is in
 * memory: a service that starts again begins a new one, except in a run, which keeps it like the tables of its store.
 */
import { FIGURES, type Figure } from '../../contract/history.js';
import type { EdgeClock } from '../../kernel/clock.js';
import { repeatWork } from '../../kernel/repeat-work.js';
import { type Millis, minutes, seconds, type UnixMillis } from '../../kernel/time.js';
import { OWN_TYPES } from '../../protocol/http/downlinks.js';
import type { Id, Store } from '../store/store.js';
import { LatestTimes } from './latest-times.js';
import { SeriesSet } from './series.js';

/** Time from one sample to the next: the shortest length of a bucket. */
const EVERY = seconds(10);
/** A rate is that of this time, so that it does not jump with each report of a small fleet. */
const RATE_OF = minutes(1);

interface Counted {
  readonly at: UnixMillis;
  readonly reports: number;
  /** Time since the sample before. */
  readonly passed: Millis;
}

interface SpaceHistory {
  /** Undefined before its first sample. */
  series: SeriesSet<Figure> | undefined;
  /** Reports since the latest sample. */
  reports: number;
  /** The samples of {@link RATE_OF}, oldest first. */
  counted: readonly Counted[];
  readonly deliveries: LatestTimes;
}

export class History {
  readonly #spaces = new Map<Id, SpaceHistory>();
  #sampled: UnixMillis | undefined;

  /** Counts a report of a device of the space. */
  noteReport(spaceId: Id): void {
    this.#space(spaceId).reports++;
  }

  /** @param took from queued until delivered */
  noteDelivery(spaceId: Id, type: string, took: Millis): void {
    if (!OWN_TYPES.has(type)) this.#space(spaceId).deliveries.note(took / 1000);
  }

  /** Adds a sample of each space that has devices. */
  async sample(store: Store, now: UnixMillis): Promise<void> {
    const [healths, waiting] = await Promise.all([store.countByHealth(now), store.countPendingBySpace()]);
    const passed = now - (this.#sampled ?? now);
    this.#sampled = now;
    for (const [spaceId, { on_time }] of healths) {
      const space = this.#space(spaceId);
      const [p50, p95] = space.deliveries.sample(now);
      space.counted = [...space.counted, { at: now, reports: space.reports, passed }].filter(
        ({ at }) => now - at < RATE_OF,
      );
      const rate = rateOf(space.counted);
      space.series ??= new SeriesSet(FIGURES, now, EVERY);
      space.series.add(now, {
        devices_on_time: on_time,
        downlinks_waiting: waiting.get(spaceId) ?? 0,
        ...(rate !== undefined && { reports_per_minute: rate }),
        ...(p50 !== undefined && { delivery_p50_seconds: p50 }),
        ...(p95 !== undefined && { delivery_p95_seconds: p95 }),
      });
      space.reports = 0;
    }
    // Otherwise spaces that are created and deleted would take more and more memory.
    for (const id of this.#spaces.keys()) if (!healths.has(id)) this.#spaces.delete(id);
  }

  /** The series of a space; undefined before its first sample. */
  of(spaceId: Id): SeriesSet<Figure> | undefined {
    return this.#spaces.get(spaceId)?.series;
  }

  #space(spaceId: Id): SpaceHistory {
    const known = this.#spaces.get(spaceId);
    if (known) return known;
    const space = { series: undefined, reports: 0, counted: [], deliveries: new LatestTimes() };
    this.#spaces.set(spaceId, space);
    return space;
  }
}

/** Samples the history now, and again and again. Returns a function that stops it, and waits for a sample in progress. */
export function keepHistory(
  history: History,
  { store, clock }: { readonly store: Store; readonly clock: EdgeClock },
): () => Promise<void> {
  return repeatWork(clock, 'a sample of the history', async () => {
    // A store that does not answer leaves a gap.
    await history.sample(store, clock.wall).catch(() => {});
    return EVERY;
  });
}

/** Reports a minute; undefined as long as no time has passed. */
function rateOf(samples: readonly Counted[]): number | undefined {
  const passed = samples.reduce((sum, each) => sum + each.passed, 0);
  if (passed === 0) return undefined;
  return (samples.reduce((sum, { reports }) => sum + reports, 0) * minutes(1)) / passed;
}
