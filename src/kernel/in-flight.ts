/**
 * Holds virtual time while datagrams are on a real wire.
 *
 * Both ends of a UDP socket pair share one of these per direction: the sender reports a departure, the receiver an
 * arrival, and virtual time is held in between. So a run over UDP has the same events as one in memory.
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
