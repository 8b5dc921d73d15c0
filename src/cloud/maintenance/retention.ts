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
}

const BATCH = 500;
/** Pause after a full batch: a store that needs 50 ms for 500 deletions is free half of the time. */
const PAUSE = millis(50);
const ROUND = hours(1);

/** Deletes old messages now and every hour. Returns a function that stops the deletion and waits for the running batch. */
export function startRetention({ store, clock, log, trace, keep }: RetentionOptions): () => Promise<void> {
  let stopped = false;
  let next: Alarm | undefined;
  let work: Promise<void> = Promise.resolve();

  const round = async (): Promise<void> => {
    const deleted = await store.prune(clock.wall - keep, BATCH).catch((error: unknown) => {
      log.error({ error: String(error) }, 'failed to delete old messages');
      return 0;
    });
    if (deleted > 0) {
      log.info({ deleted }, 'old messages deleted');
      trace.emit({ kind: 'cloud.pruned', at: clock.now, messages: deleted });
    }
    if (!stopped) wait(deleted < BATCH ? ROUND : PAUSE);
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
