/** A network fault: each kind is one file in this folder, listed in index.ts. */
import type { Draws } from '../../kernel/random.js';
import type { Instant, Millis } from '../../kernel/time.js';

/** Direction, seen from the device. */
export type Way = 'up' | 'down';

/** The delays of a datagram: one entry per copy that arrives, relative to now; empty if it is lost. */
export type Verdict = Millis[];

/** The datagram to which a fault is applied. A fault may change these fields, in addition to the {@link Verdict}. */
export interface Delivery {
  /** Bytes. */
  size: number;
  now: Instant;
  /** When the link of this device and direction has sent all earlier datagrams. */
  freeAt: Instant;
  /** Index of a flipped bit, from 0; -1 for none. */
  flippedBit: number;
}

/** A kind of fault. `S`: its options, as plain data with a `kind`. */
export interface FaultKind<S> {
  /** Set for a kind that lets later datagrams overtake the one that it delays. */
  readonly overtakes?: true;
  /** Applies the fault to one datagram; returns true if that is an event for the trace. */
  readonly strike: (options: S, verdict: Verdict, draws: Draws, delivery: Delivery) => boolean;
}

/** A fault with its time window and devices. */
export interface ScheduledFault<S> {
  readonly fault: S;
  readonly from: Instant;
  /** Exclusive; Infinity for a fault without end. */
  readonly until: Instant;
  readonly way: Way | 'both';
  /** Whether it affects the device with this serial number. */
  readonly hits: (serial: number) => boolean;
}
