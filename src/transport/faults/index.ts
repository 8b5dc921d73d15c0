/** All kinds of faults, in the order in which they are applied to a datagram. */
import type { Draws } from '../../kernel/random.js';
import { bandwidth } from './bandwidth.js';
import { corruption } from './corruption.js';
import { duplication } from './duplication.js';
import type { Delivery, FaultKind, Verdict } from './fault.js';
import { jitter } from './jitter.js';
import { latency } from './latency.js';
import { loss } from './loss.js';
import { outage } from './outage.js';
import { reorder } from './reorder.js';

export const FAULT_KINDS = { outage, loss, corruption, duplication, bandwidth, latency, jitter, reorder };

type SpecOf<K> = K extends FaultKind<infer S> ? S : never;
/** A fault with its options, as plain data. */
export type FaultSpec = SpecOf<(typeof FAULT_KINDS)[keyof typeof FAULT_KINDS]>;

/** Whether a fault lets later datagrams overtake the one that it delays. */
export function overtakes(fault: FaultSpec): boolean {
  const kind: FaultKind<never> = FAULT_KINDS[fault.kind];
  return kind.overtakes === true;
}

/** Applies a fault to a datagram; true if that is an event for the trace. */
export function strike(fault: FaultSpec, verdict: Verdict, draws: Draws, delivery: Delivery): boolean {
  // Because a spec's kind names the entry whose options it is.
  const kind = FAULT_KINDS[fault.kind] as FaultKind<FaultSpec>;
  return kind.strike(fault, verdict, draws, delivery);
}
