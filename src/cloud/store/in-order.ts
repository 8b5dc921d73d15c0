/** Repeats commits of messages that were out of sequence. */
import type { Ids } from './ids.js';
import type { Id, Store } from './store.js';

/** After a commit of a message of the device whose id is smaller than that of a stored one: `ids` learns the greatest id. */
export function inOrder({ store, ids }: { readonly store: Store; readonly ids: Ids }, deviceId: Id) {
  return async (): Promise<void> => {
    const newest = await store.newestMessage(deviceId);
    if (newest !== undefined) ids.learn(deviceId, newest);
  };
}
