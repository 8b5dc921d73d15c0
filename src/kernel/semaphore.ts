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

  get waiting(): number {
    return this.#waiting.length - this.#next;
  }

  /** Calls `begin` when there is a permit, at once if one is free. {@link release} returns it. */
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
