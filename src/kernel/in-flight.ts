/**
 * Datagrams on a real wire while simulated time stands still.
 *
 * Both ends of a UDP socket pair share one of these per direction: the sender reports a departure, the receiver an
 * arrival, and time waits in between. That is why a run over UDP takes the same course as one in memory.
 */
import type { EdgeClock, Release } from './clock.js';

export class InFlight {
  readonly #clock: EdgeClock;
  readonly #what: string;
  readonly #open: Release[] = [];

  /** @param what names the wait: `datagram to the gateway` */
  constructor(clock: EdgeClock, what: string) {
    this.#clock = clock;
    this.#what = what;
  }

  departed(): void {
    this.#open.push(this.#clock.hold(this.#what));
  }

  arrived(): void {
    this.#open.shift()?.();
  }
}
