/** Names of the faults that are active at a time, for the message about a run that does not come to rest. */
import type { Instant } from '../../kernel/time.js';
import type { Plan, PlannedFault } from '../../scenario/model/plan.js';
import { implies } from '../../scenario/plan/change.js';

interface Window {
  readonly from: Instant;
  readonly until: Instant | null;
}

/** The names of all active faults, such as `no-signal (10% of clime)`. Equal names are listed once. */
export function faultsInForce(plan: Plan, now: Instant): readonly string[] {
  const { serviceFaults = [], deviceFaults = [] } = plan;
  const holds = ({ from, until }: Window) => now >= from && (until === null || now < until);
  // Network faults that begin with the run are its usual network conditions. They are left out, except an outage.
  const isFault = ({ fault: { kind }, from }: PlannedFault) => kind === 'outage' || from > 0;
  const network = namedNetworkFaults(plan).filter((fault) => holds(fault) && isFault(fault));
  const names = [
    ...network.map(({ fault, to }) => named(fault.kind, to)),
    ...deviceFaults.filter(holds).map(({ fault, to }) => named(fault, to)),
    ...serviceFaults.filter(holds).map(({ fault }) => fault.kind),
  ];
  return [...new Set(names)];
}

/**
 * The network faults of a plan, without the outages that belong to a `service-down` fault: these appear under the name of that
 * fault.
 */
export function namedNetworkFaults({ network, serviceFaults = [] }: Plan): readonly PlannedFault[] {
  return network.filter((fault) => !serviceFaults.some((service) => implies(service, fault)));
}

function named(fault: string, to: string | null): string {
  return to === null ? fault : `${fault} (${to})`;
}
