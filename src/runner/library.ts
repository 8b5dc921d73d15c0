/** Scenarios from TypeScript: `run(defineScenario({ … }))`, in a test or anywhere else. */
import { oneOf, positiveNumber } from '../input/checks.js';
import { Problems } from '../input/document.js';
import { readBeside } from '../input/text-file.js';
import { valueNode } from '../input/value.js';
import { UsageError } from '../kernel/errors.js';
import { RealClock } from '../kernel/real-clock.js';
import { packagedProfiles } from '../profile/library.js';
import type { Profile } from '../profile/profile.js';
import type { RunResult } from '../report/result.js';
import type { Plan } from '../scenario/model/plan.js';
import { readDefinition, type ScenarioDefinition } from '../scenario/parse/define.js';
import { planScenario } from '../scenario/plan/plan-scenario.js';
import { deviceTypes } from './flash-settings.js';
import { CLOCKS, type RunOptions, run } from './run.js';
import { TRANSPORTS } from './targets/embedded.js';

export interface DefineOptions {
  /** Instead of the scenario's own. */
  readonly seed?: number;
  /** Device types by name; the packaged ones unless given. */
  readonly profiles?: ReadonlyMap<string, Profile>;
  /** Where the files are that the scenario names: recordings, scripts, images. Left out, it cannot name any. */
  readonly folder?: string;
}

/**
 * Checks a scenario and plans it.
 * @throws InputError naming every problem by its path: `steps[2].at: "90" is not a duration …`
 */
export function defineScenario(definition: ScenarioDefinition, options: DefineOptions = {}): Plan {
  const profiles = options.profiles ?? packagedProfiles();
  const { seed, folder } = options;
  const readFile = (name: string) => {
    if (folder !== undefined) return readBeside(folder, name);
    throw new UsageError('no-folder', 'a scenario in TypeScript has no folder of its own: give the option "folder"');
  };
  const seeded = seed === undefined ? definition : { ...definition, seed };
  return planScenario(readDefinition(seeded, deviceTypes(profiles), { profiles, readFile }));
}

/**
 * Carries a plan out, in virtual time against a cloud in memory unless said otherwise. Resolves with the report also when an
 * expectation did not hold: look at `passed`, `failure` and `expectations`.
 * @throws UsageError when an option is wrong, or the world cannot be built
 */
export async function runPlan(plan: Plan, options: Partial<Omit<RunOptions, 'plan'>> = {}): Promise<RunResult> {
  if (!isPlan(plan)) throw new UsageError('no-plan', 'run takes a plan: what defineScenario makes of a scenario');
  const watch = new RealClock();
  const all: RunOptions = {
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
  };
  checkOptions(all);
  return run(all);
}

/** JavaScript takes anything. @throws InputError with all that is wrong */
function checkOptions({ clock, speed, transport }: RunOptions): void {
  const problems = new Problems();
  oneOf(CLOCKS)(valueNode(clock, 'clock'), problems);
  oneOf(TRANSPORTS)(valueNode(transport, 'transport'), problems);
  positiveNumber(valueNode(speed, 'speed'), problems);
  problems.finish();
}

function isPlan(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'devices' in value && 'actions' in value;
}

const SILENT: RunOptions['log'] = { info: () => {}, warn: () => {}, error: () => {} };
