/** As much at once as there are lanes: the rest waits, and takes its turn in the order in which it came. */
export class Lanes {
  #free: number;
  #waiting: (() => void)[] = [];
  /** Those before it have had their turn. */
  #next = 0;

  constructor(lanes: number) {
    this.#free = lanes;
  }

  /** How many wait for a lane. */
  get waiting(): number {
    return this.#waiting.length - this.#next;
  }

  /** Calls `begin` as soon as there is a lane for it, at once if one is free. It is left with {@link leave}. */
  enter(begin: () => void): void {
    if (this.#free === 0) {
      this.#waiting.push(begin);
      return;
    }
    this.#free--;
    begin();
  }

  leave(): void {
    const begin = this.#waiting[this.#next];
    if (begin === undefined) {
      this.#free++;
      return;
    }
    // Not one after the other: each would move all that are behind it.
    if (++this.#next * 2 >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    begin();
  }
}
