/** Checks the text of a scenario from the web console, and plans it. */
import type { ScenarioCheck } from '../../control/scenarios.js';
import { InputError } from '../../input/problems.js';
import { GhostfleetError, UsageError } from '../../kernel/errors.js';
import { packagedProfiles } from '../../profile/library.js';
import { describeDeviceTypes } from '../../runner/known-types.js';
import { withoutEffect } from '../../runner/no-effect.js';
import { parseScenario } from '../../scenario/parse/scenario.js';
import { planScenario } from '../../scenario/plan/plan-scenario.js';
import { planTimeline } from '../../scenario/plan/timeline.js';

/** Maximum number of listed problems: a text with more of them is probably not a scenario. */
const MOST_PROBLEMS = 100;

export function checkText(text: string): ScenarioCheck {
  try {
    const profiles = packagedProfiles();
    const scenario = parseScenario(text, 'scenario', describeDeviceTypes(profiles), {
      profiles,
      readFile: refuseFiles,
    });
    const plan = planScenario(scenario);
    if (plan.cloud?.allowPrivate) return { problems: [rejectPrivateTargets(text)], warnings: [], plan: null };
    return { problems: [], warnings: withoutEffect(plan, profiles), plan: planTimeline(plan) };
  } catch (error) {
    // Any other error is a bug.
    if (!(error instanceof GhostfleetError)) throw error;
    const places = error instanceof InputError ? error.problems : [{ line: 1, column: 1, message: error.message }];
    const problems = places.slice(0, MOST_PROBLEMS).map(({ line, column, message }) => ({ line, column, message }));
    return { problems, warnings: [], plan: null };
  }
}

/** The problem to report for a scenario with `allow-private`, which a run from the console would reject. */
function rejectPrivateTargets(text: string): ScenarioCheck['problems'][number] {
  const before = text.slice(0, Math.max(0, text.indexOf('allow-private'))).split('\n');
  const message =
    'a scenario of the console cannot use "allow-private"; save it and use ghostfleet run --allow-private';
  return { line: before.length, column: String(before.at(-1)).length + 1, message };
}

function refuseFiles(): never {
  throw new UsageError(
    'no-files',
    'a scenario of the console cannot name files; save it beside them and use ghostfleet run',
  );
}
