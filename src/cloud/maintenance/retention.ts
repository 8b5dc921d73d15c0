/**
 * Deletes old messages in small batches, so that the store can serve devices meanwhile. `Store.prune` defines which
 * rows are deleted.
 */
import type { Alarm, EdgeClock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import { hours, type Millis, millis } from '../../kernel/time.js';
import type { Trace } from '../../trace/events.js';
import type { Store } from '../store/store.js';

interface RetentionOptions {
  readonly store: Store;
  readonly clock: EdgeClock;
  readonly log: Log;
  readonly trace: Trace;
  /** How long messages are kept. */
  readonly keep: Millis;
  /**
   * Pause after a full batch. Default 50 ms: a store that needs 50 ms for 500 deletions is free half of the time. With 0, all
   * batches are deleted at the same instant and reported as one.
   */
  readonly batchPause?: Millis;
}

const BATCH = 500;
const PAUSE = millis(50);
const ROUND = hours(1);

/** Deletes old messages now and every hour. Returns a function that stops the deletion and waits for the running batch. */
export function startRetention(options: RetentionOptions): () => Promise<void> {
  const { store, clock, log, trace, keep, batchPause = PAUSE } = options;
  let stopped = false;
  let next: Alarm | undefined;
  let work: Promise<void> = Promise.resolve();

  const deleteBatch = () =>
    store.prune(clock.wall - keep, BATCH).catch((error: unknown) => {
      log.error({ error: String(error) }, 'failed to delete old messages');
      return 0;
    });
  const round = async (): Promise<void> => {
    let last = await deleteBatch();
    let deleted = last;
    while (batchPause === 0 && last === BATCH && !stopped) {
      last = await deleteBatch();
      deleted += last;
    }
    if (deleted > 0) {
      log.info({ deleted }, 'old messages deleted');
      trace.emit({ kind: 'cloud.pruned', at: clock.now, messages: deleted });
    }
    if (!stopped) wait(last < BATCH ? ROUND : batchPause);
  };
  const wait = (delay: Millis): void => {
    next = clock.after(delay, 'the next deletion of old messages', () => {
      const release = clock.hold('the deletion of old messages');
      work = round().finally(release);
    });
  };
  wait(millis(0));
  return () => {
    stopped = true;
    next?.cancel();
    return work;
  };
}
