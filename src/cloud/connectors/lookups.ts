/**
 * Lookups of the targets' names. The system looks up a few names at a time in threads, and a lookup cannot be ended: it takes some
 * ten seconds if the server of the name is silent. So one tenant looks up one name at a time, and the tenants take turns.
 */
import type { LookupFunction } from 'node:net';
import type { Clock } from '../../kernel/clock.js';
import { QueryTurns } from '../store/query-turns.js';

/** Resolves a name, like `dns.lookup`. */
export type Lookup = LookupFunction;

/** Lookups at a time: half of libuv's four threads look up names. */
const AT_ONCE = { all: 2, tenant: 1 };

type Callback = Parameters<Lookup>[2];
type Found = Parameters<Callback>;
type Waiting = Set<Callback>;

export class Lookups {
  readonly #lookup: Lookup;
  readonly #turns: QueryTurns;
  /** Who waits for the lookups that are waiting or running, by tenant and name. */
  readonly #asked = new Map<string, Waiting>();

  constructor(lookup: Lookup, clock: Clock) {
    this.#lookup = lookup;
    this.#turns = new QueryTurns({ ...AT_ONCE, clock });
  }

  /** The lookup of a request, which stops waiting when the signal is aborted. A lookup for which none waits does not begin. */
  of(tenant: string, signal: AbortSignal): Lookup {
    return (hostname, options, callback) => {
      const key = JSON.stringify([tenant, hostname, options]);
      const asked = this.#asked.get(key);
      const waiting: Waiting = asked ?? new Set();
      waiting.add(callback);
      signal.addEventListener('abort', () => waiting.delete(callback));
      if (asked) return;
      this.#asked.set(key, waiting);
      const found = () => new Promise<Found>((resolve) => this.#lookup(hostname, options, (...all) => resolve(all)));
      void this.#turns.run({ tenant, part: '' }, async () => {
        const answer = waiting.size > 0 ? await found() : undefined;
        this.#asked.delete(key);
        if (answer) for (const each of waiting) each(...answer);
      });
    };
  }
}
