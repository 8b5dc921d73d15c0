/** Limits how many expensive calls run at a time. */
import { ApiFault } from '../http/errors.js';

/** Runs a call, or rejects it if too many are running. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs at most `limit` calls at a time and rejects all others with 503, so that no queue builds up. */
export function atMost(limit: number, busy: string): Turns {
  let working = 0;
  return async (work) => {
    if (working >= limit) throw new ApiFault(503, busy, 'busy');
    working++;
    try {
      return await work();
    } finally {
      working--;
    }
  };
}

/** Like {@link atMost}, with a limit of its own for each owner, such as a space. */
export function atMostEach(limit: number, busy: string): <T>(owner: string, work: () => Promise<T>) => Promise<T> {
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
