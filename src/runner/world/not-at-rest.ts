/** The failure of a run whose devices still work when they should have finished. */
import { StuckError } from '../../kernel/errors.js';
import { formatDuration, type Instant } from '../../kernel/time.js';
import { kindOf } from '../../scenario/faults/index.js';
import type { Plan, PlannedFault } from '../../scenario/model/plan.js';

/** Maximum number of devices, steps and loads that the message names. */
const SHOWN = 5;

export class NotAtRest extends StuckError {
  /** What is not at rest, as clauses such as `clime-0001 with its session`. */
  readonly busy: readonly string[];

  constructor(plan: Plan, busy: readonly string[]) {
    const shown = busy.slice(0, SHOWN).join(', ') + (busy.length > SHOWN ? ` and ${busy.length - SHOWN} more` : '');
    const faults = faultsInForce(plan, plan.duration + plan.settle);
    const inForce = faults.length === 0 ? '' : `; still in force: ${faults.join(', ')}`;
    super(`not at rest ${formatDuration(plan.settle)} after the end: ${shown}${inForce}`, shown);
    this.busy = busy;
  }
}

/** The names of all active faults, such as `no-signal (10% of clime)`. Equal names are listed once. */
function faultsInForce({ faults }: Plan, now: Instant): readonly string[] {
  const active = faults.filter(({ windows }) =>
    windows.some(({ from, until }) => now >= from && (until === null || now < until)),
  );
  const names = active.flatMap((fault) => {
    if (isCondition(fault)) return [];
    return fault.to === null ? fault.kind : `${fault.kind} (${fault.to})`;
  });
  return [...new Set(names)];
}

/** Network faults that begin with the run are its usual network conditions. */
function isCondition(fault: PlannedFault): boolean {
  const { part, isNeverUsual } = kindOf(fault);
  return part === 'network' && !isNeverUsual && fault.windows.length === 1 && fault.windows[0]?.from === 0;
}
