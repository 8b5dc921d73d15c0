/**
 * Holds virtual time while datagrams are on a real wire.
 *
 * The two ends of a pair of UDP sockets share one object for each direction. The sender reports a departure, the receiver an
 * arrival; virtual time is held in between. So a run over UDP has the same events as one in memory. Another program may send to
 * the ports of a run, too: without a reported departure, its datagrams have no effect on the hold.
 */
import type { EdgeClock, Release } from './clock.js';

export class InFlight {
  readonly #clock: EdgeClock;
  readonly #what: string;
  readonly #open: { readonly datagram: Uint8Array; readonly release: Release }[] = [];

  /** @param what name of the hold, such as `datagram to the gateway` */
  constructor(clock: EdgeClock, what: string) {
    this.#clock = clock;
    this.#what = what;
  }

  departed(datagram: Uint8Array): void {
    this.#open.push({ datagram, release: this.#clock.hold(this.#what) });
  }

  /** @returns the function to call when the datagram has been processed; undefined for a datagram of another program */
  arrived(datagram: Uint8Array): Release | undefined {
    const index = this.#open.findIndex((departed) => Buffer.compare(departed.datagram, datagram) === 0);
    return index < 0 ? undefined : this.#open.splice(index, 1)[0]?.release;
  }
}

/** Make simulated time wait for datagrams that travel on real sockets. */
export interface Wires {
  readonly toCloud: InFlight;
  readonly toDevices: InFlight;
}
