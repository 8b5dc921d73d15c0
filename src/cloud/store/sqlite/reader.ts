/**
 * Executes the queries that may read many rows on a thread of its own (reader.mjs), so that they do not block the thread that
 * serves requests. The thread starts with the first query.
 *
 * The thread executes one query at a time, in the turns of query-turns.ts. A query should therefore be short: SqlStore lists
 * messages in steps, with one query for each step.
 */

import { Worker } from 'node:worker_threads';
import { pathFrom } from '../../../kernel/program-files.js';
import type { Owner } from '../fair-queue.js';
import { QueryTurns } from '../query-turns.js';
import type { SqlValue } from '../sql/dialect.js';
import type { PlainError } from './failures.js';

/** Message to the thread. */
export interface Question {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Response of the thread. */
export type Reply = { readonly rows: readonly unknown[] } | { readonly error: PlainError };

interface Running {
  readonly resolve: (rows: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

export class Reader {
  readonly #path: string;
  readonly #turns = new QueryTurns({ all: 1, tenant: 1, mostWaiting: 100 });
  #worker: Worker | undefined;
  #closed = false;
  #running: Running | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Resolves with the rows of a query.
   * @param owner for whom the query reads; the tenants take turns
   * @throws StoreBusy if too many queries of the tenant wait; otherwise the error of SQLite, with its code
   */
  read(owner: Owner, text: string, values: readonly SqlValue[]): Promise<readonly unknown[]> {
    return this.#turns.run(owner, () => this.#ask({ text, values }));
  }

  /** Ends the thread. The running query and the waiting ones are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
    this.#rejectAll(new Error('the store is closed'));
  }

  #ask(question: Question): Promise<readonly unknown[]> {
    if (this.#closed) return Promise.reject(new Error('the store is closed'));
    return new Promise((resolve, reject) => {
      this.#running = { resolve, reject };
      const worker = this.#started();
      worker.ref();
      worker.postMessage(question);
    });
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(pathFrom(import.meta.url, 'reader.mjs'), { workerData: { path: this.#path } });
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
    // An idle thread does not keep the process alive; the next query refers to it again.
    this.#worker?.unref();
    if ('rows' in reply) query?.resolve(reply.rows);
    else query?.reject(reply.error);
  }

  #rejectAll(error: Error): void {
    this.#running?.reject(error);
    this.#running = undefined;
    this.#turns.rejectAll(error);
  }
}
