/** Failures of a run because of a step that waits for a condition: their texts, and which wait a text is about. */
import { exactDuration, formatDuration, type Instant, type Millis, sinceStart } from '../../kernel/time.js';
import type { Plan, PlannedWait } from '../model/plan.js';

const UNTIL_END = 'until the end of the scenario';

/**
 * The condition did not become true in time.
 * @param within the limit of the step, if it was reached; null for the end of the scenario
 * @param sentence the condition with its values
 */
export function describeUnmet({ name, condition }: PlannedWait, within: Millis | null, sentence: string): string {
  const howLong = within === null ? UNTIL_END : formatDuration(within);
  return `${waited(name)}${howLong} for "${condition.line}"; ${sentence}`;
}

/** The condition became true at `at`, too late for the actions of the step. */
export function describeTooLate({ name }: PlannedWait, at: Instant): string {
  return `${began(name)}${exactDuration(sinceStart(at))}, and would continue after the end of the scenario`;
}

/** The wait that a failure is about, or undefined. `within`: the step's limit; null: the scenario's end. */
export function findFailedWait(plan: Plan, failure: string): Pick<PlannedWait, 'condition' | 'within'> | undefined {
  for (const { name, condition, within } of plan.waits ?? []) {
    if (failure.startsWith(began(name)) || failure.startsWith(`${waited(name)}${UNTIL_END}`))
      return { condition, within: null };
    if (failure.startsWith(waited(name))) return { condition, within };
  }
  return undefined;
}

function waited(name: string): string {
  return `${name}: waited `;
}

function began(name: string): string {
  return `${name}: it began at `;
}
