/** Repeats commits of messages that were out of sequence. */
import type { Ids } from './ids.js';
import { retryConflicts } from './records.js';
import type { Id, Store } from './store.js';

/**
 * Runs `work`, which creates messages of the device and commits them. The commit is out of sequence if a stored message of the
 * device has a greater id: one of another service, or one from before the clock was set back. Then `ids` learns that id, and
 * `work` runs again.
 */
export function inOrder<T>(
  { store, ids }: { readonly store: Store; readonly ids: Ids },
  deviceId: Id,
  work: () => Promise<T>,
): Promise<T> {
  return retryConflicts('order', work, async () => {
    const newest = await store.newestMessage(deviceId);
    if (newest !== undefined) ids.learn(deviceId, newest);
    return newest !== undefined;
  });
}
