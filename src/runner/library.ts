/** Scenarios from TypeScript: `run(defineScenario({ … }))`, in a test or anywhere else. */
import { UsageError } from '../kernel/errors.js';
import { RealClock } from '../kernel/real-clock.js';
import { packagedProfiles } from '../profile/library.js';
import type { Profile } from '../profile/profile.js';
import type { RunResult } from '../report/result.js';
import { readDefinition, type ScenarioDefinition } from '../scenario/define.js';
import type { Plan } from '../scenario/plan.js';
import { planScenario } from '../scenario/plan-scenario.js';
import { deviceTypes } from './bench-config.js';
import { type RunOptions, run } from './run.js';

export interface DefineOptions {
  /** Instead of the scenario's own. */
  readonly seed?: number;
  /** Device types by name; the packaged ones unless given. */
  readonly profiles?: ReadonlyMap<string, Profile>;
}

/**
 * Checks a scenario and plans it.
 * @throws InputError naming every problem by its path: `steps[2].at: "90" is not a duration …`
 */
export function defineScenario(definition: ScenarioDefinition, options: DefineOptions = {}): Plan {
  const profiles = options.profiles ?? packagedProfiles();
  const readFile = (): never => {
    throw new UsageError('cannot-read', 'a scenario in TypeScript has no folder of its own: read the file yourself');
  };
  const scenario = readDefinition(definition, deviceTypes(profiles), { profiles, readFile });
  return planScenario(scenario, options.seed === undefined ? {} : { seed: options.seed });
}

/**
 * Carries a plan out, in virtual time against a cloud in memory unless said otherwise. Resolves with the report also when an
 * expectation did not hold: look at `passed`, `failure` and `expectations`.
 * @throws UsageError when the world can not be built
 */
export function runPlan(plan: Plan, options: Partial<Omit<RunOptions, 'plan'>> = {}): Promise<RunResult> {
  const watch = new RealClock();
  return run({
    plan,
    profiles: packagedProfiles(),
    clock: 'virtual',
    speed: 1,
    transport: 'memory',
    db: 'memory',
    sinks: [],
    log: SILENT,
    reproduce: `run(plan) with the seed ${plan.seed}`,
    out: null,
    stopwatch: () => watch.now,
    ...options,
  });
}

const SILENT: RunOptions['log'] = { info: () => {}, warn: () => {}, error: () => {} };
