/** Groups the actions of a plan by the step of the scenario to which they belong. */
import type { PlannedAction } from '../model/plan.js';

export interface StepActions {
  readonly first: PlannedAction;
  readonly last: PlannedAction;
  readonly all: readonly PlannedAction[];
  /** Indices of the devices of all actions, in the order of the actions. */
  readonly devices: readonly number[];
}

/** Groups actions by their step, in the order of the first action of each step. */
export function listSteps(actions: readonly PlannedAction[]): readonly StepActions[] {
  const steps = new Map<number, { readonly first: PlannedAction; readonly all: PlannedAction[] }>();
  for (const action of actions) {
    const step = steps.get(action.origin);
    if (step) step.all.push(action);
    else steps.set(action.origin, { first: action, all: [action] });
  }
  return [...steps.values()].map(({ first, all }) => {
    return { first, last: all.at(-1) ?? first, all, devices: all.flatMap(({ devices }) => devices) };
  });
}
