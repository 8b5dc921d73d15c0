/** All kinds of faults, in the order in which they are applied to a datagram. */
import type { Draws } from '../../kernel/random.js';
import { type Bandwidth, bandwidth } from './bandwidth.js';
import { type Corruption, corruption } from './corruption.js';
import { type Duplication, duplication } from './duplication.js';
import type { Delivery, FaultKind, Verdict } from './fault.js';
import { type Jitter, jitter } from './jitter.js';
import { type Latency, latency } from './latency.js';
import { type Loss, loss } from './loss.js';
import { type Outage, outage } from './outage.js';
import { type Reorder, reorder } from './reorder.js';

export const FAULT_KINDS = { outage, loss, corruption, duplication, bandwidth, latency, jitter, reorder };

export type FaultSpec = Outage | Loss | Corruption | Duplication | Bandwidth | Latency | Jitter | Reorder;

/** Whether a fault lets later datagrams overtake the one that it delays. */
export function overtakes(fault: FaultSpec): boolean {
  const kind: FaultKind<never> = FAULT_KINDS[fault.kind];
  return kind.overtakes === true;
}

/** Applies a fault to a datagram; true if that is an event for the trace. */
export function strike(fault: FaultSpec, verdict: Verdict, draws: Draws, delivery: Delivery): boolean {
  const kind = FAULT_KINDS[fault.kind] as FaultKind<FaultSpec>;
  return kind.strike(fault, verdict, draws, delivery);
}
