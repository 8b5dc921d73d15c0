/** Counts events by second, and keeps the highest count. */
import { type Instant, type Millis, seconds } from '../../kernel/time.js';

/** Number of seconds whose counts are kept, because events of another cloud arrive late. */
const OPEN = 120;

export class BusiestSecond {
  /** Count by second, in the order of the first event of each second. */
  readonly #counts = new Map<number, number>();
  readonly #warmUp: Millis;
  #most = 0;

  /** @param warmUp events before this instant do not count */
  constructor(warmUp: Millis) {
    this.#warmUp = warmUp;
  }

  /** The highest count of a second; 0 without events. */
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
