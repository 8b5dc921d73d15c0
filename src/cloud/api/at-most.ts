/** Limits how many expensive calls run at a time. */
import { Counts } from '../../kernel/counts.js';
import { ApiFault } from '../http/errors.js';

/** Runs a call of an owner, such as a space or a network, or rejects it if too many are running. */
export type Turns = <T>(owner: string, work: () => Promise<T>) => Promise<T>;

/** Runs at most `all` calls at a time, `each` of one owner; rejects others with 503, so no queue builds up. */
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
  const working = new Counts<string>();
  return async (owner, work) => {
    if (working.increment(owner) > limit) {
      working.decrement(owner);
      throw new ApiFault(503, busy, 'busy');
    }
    try {
      return await work();
    } finally {
      working.decrement(owner);
    }
  };
}
