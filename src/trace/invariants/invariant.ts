/**
 * What an invariant is: something that must hold all the time, watched while the trace goes by. One of them a file in this
 * folder, listed in index.ts.
 *
 * A watch keeps what is open, and forgets what is closed: its memory is bounded by device, whatever the length of a run.
 */
import type { Instant } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import type { TraceEvent } from '../events.js';

export interface Invariant {
  /** One line for `ghostfleet list invariants`: what is counted, as a rule that holds. */
  readonly about: string;
  /** Begins to watch. */
  readonly watch: (broken: Violations) => InvariantWatch;
}

interface InvariantWatch {
  readonly on: Handlers;
  /** The trace is over: what is still open can be judged. */
  end?(): void;
}

/** A counter-example. */
export interface Violation {
  readonly at: Instant;
  readonly serial: number;
  /** What was wrong, as the rest of a sentence about the device: `stored uplink 5 for the second time`. */
  readonly what: string;
  /** The events that show it, in order of time. */
  readonly events: readonly TraceEvent[];
}

/** Counts violations, and keeps the earliest. */
export class Violations {
  count = 0;
  first: Violation | undefined;

  add(violation: Violation): void {
    this.count++;
    if (this.first === undefined || violation.at < this.first.at) this.first = violation;
  }
}

/** Puts `item` behind the others of a device, and lets the oldest go that are more than `most`. */
export function remember<T>(byDevice: Map<number, T[]>, serial: number, item: T, most: number): void {
  const known = byDevice.get(serial);
  if (known === undefined) byDevice.set(serial, [item]);
  else {
    known.push(item);
    if (known.length > most) known.shift();
  }
}
