/**
 * Watches whether the embedded cloud stores what it acknowledges over FLAP. FLAP itself can lose a message: an
 * acknowledgement carries a sequence number and nothing else, so that one that arrives late may match the number of a new
 * packet (docs/FIDELITY.md). Such a loss looks the same to the device, but is not a fault of the cloud.
 */
import type { Clock } from '../../kernel/clock.js';
import type { Trace, TraceEvent } from '../../trace/events.js';

/** Passes on all events of the cloud, and adds one for each acknowledgement without a stored message. */
export class AckWitness implements Trace {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #next: Trace;
  /** Devices of which a message has been stored and is not acknowledged yet. */
  readonly #stored = new Set<number>();

  constructor(clock: Pick<Clock, 'now'>, next: Trace) {
    this.#clock = clock;
    this.#next = next;
  }

  emit(event: TraceEvent): void {
    if (event.kind === 'cloud.stored') this.#stored.add(event.serial);
    // A message whose acknowledgement was lost with the process must not excuse a later one.
    else if (event.kind === 'service.process') this.#stored.clear();
    this.#next.emit(event);
  }

  /** Notes that the gateway acknowledges a complete message. */
  acknowledged(serial: number): void {
    if (!this.#stored.delete(serial)) this.#next.emit({ kind: 'cloud.unstored', at: this.#clock.now, serial });
  }
}
