/** Which faults hold at a moment, by name: what is not at rest may not be able to. */
import type { Instant } from '../kernel/time.js';
import type { Plan, PlannedFault } from '../scenario/model/plan.js';

interface Window {
  readonly from: Instant;
  readonly until: Instant | null;
}

/** `no-signal (10% of clime)`, each once. */
export function faultsInForce(
  { network, serviceFaults = [], deviceFaults = [] }: Plan,
  now: Instant,
): readonly string[] {
  const holds = ({ from, until }: Window) => now >= from && (until === null || now < until);
  const service = serviceFaults.filter(holds);
  const down = service.filter(({ fault }) => fault.kind === 'service-down');
  // What a network is like from the beginning is no fault, unless nothing passes; a service that is down has an outage made.
  const isFault = ({ fault: { kind }, from, until }: PlannedFault) =>
    kind === 'outage' ? !down.some((made) => made.from === from && made.until === until) : from > 0;
  const names = [
    ...network.filter((fault) => holds(fault) && isFault(fault)).map(({ fault, to }) => named(fault.kind, to)),
    ...deviceFaults.filter(holds).map(({ fault, to }) => named(fault, to)),
    ...service.map(({ fault }) => fault.kind),
  ];
  return [...new Set(names)];
}

function named(fault: string, to: string | null): string {
  return to === null ? fault : `${fault} (${to})`;
}
