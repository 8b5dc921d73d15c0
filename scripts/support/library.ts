/** The packaged scenarios of scenarios/library and their pages in docs/scenarios, for their test and their proof. */
import { readdirSync, readFileSync } from 'node:fs';
import { readPlan } from '../../src/cli/read-files.js';
import { packagedProfiles } from '../../src/profile/library.js';
import type { RunResult } from '../../src/report/result.js';
import { type RunOptions, run } from '../../src/runner/run.js';
import type { Plan } from '../../src/scenario/model/plan.js';
import { waitDisagreements } from '../../test/support/agreement.js';

const profiles = packagedProfiles();

/** Names of the scenarios, in the order of the alphabet. */
export const NAMES = readdirSync('scenarios/library').flatMap((file) =>
  file.endsWith('.yaml') ? [file.slice(0, -5)] : [],
);

export const fileOf = (name: string) => `scenarios/library/${name}.yaml`;
export const pageOf = (name: string) => readFileSync(`docs/scenarios/${name}.md`, 'utf8');

/** Plans by file, variables and further expectations. A plan is kept, because several documents show the same command. */
const plans = new Map<string, Plan>();

/**
 * @param vars values of the variables of the scenario
 * @param also further expectations
 */
export function planIn(
  file: string,
  vars: ReadonlyMap<string, string> = new Map(),
  also: readonly string[] = [],
): Plan {
  const key = JSON.stringify([file, [...vars], also]);
  const known = plans.get(key);
  if (known) return known;
  const lines = ['expect:', ...also.map((line) => `  - ${line}`)];
  const text = readFileSync(file, 'utf8').replace(/^expect:$/m, lines.join('\n'));
  const { plan } = readPlan(text, file, { profiles, vars });
  plans.set(key, plan);
  return plan;
}

/** Numbers of a page, each as an expectation: `<!-- checked: uplink.made == 3677; uplink.dropped == 0 -->`. */
export function numbersIn(page: string): readonly string[] {
  return [...page.matchAll(/^<!-- checked: (.*) -->$/gm)].flatMap(([, list = '']) => list.split('; '));
}

/** Runs a scenario in virtual time, without files. */
export function play(plan: Plan, transport: RunOptions['transport'] = 'memory'): Promise<RunResult> {
  return run({
    ...{ plan, profiles, clock: 'virtual', speed: 1, transport, db: 'memory', sinks: [] },
    ...{ log: { info() {}, warn() {}, error() {} }, reproduce: 'again', out: null, stopwatch: () => 0 },
  });
}

/**
 * Why a run does not pass: its failure, its failed expectations, its exit code, downlinks that are not accounted for, and
 * downlinks whose explanations do not agree with the tables.
 */
export function problemsOf(result: RunResult): readonly string[] {
  const { expectations, failure, downlinks, exitCode } = result;
  const { queued, answered, delivered, pending, cancelled, expired } = downlinks;
  const ended = answered + delivered + pending + cancelled + expired;
  return [
    ...(failure === null ? [] : [failure]),
    ...expectations.flatMap(({ passed, sentence }) => (passed ? [] : sentence)),
    ...(exitCode === 0 ? [] : [`exit code ${exitCode}`]),
    ...(ended === queued ? [] : [`${queued} downlinks, of which ${ended} are accounted for`]),
    ...waitDisagreements(result),
  ];
}
