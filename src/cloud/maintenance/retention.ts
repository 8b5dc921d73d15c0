/**
 * Deletes what is older than it has to be kept, a little at a time: the store has devices to serve meanwhile. What exactly is
 * old enough to go, and what never goes, is the store's rule (Store.prune).
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
/** Between batches: a store that writes 500 deletions in 50 ms has half of its time for others. */
const PAUSE = millis(50);
const ROUND = hours(1);

/** Begins at once, and looks again every hour. Returns what stops it. */
export function startRetention({ store, clock, log, trace, keep }: RetentionOptions): () => Promise<void> {
  let stopped = false;
  let next: Alarm | undefined;
  let work: Promise<void> = Promise.resolve();

  const round = async (): Promise<void> => {
    const deleted = await store.prune(clock.wall - keep, BATCH).catch((error: unknown) => {
      log.error({ error: String(error) }, 'old messages could not be deleted');
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
