/** Keeps simulated time still while somebody is at work who makes requests, and lets it pass while he has to wait. */
import type { EdgeClock, Release } from '../kernel/clock.js';

export class Turn {
  readonly #clock: EdgeClock;
  readonly #reason: string;
  #release: Release;

  /** Time stands still from now on. */
  constructor(clock: EdgeClock, reason: string) {
    this.#clock = clock;
    this.#reason = reason;
    this.#release = clock.hold(reason);
  }

  /** Lets time pass, until {@link goOn}. */
  rest(): void {
    this.#release();
  }

  goOn(): void {
    this.#release = this.#clock.hold(this.#reason);
  }

  end(): void {
    this.#release();
  }
}
