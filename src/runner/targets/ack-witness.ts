/**
 * Checks that the embedded cloud stores every message that it acknowledges over FLAP. FLAP itself can lose a message, too: an
 * acknowledgement carries only a sequence number, so a late acknowledgement may match the number of a new packet
 * (docs/FIDELITY.md). For the device, such a loss looks like a loss in the cloud, but the cloud has not acknowledged the
 * message.
 */
import type { Clock } from '../../kernel/clock.js';
import type { Trace, TraceEvent } from '../../trace/events.js';

/** Passes on all events of the cloud, and adds one for each acknowledgement without a stored message. */
export class AckWitness implements Trace {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #next: Trace;
  /** Devices with a message that the cloud has stored and not yet acknowledged. */
  readonly #stored = new Set<number>();

  constructor(clock: Pick<Clock, 'now'>, next: Trace) {
    this.#clock = clock;
    this.#next = next;
  }

  emit(event: TraceEvent): void {
    if (event.kind === 'cloud.stored') this.#stored.add(event.serial);
    // Without this, a message that was stored before a restart and never acknowledged would hide the loss of the next one.
    else if (event.kind === 'service.process') this.#stored.clear();
    this.#next.emit(event);
  }

  /** Notes that the gateway acknowledges a complete message. */
  acknowledged(serial: number): void {
    if (!this.#stored.delete(serial)) this.#next.emit({ kind: 'cloud.unstored', at: this.#clock.now, serial });
  }
}
