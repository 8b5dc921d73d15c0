/** Repeats commits of messages that were out of sequence. */
import type { Ids } from './ids.js';
import { retryConflicts } from './records.js';
import type { Id, Store } from './store.js';

/** Runs `work`, which commits messages of a device. If a stored one has a greater id, `ids` learns it, and `work` repeats. */
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
