/** Names of the faults that are active at a time: they may be the reason why a run does not come to rest. */
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
  // Network conditions from the start are not faults, except an outage. A service that is down implies an outage, listed once.
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
