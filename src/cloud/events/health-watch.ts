/**
 * Adds an entry to the journal when a device becomes late or silent (contract/health.ts). Everything else in the journal comes
 * with a commit, but here nothing happens: a contact is missing. If several services share a database, each one that has readers
 * adds the entry.
 */
import type { EdgeClock } from '../../kernel/clock.js';
import { repeatWork } from '../../kernel/repeat-work.js';
import { minutes, type UnixMillis } from '../../kernel/time.js';
import type { Change, Store } from '../store/store.js';

const EVERY = minutes(1);
/** Maximum number of entries in a commit, so that a store can serve devices between two of them. */
const BATCH = 500;

/**
 * Watches the devices from now on, until the returned function is called.
 * @param added called after entries were added
 */
export function watchHealth(
  { store, clock }: { readonly store: Store; readonly clock: EdgeClock },
  added: () => void,
): () => void {
  let checked = clock.wall;
  const look = async () => {
    const now = clock.wall;
    try {
      await addChanges(store, checked, now, added);
      checked = now;
    } catch {
      // The store does not answer: the next look covers this minute as well.
    }
    return EVERY;
  };
  return repeatWork(clock, 'a look at the health of devices', look, EVERY);
}

async function addChanges(store: Store, from: UnixMillis, to: UnixMillis, added: () => void): Promise<void> {
  const changed = await store.healthChanges(from, to);
  const changes = changed.map(({ id, health }): Change => {
    return { kind: 'event.add', event: { kind: 'health', ref: id, at: Math.floor(to), detail: health } };
  });
  for (let begin = 0; begin < changes.length; begin += BATCH) {
    await store.commit(changes.slice(begin, begin + BATCH));
    added();
  }
}
