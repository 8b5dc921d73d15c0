/** Deletes the rows that deleted spaces have left, in rounds (rounds.ts). */
import type { EdgeClock } from '../../kernel/clock.js';
import { messageOf } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { Millis } from '../../kernel/time.js';
import { deleteRemains } from '../accounts/spaces.js';
import type { Store } from '../store/store.js';
import { BATCH, Rounds } from './rounds.js';

interface DeletedSpacesOptions {
  readonly store: Store;
  readonly clock: EdgeClock;
  readonly log: Log;
  /** Pause after a batch, as in {@link Rounds}. */
  readonly batchPause?: Millis;
}

/** Deletes the rows now and every hour. Returns a function that stops the deletion and waits for the running batch. */
export function startClearing({ store, clock, log, batchPause }: DeletedSpacesOptions): () => Promise<void> {
  const rounds = new Rounds({
    clock,
    what: 'the deletion of deleted spaces',
    batchPause,
    batch: async () => {
      try {
        return (await deleteRemains(store, Math.floor(clock.wall), BATCH)) ? BATCH : 0;
      } catch (error) {
        log.error({ error: messageOf(error) }, 'failed to delete the rows of deleted spaces');
        return 0;
      }
    },
  });
  return () => rounds.stop();
}
