import type { EdgeClock, Release } from './clock.js';

/** Stops virtual time for one caller until {@link end}, except between {@link suspend} and {@link resume}. */
export class ClockHold {
  readonly #clock: EdgeClock;
  readonly #reason: string;
  #release: Release;

  /** @param reason shown in the error if the run is stuck */
  constructor(clock: EdgeClock, reason: string) {
    this.#clock = clock;
    this.#reason = reason;
    this.#release = clock.hold(reason);
  }

  /** Lets time pass until {@link resume}. */
  suspend(): void {
    this.#release();
  }

  resume(): void {
    this.#release = this.#clock.hold(this.#reason);
  }

  end(): void {
    this.#release();
  }
}
