/** Limits waiting commits: an overloaded store rejects at once, and clients and devices retry. A queue would fill memory. */
import type { Clock } from '../../kernel/clock.js';
import type { Millis } from '../../kernel/time.js';
import type { Store } from './store.js';

/** A commit or a read was rejected because too many were waiting. Nothing was written. */
export class StoreBusy extends Error {
  constructor(message = 'write queue is full; retry later') {
    super(message);
    this.name = 'StoreBusy';
  }
}

interface GuardOptions {
  readonly clock: Clock;
  /** Maximum number of commits that may wait at a time. */
  readonly limit: number;
  /** Called for each finished or failed commit with its duration. */
  readonly onCommit?: (took: Millis) => void;
}

export interface Guarded {
  readonly waiting: number;
  readonly refused: number;
}

/** Adds the limit to the store's `commit`. Returns live counts. */
export function guardCommits(store: Store, { clock, limit, onCommit }: GuardOptions): Guarded {
  const counts = { waiting: 0, refused: 0 };
  const commit = store.commit.bind(store);
  // Overrides the method on the object: a wrapper would have to forward all other methods.
  store.commit = async (changes) => {
    if (counts.waiting >= limit) {
      counts.refused++;
      throw new StoreBusy();
    }
    counts.waiting++;
    const began = clock.now;
    try {
      await commit(changes);
    } finally {
      counts.waiting--;
      onCommit?.(clock.now - began);
    }
  };
  return counts;
}
