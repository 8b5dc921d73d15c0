/** Turns of queries that may read many rows. Few run at a time, and tenants take turns, so none waits for many of another. */
import { append } from '../../kernel/append.js';
import { Counts } from '../../kernel/counts.js';
import { StoreBusy } from './bounded-commits.js';
import type { Id } from './rows.js';

/** How many queries may run at a time: in all, and of one tenant. */
interface Places {
  readonly all: number;
  readonly tenant: number;
}

interface Waiting {
  start(): Promise<void>;
  reject(error: unknown): void;
}

/** Maximum number of waiting queries of a tenant. A waiting query counts even if its request has already ended. */
const MOST_WAITING = 100;

export class ScanTurns {
  readonly #places: Places;
  /** Waiting queries by tenant; the first tenant has the next turn, unless it uses all its places. */
  readonly #waiting = new Map<Id, Waiting[]>();
  /** Number of running queries by tenant. */
  readonly #running = new Counts<Id>();
  #used = 0;

  constructor(places: Places) {
    this.#places = places;
  }

  /** Resolves with the result of the query, which begins in its turn. @throws StoreBusy if too many queries of the tenant wait */
  run<T>(tenant: Id, query: () => Promise<T>): Promise<T> {
    if ((this.#waiting.get(tenant)?.length ?? 0) >= MOST_WAITING) {
      return Promise.reject(new StoreBusy('too many long reads of this account are waiting; retry later'));
    }
    return new Promise((resolve, reject) => {
      const entry = { start: () => query().then(resolve, reject), reject };
      append(this.#waiting, tenant, entry);
      this.#next();
    });
  }

  /** Rejects all waiting queries. */
  rejectAll(error: Error): void {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const { reject } of all) reject(error);
  }

  #next(): void {
    for (const [tenant, queries] of this.#waiting) {
      if (this.#used >= this.#places.all) return;
      if (this.#running.of(tenant) >= this.#places.tenant) continue;
      const query = queries.shift();
      this.#waiting.delete(tenant);
      // A tenant with more queries waits behind the others.
      if (queries.length > 0) this.#waiting.set(tenant, queries);
      if (query) this.#begin(tenant, query);
    }
  }

  #begin(tenant: Id, query: Waiting): void {
    this.#used++;
    this.#running.increment(tenant);
    void query.start().then(() => {
      this.#used--;
      this.#running.decrement(tenant);
      this.#next();
    });
  }
}
