/** Limits how many tasks run at once; the others wait and start in the order of their calls. */
export class Semaphore {
  #free: number;
  #waiting: (() => void)[] = [];
  /** Index of the first task that still waits. */
  #next = 0;

  /** @param permits tasks that may run at once */
  constructor(permits: number) {
    this.#free = permits;
  }

  /** Number of tasks that wait for a permit. */
  get waiting(): number {
    return this.#waiting.length - this.#next;
  }

  /**
   * Calls `begin` as soon as there is a permit, synchronously if one is free. The task returns the permit with {@link
   * release}.
   */
  acquire(begin: () => void): void {
    if (this.#free === 0) {
      this.#waiting.push(begin);
      return;
    }
    this.#free--;
    begin();
  }

  release(): void {
    const begin = this.#waiting[this.#next];
    if (begin === undefined) {
      this.#free++;
      return;
    }
    // Started tasks are removed in bulk: `shift` for each would move the rest of the array every time.
    if (++this.#next * 2 >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    begin();
  }
}
