/** All kinds of faults, in the order in which they strike a datagram. */
import type { Draws } from '../../kernel/random.js';
import { type Duplication, duplication } from './duplication.js';
import type { Fate, FaultKind } from './fault.js';
import { type Latency, latency } from './latency.js';
import { type Loss, loss } from './loss.js';
import { type Outage, outage } from './outage.js';
import { type Reorder, reorder } from './reorder.js';

export const FAULT_KINDS = { outage, loss, duplication, latency, reorder };

export type FaultSpec = Outage | Loss | Duplication | Latency | Reorder;

/** Lets a fault strike; true when anything worth a fact happened. */
export function strike(fault: FaultSpec, fate: Fate, draws: Draws): boolean {
  // Because a spec's kind names the entry whose options it is.
  const kind = FAULT_KINDS[fault.kind] as FaultKind<FaultSpec>;
  return kind.strike(fault, fate, draws);
}
