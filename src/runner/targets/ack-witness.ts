/**
 * Watches whether the embedded cloud stores what it acknowledges over FLAP. FLAP itself can lose a message: an
 * acknowledgement carries a sequence number and nothing else, so that one that arrives late may match the number of a new
 * packet (docs/FIDELITY.md). Such a loss looks the same to the device, but is not a fault of the cloud.
 */
import type { Trace } from '../../trace/events.js';

export class AckWitness {
  /** Devices of which a message has been stored and is not acknowledged yet. */
  readonly #stored = new Set<number>();
  readonly #unstored = new Map<number, number>();

  /** Returns a trace that notes stored messages and forwards all events to `to`. */
  listening(to: Trace): Trace {
    return {
      emit: (event) => {
        if (event.kind === 'cloud.stored') this.#stored.add(event.serial);
        // A message whose acknowledgement was lost with the process must not excuse a later one.
        else if (event.kind === 'service.process') this.#stored.clear();
        to.emit(event);
      },
    };
  }

  /** Notes that the gateway acknowledges a complete message. */
  acknowledged(serial: number): void {
    if (!this.#stored.delete(serial)) this.#unstored.set(serial, this.unstored(serial) + 1);
  }

  /** How many messages of the device the cloud has acknowledged without storing them. */
  unstored(serial: number): number {
    return this.#unstored.get(serial) ?? 0;
  }
}
