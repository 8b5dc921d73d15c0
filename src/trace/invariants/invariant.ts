/**
 * The interface of invariants. An invariant is a rule that must hold throughout a run; it is checked event by event. Each
 * invariant is a file in this folder, listed in index.ts.
 *
 * A watch keeps only what is still open, such as an unanswered downlink, so that its memory per device is bounded for a run of
 * any length.
 */
import type { Instant } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import type { TraceEvent } from '../events.js';

export interface Invariant {
  /** The rule in one line, for `ghostfleet list invariants`. */
  readonly about: string;
  /** Starts a watch that adds violations to `broken`. */
  readonly watch: (broken: Violations, acks: SeenAcks) => InvariantWatch;
}

/**
 * Whether the trace shows which lost messages the cloud has acknowledged. `seen`: each such message causes a `cloud.unstored`.
 * `certain`: the trace has no such events, but each acknowledgement that a device has received came from the cloud. This holds
 * over HTTP, where a response belongs to exactly one request. `unseen`: the trace of a run against another cloud does not show
 * it.
 *
 * Except for `unseen`, `again` of `cloud.stored` shows that a data message has the content of an earlier one, unless the order
 * of the events already shows to which uplink the message belongs.
 */
export type SeenAcks = 'seen' | 'certain' | 'unseen';

interface InvariantWatch {
  readonly on: Handlers;
  /** Judges the items that are still open at the end of the trace. */
  end?(): void;
}

export interface Violation {
  readonly at: Instant;
  readonly serial: number;
  /** What was wrong, as a clause: `uplink 5 was stored again`. */
  readonly what: string;
  /** The events that show it, in chronological order. */
  readonly events: readonly TraceEvent[];
}

export interface ProtocolCases {
  readonly count: number;
  readonly first: Violation;
}

/** Counts violations, and keeps the earliest. */
export class Violations {
  count = 0;
  first: Violation | undefined;
  /** Cases that the protocol itself causes. They are counted separately, because no cloud can avoid them. */
  byProtocol: ProtocolCases | undefined;

  add(violation: Violation): void {
    this.count++;
    if (this.first === undefined || violation.at < this.first.at) this.first = violation;
  }

  addByProtocol(violation: Violation): void {
    const { count = 0, first = violation } = this.byProtocol ?? {};
    this.byProtocol = { count: count + 1, first: violation.at < first.at ? violation : first };
  }
}

/** Appends `item` to the list of a device, and removes the oldest item when there are more than `most`. */
export function remember<T>(byDevice: Map<number, T[]>, serial: number, item: T, most: number): void {
  const known = byDevice.get(serial);
  if (known === undefined) byDevice.set(serial, [item]);
  else {
    known.push(item);
    if (known.length > most) known.shift();
  }
}
