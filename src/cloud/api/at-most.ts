/** Limits how many expensive calls run at a time. */
import { ApiFault } from '../http/errors.js';

/** Runs a call of an owner, such as a space or a network, or rejects it if too many are running. */
export type Turns = <T>(owner: string, work: () => Promise<T>) => Promise<T>;

/**
 * Runs at most `all` calls at a time, at most `each` of them for one owner, and rejects all others with 503, so that no queue
 * builds up. An owner can therefore not take all turns from the others.
 */
export function atMost({ all, each }: { readonly all: number; readonly each: number }, busy: string): Turns {
  const withTurn = atMostEach(each, busy);
  let working = 0;
  return (owner, work) =>
    withTurn(owner, async () => {
      if (working >= all) throw new ApiFault(503, busy, 'busy');
      working++;
      try {
        return await work();
      } finally {
        working--;
      }
    });
}

/** Runs at most `limit` calls of each owner at a time, and rejects all others with 503. */
export function atMostEach(limit: number, busy: string): Turns {
  const working = new Map<string, number>();
  return async (owner, work) => {
    if (increment(working, owner) > limit) {
      decrement(working, owner);
      throw new ApiFault(503, busy, 'busy');
    }
    try {
      return await work();
    } finally {
      decrement(working, owner);
    }
  };
}

function decrement(counts: Map<string, number>, name: string): void {
  const count = (counts.get(name) ?? 1) - 1;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}

function increment(counts: Map<string, number>, name: string): number {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count;
}
