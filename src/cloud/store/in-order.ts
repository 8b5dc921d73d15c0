/** Repeats commits of messages that were out of sequence. */
import type { Ids } from './ids.js';
import { ConflictError, type Id, type Store } from './store.js';

/** Most attempts of a commit; of concurrent ones, one succeeds each time. */
const PATIENCE = 100;

/**
 * Runs `work`, which creates messages of the device and commits them. If the commit is out of sequence, because another
 * service or an earlier process has given a greater id to a message of the device, it learns that id and runs `work`
 * again.
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
