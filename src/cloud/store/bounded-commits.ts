/**
 * Bounds what waits to be written. A store that has fallen behind answers "busy" at once, which a client understands as
 * "later" and a device as a lost packet; a queue without an end would answer everybody too late, and then run out of memory.
 */
import type { Clock } from '../../kernel/clock.js';
import type { Millis } from '../../kernel/time.js';
import type { Store } from './store.js';

/** A commit was not even tried: too many wait. Nothing was written. */
export class StoreBusy extends Error {
  constructor() {
    super('too much waits to be written: try again');
    this.name = 'StoreBusy';
  }
}

interface GuardOptions {
  readonly clock: Clock;
  /** How many commits may wait at a time. */
  readonly limit: number;
  /** Called for each one that was written or has failed, with the time that it took. */
  readonly onCommit?: (took: Millis) => void;
}

export interface Guarded {
  readonly waiting: number;
  readonly refused: number;
}

/** Puts the limit on the store's `commit`. Returns the counts, which go on changing. */
export function guardCommits(store: Store, { clock, limit, onCommit }: GuardOptions): Guarded {
  const counts = { waiting: 0, refused: 0 };
  const commit = store.commit.bind(store);
  // An own method before that of the class: a wrapper would have to repeat all the others to say something about this one.
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
