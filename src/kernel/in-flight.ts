/**
 * Holds virtual time while datagrams are on a real wire.
 *
 * The two ends of a pair of UDP sockets share one object for each direction. The sender reports a departure, the
 * receiver an arrival; virtual time is held in between. So a run over UDP has the same events as one in memory.
 */
import type { EdgeClock, Release } from './clock.js';

export class InFlight {
  readonly #clock: EdgeClock;
  readonly #what: string;
  readonly #open: Release[] = [];

  /** @param what name of the hold, such as `datagram to the gateway` */
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
