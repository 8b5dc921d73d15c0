/** Limits how many tasks run at once; the others wait and start in the order of their calls. */
export class Semaphore {
  #free: number;
  #waiting: (() => void)[] = [];
  /** Index of the first task that still waits. */
  #next = 0;
  #starting = false;

  /** @param permits tasks that may run at once */
  constructor(permits: number) {
    this.#free = permits;
  }

  get waiting(): number {
    return this.#waiting.length - this.#next;
  }

  /** Calls `begin` when there is a permit, at once if one is free. {@link release} returns it. */
  acquire(begin: () => void): void {
    if (this.#free === 0 || this.#starting) {
      this.#waiting.push(begin);
      return;
    }
    this.#free--;
    begin();
  }

  /** Starts waiting tasks in a loop: a task that is over at once would otherwise start the next one within itself. */
  release(): void {
    this.#free++;
    if (this.#starting) return;
    this.#starting = true;
    try {
      while (this.#free > 0 && this.waiting > 0) this.#startNext();
    } finally {
      this.#starting = false;
    }
  }

  #startNext(): void {
    const begin = this.#waiting[this.#next];
    // Started tasks are removed in bulk: `shift` for each would move the rest of the array every time.
    if (++this.#next * 2 >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    this.#free--;
    begin?.();
  }
}
