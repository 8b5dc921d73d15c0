/** How often something happened in the second in which it happened most. */
import { type Instant, type Millis, seconds } from '../../kernel/time.js';

/** What another cloud does is told a little late: so many seconds are kept open. */
const OPEN = 120;

export class BusiestSecond {
  /** In the order in which they were begun. */
  readonly #counts = new Map<number, number>();
  readonly #warmUp: Millis;
  #most = 0;

  /** @param warmUp what happens earlier does not count */
  constructor(warmUp: Millis) {
    this.#warmUp = warmUp;
  }

  /** 0 when it never happened. */
  get most(): number {
    return this.#most;
  }

  add(at: Instant): void {
    if (at < this.#warmUp) return;
    const second = Math.floor(at / seconds(1));
    const count = (this.#counts.get(second) ?? 0) + 1;
    this.#counts.set(second, count);
    this.#most = Math.max(this.#most, count);
    if (this.#counts.size <= OPEN) return;
    for (const oldest of this.#counts.keys()) {
      this.#counts.delete(oldest);
      return;
    }
  }
}
