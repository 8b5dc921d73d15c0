/**
 * Turns of work that many requests of a tenant may have at once: in a turn of the event loop, one piece of it runs at most, and
 * the tenants take turns. So the requests of others wait for one piece at most. Without this, reads of SQLite follow each other
 * without an end, because their promises are settled at once.
 */
import { append } from '../../kernel/append.js';
import { endOfTurn } from '../../kernel/real-timers.js';
import type { Id } from './store.js';

/**
 * Turns of the event loop from one piece to the next. Node accepts one connection in each, so that a new client does not wait for
 * a piece of work for every client before it.
 */
const TURNS_BETWEEN = 8;

export class LoopTurns {
  /** What waits, by tenant; the first tenant is next. */
  readonly #waiting = new Map<Id, (() => void)[]>();
  #isRunning = false;

  /** Resolves when the caller may do a piece of work, of some milliseconds. */
  next(tenant: Id): Promise<void> {
    return new Promise((resolve) => {
      append(this.#waiting, tenant, resolve);
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.size > 0) {
      for (const [tenant, waiting] of this.#waiting) {
        const begin = waiting.shift();
        this.#waiting.delete(tenant);
        if (waiting.length > 0) this.#waiting.set(tenant, waiting);
        begin?.();
        for (let turn = 0; turn < TURNS_BETWEEN; turn++) await endOfTurn();
      }
    }
    this.#isRunning = false;
  }
}
