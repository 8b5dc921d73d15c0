/** Limits how many expensive calls run at a time. */
import { Counts } from '../../kernel/counts.js';
import { ApiFault } from '../http/errors.js';
import { QueryTurns } from '../store/query-turns.js';

/** Runs a call of an owner, such as a space or a network, or rejects it if too many are running. */
export type Turns = <T>(owner: string, work: () => Promise<T>) => Promise<T>;

/** Runs at most `all` calls at a time. The owners take turns, so that a few of them do not keep the others out. */
export function inTurn({ all, each }: { readonly all: number; readonly each: number }, busy: string): Turns {
  const atMost = atMostEach(each, busy);
  const turns = new QueryTurns({ all, tenant: each });
  return (owner, work) => atMost(owner, () => turns.run({ tenant: owner, part: '' }, work));
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
