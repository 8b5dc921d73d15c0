/** The lock of the connection: held by one exchange after another, in the order of asking (timing T-19, T-25). */
import type { Alarm, Clock } from '../../kernel/clock.js';
import type { Millis } from '../../kernel/time.js';

interface Waiter {
  readonly granted: () => void;
  readonly limit: Alarm | undefined;
}

/** No waiters: one array for all devices. */
const NONE: readonly Waiter[] = [];

export class CloudLock {
  #held = false;
  #waiters = NONE;

  /** Whether an exchange holds the lock. */
  get held(): boolean {
    return this.#held;
  }

  /**
   * Calls `granted` when the caller holds the lock, at once if it is free; calls `refused` if it is not free within `limit`
   * (error −11).
   * @param limit longest wait; Infinity for no limit
   * @param clock a parameter, not a field, because each of up to 100,000 locks would have the field
   */
  take(clock: Clock, limit: Millis, granted: () => void, refused: () => void): void {
    if (!this.#held) {
      this.#held = true;
      return granted();
    }
    const waiter: Waiter = {
      granted,
      limit: Number.isFinite(limit)
        ? clock.after(limit, 'the lock of the cloud connection', () => {
            this.#waiters = this.#waiters.filter((other) => other !== waiter);
            refused();
          })
        : undefined,
    };
    this.#waiters = [...this.#waiters, waiter];
  }

  /** Passes the lock to the next waiter; frees the lock if there is none. */
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
