/**
 * Executes the queries that may read many rows on a thread of its own (reader.mjs), so that they do not block the thread that
 * serves requests. The thread starts with the first query.
 *
 * The thread executes one query at a time, and takes turns between the spaces: a space with many queries delays the others by
 * one query each. A query should therefore be short: SqlStore lists messages in steps, with one query for each step.
 */
import { Worker } from 'node:worker_threads';
import { StoreBusy } from '../bounded-commits.js';
import type { Id } from '../rows.js';
import type { SqlValue } from '../sql/dialect.js';
import type { PlainError } from './failures.js';

/** Message to the thread. */
export interface Question {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Response of the thread. */
export type Reply = { readonly rows: readonly unknown[] } | { readonly error: PlainError };

interface Waiting extends Question {
  readonly resolve: (rows: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum number of waiting queries of a space. A waiting query counts even if its request has already ended. */
const MOST_WAITING = 100;

export class Reader {
  readonly #path: string;
  #worker: Worker | undefined;
  #closed = false;
  /** Waiting queries by space; the first space has the next turn. */
  readonly #waiting = new Map<Id, Waiting[]>();
  #running: Waiting | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Resolves with the rows of a query.
   * @param space space of the query; the spaces take turns
   * @throws StoreBusy if too many queries of the space wait; otherwise the error of SQLite, with its code
   */
  read(space: Id, text: string, values: readonly SqlValue[]): Promise<readonly unknown[]> {
    if (this.#closed) return Promise.reject(new Error('the store is closed'));
    const others = this.#waiting.get(space);
    if ((others?.length ?? 0) >= MOST_WAITING) {
      return Promise.reject(new StoreBusy('too many long reads of this space are waiting; retry later'));
    }
    return new Promise((resolve, reject) => {
      const query = { text, values, resolve, reject };
      if (others) others.push(query);
      else this.#waiting.set(space, [query]);
      this.#next();
    });
  }

  /** Ends the thread. The running query and the waiting ones are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
    this.#rejectAll(new Error('the store is closed'));
  }

  #next(): void {
    const [turn] = this.#waiting;
    if (this.#running || turn === undefined) return;
    const [space, queries] = turn;
    const query = queries.shift();
    this.#waiting.delete(space);
    // A space with more queries waits behind the other spaces.
    if (queries.length > 0) this.#waiting.set(space, queries);
    if (query === undefined) return this.#next();
    this.#running = query;
    const worker = this.#started();
    worker.ref();
    worker.postMessage({ text: query.text, values: query.values } satisfies Question);
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./reader.mjs', import.meta.url), { workerData: { path: this.#path } });
    worker.on('message', (reply: Reply) => this.#answered(reply));
    worker.on('error', (error) => {
      // The next query starts another thread.
      this.#worker = undefined;
      this.#rejectAll(error);
    });
    this.#worker = worker;
    return worker;
  }

  #answered(reply: Reply): void {
    const query = this.#running;
    this.#running = undefined;
    // An idle thread does not keep the process alive.
    if (this.#waiting.size === 0) this.#worker?.unref();
    if ('rows' in reply) query?.resolve(reply.rows);
    else query?.reject(reply.error);
    this.#next();
  }

  #rejectAll(error: Error): void {
    const queries = [...(this.#running ? [this.#running] : []), ...[...this.#waiting.values()].flat()];
    this.#running = undefined;
    this.#waiting.clear();
    for (const { reject } of queries) reject(error);
  }
}
