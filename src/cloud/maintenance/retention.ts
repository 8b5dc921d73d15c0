/** Deletes old messages, in rounds (rounds.ts). `Store.prune` defines which rows are deleted. */

import type { EdgeClock } from '../../kernel/clock.js';
import { messageOf } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { Millis } from '../../kernel/time.js';
import type { Trace } from '../../trace/events.js';
import type { Store } from '../store/store.js';
import { BATCH, Rounds } from './rounds.js';

interface RetentionOptions {
  readonly store: Store;
  readonly clock: EdgeClock;
  readonly log: Log;
  readonly trace: Trace;
  /** How long messages are kept. */
  readonly keep: Millis;
  /** Pause after a full batch, as in {@link Rounds}. With 0, all batches are reported as one. */
  readonly batchPause?: Millis;
}

/** Deletes old messages now and every hour. Returns a function that stops the deletion and waits for the running batch. */
export function startRetention(options: RetentionOptions): () => Promise<void> {
  const { store, clock, log, trace, keep, batchPause } = options;
  const rounds = new Rounds({
    clock,
    what: 'the deletion of old messages',
    batchPause,
    batch: () =>
      store.prune(clock.wall - keep, BATCH).catch((error: unknown) => {
        log.error({ error: messageOf(error) }, 'failed to delete old messages');
        return 0;
      }),
    ended: (deleted) => {
      if (deleted === 0) return;
      log.info({ deleted }, 'old messages deleted');
      trace.emit({ kind: 'cloud.pruned', at: clock.now, messages: deleted });
    },
  });
  return () => rounds.stop();
}
