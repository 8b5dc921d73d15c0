/**
 * What a fault is: a named way in which the network misbehaves. A kind is one file in this folder, listed in index.ts.
 */
import type { Draws } from '../../kernel/random.js';
import type { Instant, Millis } from '../../kernel/time.js';

/** Seen from the device. */
export type Way = 'up' | 'down';

/** What becomes of a datagram: one entry for each copy that arrives, with how much later than now. */
export type Verdict = Millis[];

/** A datagram that passes the hop of a device, and what becomes of it beside its {@link Verdict}. */
export interface Delivery {
  /** Bytes. */
  size: number;
  now: Instant;
  /** When the link of this device and direction has sent what was handed to it before. */
  freeAt: Instant;
  /** A bit that is not what it was, counted from 0; -1: none. */
  flippedBit: number;
}

/** `S`: its options, as plain data with a `kind`. */
export interface FaultKind<S> {
  /** One line for `ghostfleet list faults`. */
  readonly about: string;
  /** Does to the copies of one datagram what the fault does; returns true when anything worth a fact happened. */
  readonly strike: (options: S, verdict: Verdict, draws: Draws, delivery: Delivery) => boolean;
}

/** A fault with when and whom it hits. */
export interface ScheduledFault<S> {
  readonly fault: S;
  readonly from: Instant;
  /** Exclusive; Infinity: for ever. */
  readonly until: Instant;
  readonly way: Way | 'both';
  /** Which devices it hits. */
  readonly hits: (serial: number) => boolean;
}
