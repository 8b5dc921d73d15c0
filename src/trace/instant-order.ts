/**
 * Sorts the events of each instant by serial number, so that the log of a run does not depend on the division of its fleet
 * among threads. The events of one device stay in their order.
 */
import type { Refusal, Trace, TraceEvent } from './events.js';

/** Events of the cloud that belong to no known device come first, in the order of this table. */
const REFUSED: Readonly<Record<Refusal, number>> = {
  unreadable: -4,
  'unknown serial number': -3,
  'wrong tag': -2,
  replayed: -1,
};
const PRUNED = -5;

/**
 * The sort key of an event among the events of its instant: the serial number of its device. Undefined for an event that
 * concerns all devices: such an event is not sorted, and no other event moves past it.
 */
function findPlace(event: TraceEvent): number | undefined {
  if ('serial' in event) return event.serial;
  if (event.kind === 'cloud.refused') return REFUSED[event.why];
  return event.kind === 'cloud.pruned' ? PRUNED : undefined;
}

/** What an {@link InstantOrder} passes events on to. */
interface Next {
  emit(event: TraceEvent, line?: string): void;
}

export class InstantOrder implements Trace {
  readonly #next: Next;
  /** Events of one instant, with their places. */
  #held: { readonly event: TraceEvent; readonly line: string | undefined; readonly place: number }[] = [];

  constructor(next: Next) {
    this.#next = next;
  }

  /** @param line JSON of the event, if it is known */
  emit(event: TraceEvent, line?: string): void {
    const place = findPlace(event);
    if (place === undefined || event.at !== this.#held[0]?.event.at) this.settle();
    if (place === undefined) this.#next.emit(event, line);
    else this.#held.push({ event, line, place });
  }

  /** Sorts the held events and passes them on. */
  settle(): void {
    const held = this.#held;
    if (held.length === 0) return;
    this.#held = [];
    // Most instants have events of one device only.
    if (held.some(({ place }) => place !== held[0]?.place)) held.sort((a, b) => a.place - b.place);
    for (const { event, line } of held) this.#next.emit(event, line);
  }
}
