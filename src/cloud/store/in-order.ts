/** Repeats commits of messages that were out of sequence. */
import type { Ids } from './ids.js';
import { ConflictError, type Id, type Store } from './store.js';

/** Maximum number of attempts. Of the commits that compete in a round, one succeeds. */
const PATIENCE = 100;

/**
 * Runs `work`, which creates messages of the device and commits them. The commit is out of sequence if a stored message of the
 * device has a greater id: one of another service, or one from before the clock was set back. Then `ids` learns that id, and
 * `work` runs again.
 */
export async function inOrder<T>(
  { store, ids }: { readonly store: Store; readonly ids: Ids },
  deviceId: Id,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const outOfSequence = error instanceof ConflictError && error.field === 'order';
      const newest = outOfSequence && attempt < PATIENCE ? await store.newestMessage(deviceId) : undefined;
      if (newest === undefined) throw error;
      ids.learn(deviceId, newest);
    }
  }
}
