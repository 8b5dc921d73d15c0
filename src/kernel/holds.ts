/** Holds: named reasons to wait, such as an open request, during which virtual time stops. A stuck run reports the names. */
import type { Release } from './clock.js';

export class Holds {
  /** Reasons of the open holds by number, in the order in which the holds were taken. */
  readonly #open = new Map<number, string>();
  #taken = 0;
  #ended = 0;
  #waiters: (() => void)[] = [];

  /** Number of open holds. */
  get count(): number {
    return this.#open.size;
  }

  /** Number of holds that have ended so far. */
  get ended(): number {
    return this.#ended;
  }

  /** Opens a hold. */
  take(reason: string): Release {
    const key = this.#taken++;
    this.#open.set(key, reason);
    return () => {
      if (!this.#open.delete(key)) return;
      this.#ended++;
      if (this.#open.size === 0) this.wake();
    };
  }

  /** Resolves when the last open hold ends or {@link wake} is called; the caller then checks again. */
  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resume of waiters) resume();
  }

  /** The reasons with their counts, most frequent first: `store commit (3), api request (1)`. */
  describe(): string {
    const counts = new Map<string, number>();
    for (const reason of this.#open.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    const sorted = [...counts].sort((a, b) => b[1] - a[1]);
    return sorted.map(([reason, count]) => `${reason} (${count})`).join(', ');
  }
}
