/** A fault as the transport applies it. The kinds of faults are in scenario/faults/. */
import type { Draws } from '../../kernel/random.js';
import type { Instant, Millis } from '../../kernel/time.js';
import type { LinkFormat } from '../../protocol/flap/envelope.js';
import type { DatagramSign } from '../../trace/events.js';

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
  /** Returns a copy of the datagram with other bytes; undefined if the datagram arrives as it was sent. */
  damage: ((datagram: Uint8Array, format: LinkFormat) => Uint8Array) | undefined;
}

/** Applies a fault to one datagram; returns true if that is an event for the trace. */
type Strike = (verdict: Verdict, draws: Draws, delivery: Delivery) => boolean;

/** A fault with its time window and devices. */
export interface ScheduledFault {
  readonly strike: Strike;
  /** Name in `net.fault` events; null if the fault causes none. */
  readonly sign: DatagramSign | null;
  /** Whether later datagrams may overtake the one that the fault delays. */
  readonly overtakes: boolean;
  /** Faults are applied to a datagram by ascending rank. */
  readonly rank: number;
  readonly from: Instant;
  /** Exclusive; Infinity for a fault without end. */
  readonly until: Instant;
  readonly way: Way | 'both';
  /** Whether it affects the device with this serial number. */
  readonly hits: (serial: number) => boolean;
}
