/**
 * The program of the proof `workers`, which runs it in several versions of Node: prints the digests of each scenario for
 * several numbers of threads, in memory and over UDP, one line of JSON a scenario. Progress goes to the standard error.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineScenario, readScenario, runPlan } from '../../src/library/scenario.js';
import type { Plan } from '../../src/scenario/model/plan.js';
import { needsOneWorld, partsOf } from '../../src/scenario/plan/divide.js';
import { drawScenario } from './explain/draw.js';
import { definitionOf, UNCHANGED } from './explain/remove.js';

/** The digests of one scenario. All of them have to be the same. */
export interface WorkerDigests {
  readonly name: string;
  readonly seed: number;
  readonly devices: number;
  /** Whether its devices can be divided among threads. */
  readonly divided: boolean;
  /** The digests by the way in which the scenario ran: `2 threads, udp`. */
  readonly digests: Readonly<Record<string, string>>;
}

/** Which scenarios run: the packaged ones, the packaged ones with fewer devices, or random ones. */
export type Scenarios = 'packaged' | 'packaged-small' | 'random';

/** Combinations of threads and transport in which each scenario runs: all, or the few that differ most. */
export type Ways = 'all' | 'few';

const LIBRARY = 'scenarios/library';
/** Number of devices in a packaged scenario that is made smaller. */
const SMALL = 16;
const ONE = [[1, 'memory'] as const, [1, 'udp'] as const];
const DIVIDED = {
  all: [...ONE, ...[2, 4].flatMap((count) => [[count, 'memory'] as const, [count, 'udp'] as const])],
  few: [[1, 'memory'] as const, [2, 'memory'] as const, [4, 'udp'] as const],
};

function* plansOf(which: string, first: number, seeds: number): Iterable<Plan> {
  if (which === 'random') {
    for (let seed = first; seed < first + seeds; seed++)
      yield defineScenario(definitionOf(drawScenario(seed), UNCHANGED), { seed });
    return;
  }
  const library = readdirSync(LIBRARY).filter((file) => file.endsWith('.yaml'));
  const files = ['scenarios/demo.yaml', 'scenarios/first-fleet.yaml', ...library.map((file) => join(LIBRARY, file))];
  for (const file of files) {
    const plan = readScenario(file);
    yield which === 'packaged' ? plan : smaller(plan);
  }
}

/** The plan with a part of its devices. A plan that cannot be divided is returned unchanged. */
function smaller(plan: Plan): Plan {
  if (needsOneWorld(plan) !== undefined) return plan;
  const [part = plan] = partsOf(plan, Math.ceil(plan.devices.length / SMALL));
  return part;
}

async function digestsOf(plan: Plan, ways: Ways): Promise<WorkerDigests> {
  const divided = needsOneWorld(plan) === undefined;
  const digests: Record<string, string> = {};
  for (const [count, transport] of divided ? DIVIDED[ways] : ONE) {
    const { digest } = await runPlan(plan, { workers: count, transport });
    digests[`${count} thread${count === 1 ? '' : 's'}, ${transport}`] = digest;
  }
  return { name: plan.scenario, seed: plan.seed, devices: plan.devices.length, divided, digests };
}

const [which = 'random', ways = 'all', first = '0', seeds = '50'] = process.argv.slice(2);
for (const plan of plansOf(which, Number(first), Number(seeds))) {
  const began = performance.now();
  const found = await digestsOf(plan, ways === 'all' ? 'all' : 'few');
  const took = ((performance.now() - began) / 1000).toFixed(1);
  const same = new Set(Object.values(found.digests)).size === 1;
  const runs = `${Object.keys(found.digests).length} runs ${same ? 'the same' : JSON.stringify(found.digests)}`;
  console.error(
    `Node ${process.versions.node} · ${found.name}, seed ${found.seed}, ${found.devices} devices: ${runs} · ${took} s`,
  );
  console.log(JSON.stringify(found));
}
