/** Runs a scenario whose YAML text is in a test. */

import { runPlan } from '../../src/library/scenario.js';
import { packagedProfiles } from '../../src/profile/library.js';
import type { RunResult } from '../../src/report/result.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';
import { unhurried } from '../support/unhurried.js';

export const profiles = packagedProfiles();

export function planOf(text: string, seed?: number) {
  return planScenario(parseScenario(text, 'test.yaml', describeDeviceTypes(profiles)), {
    ...(seed !== undefined && { seed }),
  });
}

/** Runs a scenario: by default in virtual time, in memory and with seed 7. */
export function runText(
  text: string,
  options: Parameters<typeof runPlan>[1] & { readonly seed?: number } = {},
): Promise<RunResult> {
  const { seed = 7, ...rest } = options;
  return runPlan(planOf(text, seed), { stopwatch: () => 0, meter: unhurried, ...rest });
}
