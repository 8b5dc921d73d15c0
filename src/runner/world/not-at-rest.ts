/** The failure of a run whose devices still work when they should have finished. */
import { StuckError } from '../../kernel/errors.js';
import { formatDuration } from '../../kernel/time.js';
import type { Plan } from '../../scenario/model/plan.js';
import { faultsInForce } from './in-force.js';

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
