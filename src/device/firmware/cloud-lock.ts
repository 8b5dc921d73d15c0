/**
 * The lock of the cloud connection: the session phase, reports, polls and firmware requests hold it one after another
 * (firmware timing, 1 and 5). Waiters get it in the order in which they asked for it.
 */
import type { Alarm, Clock } from '../../kernel/clock.js';
import type { Millis } from '../../kernel/time.js';

interface Waiter {
  readonly granted: () => void;
  readonly limit: Alarm | undefined;
}

/** Most of the time nothing waits, and that is the same array for all devices. */
const NONE: readonly Waiter[] = [];

export class CloudLock {
  readonly #clock: Clock;
  #held = false;
  #waiters = NONE;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether something holds it. */
  get held(): boolean {
    return this.#held;
  }

  /**
   * Calls `granted` with the lock held, at once if it is free; or `refused` if it does not become free in time (−11).
   * @param limit Infinity for none
   */
  take(limit: Millis, granted: () => void, refused: () => void): void {
    if (!this.#held) {
      this.#held = true;
      return granted();
    }
    const waiter: Waiter = {
      granted,
      limit: Number.isFinite(limit)
        ? this.#clock.after(limit, 'the lock of the cloud connection', () => {
            this.#waiters = this.#waiters.filter((other) => other !== waiter);
            refused();
          })
        : undefined,
    };
    this.#waiters = [...this.#waiters, waiter];
  }

  /** Hands the lock to the next waiter. */
  release(): void {
    const [next, ...rest] = this.#waiters;
    if (next === undefined) {
      this.#held = false;
      return;
    }
    this.#waiters = rest.length === 0 ? NONE : rest;
    next.limit?.cancel();
    next.granted();
  }

  /** The RAM is lost: no waiter is called. */
  clear(): void {
    for (const { limit } of this.#waiters) limit?.cancel();
    this.#waiters = NONE;
  }
}
