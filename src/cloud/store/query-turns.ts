/** Turns of queries, or of other work, that share few places. The tenants take turns (fair-queue.ts), so none waits for many of another. */
import type { Clock } from '../../kernel/clock.js';
import { RealClock } from '../../kernel/real-clock.js';
import type { Millis } from '../../kernel/time.js';
import { StoreBusy } from './bounded-commits.js';
import { StoreUnavailable } from './changes.js';
import { FairQueue, type Owner } from './fair-queue.js';

interface QueryTurnsOptions {
  /** How many queries may run at a time: in all, and of one tenant. */
  readonly all: number;
  readonly tenant: number;
  /** Maximum number of waiting queries of a tenant. A query counts even if its request has already ended. Default: any. */
  readonly mostWaiting?: number;
  /** A query that has waited longer when its turn comes is rejected: the places were used by queries that hang. Default: never. */
  readonly longestWait?: Millis;
  /** Default: real time, also in a simulation. */
  readonly clock?: Clock;
}

interface Waiting {
  start(): Promise<void>;
  reject(error: unknown): void;
}

export class QueryTurns {
  readonly #options: QueryTurnsOptions;
  readonly #clock: Clock;
  readonly #queue: FairQueue<Waiting>;

  constructor(options: QueryTurnsOptions) {
    const { all, tenant, clock = new RealClock() } = options;
    this.#options = options;
    this.#clock = clock;
    this.#queue = new FairQueue({ all, tenant: () => tenant, part: all });
  }

  /**
   * Resolves with the result of the query, which begins in its turn.
   * @throws StoreBusy if too many queries of the tenant or part wait; StoreUnavailable `store-slow` if the query has waited too long
   */
  run<T>(owner: Owner, query: () => Promise<T>): Promise<T> {
    const { mostWaiting, longestWait = Number.POSITIVE_INFINITY } = this.#options;
    if (mostWaiting !== undefined && this.#queue.waiting(owner.tenant) >= mostWaiting) {
      return Promise.reject(new StoreBusy('too many long reads of this account are waiting; retry later'));
    }
    if (owner.mostWaiting !== undefined && this.#queue.waiting(owner.tenant, owner.part) >= owner.mostWaiting) {
      return Promise.reject(new StoreBusy('too many reads about unknown things are waiting; retry later'));
    }
    const since = this.#clock.now;
    return new Promise((resolve, reject) => {
      const start = async () => {
        const waited = this.#clock.now - since;
        if (waited > longestWait)
          reject(new StoreUnavailable(new Error(`waited ${waited} ms for a turn`), 'store-slow'));
        else await query().then(resolve, reject);
      };
      this.#queue.add(owner, { start, reject });
      this.#next();
    });
  }

  /** Rejects all waiting queries. */
  rejectAll(error: Error): void {
    for (const { reject } of this.#queue.clear()) reject(error);
  }

  #next(): void {
    for (let turn = this.#queue.start(); turn; turn = this.#queue.start()) {
      const { task, end } = turn;
      const began = this.#clock.now;
      void task.start().then(() => {
        end(this.#clock.now - began);
        this.#next();
      });
    }
  }
}
