/**
 * Turns of work that many requests of a tenant may have at once: in a turn of the event loop, one piece of it runs at most, or
 * several short ones, and the tenants take turns. Then others have their time, so their requests wait for one piece at most.
 * Without this, reads of SQLite follow each other without an end, because their promises are settled at once.
 */
import { append } from '../../kernel/append.js';
import type { Clock } from '../../kernel/clock.js';
import { RealClock } from '../../kernel/real-clock.js';
import { endOfPromises, endOfTurn } from '../../kernel/real-timers.js';
import type { Millis } from '../../kernel/time.js';
import type { Id } from './store.js';

/**
 * Most turns of the event loop from one piece to the next. Node accepts one connection in each, so that a new client does not
 * wait for a piece of work for every client before it.
 */
const TURNS_BETWEEN = 8;

/** Pieces that take less time together run in one turn of the event loop. */
const SHORT: Millis = 1;

export class LoopTurns {
  readonly #clock: Pick<Clock, 'now'>;
  /** What waits, by tenant; the first tenant is next. */
  readonly #waiting = new Map<Id, (() => void)[]>();
  #isRunning = false;

  /** @param clock default: real time, also in a simulation */
  constructor(clock: Pick<Clock, 'now'> = new RealClock()) {
    this.#clock = clock;
  }

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
      const began = this.#clock.now;
      let took = 0;
      while (took < SHORT && this.#waiting.size > 0) {
        this.#beginNext();
        await endOfPromises();
        took = this.#clock.now - began;
      }
      // Others get as much time as the pieces took. In a busy service, eight turns would be much more.
      const until = this.#clock.now + took;
      for (let turn = 0; turn === 0 || (turn < TURNS_BETWEEN && this.#clock.now < until); turn++) await endOfTurn();
    }
    this.#isRunning = false;
  }

  #beginNext(): void {
    for (const [tenant, waiting] of this.#waiting) {
      const begin = waiting.shift();
      this.#waiting.delete(tenant);
      if (waiting.length > 0) this.#waiting.set(tenant, waiting);
      return begin?.();
    }
  }
}
