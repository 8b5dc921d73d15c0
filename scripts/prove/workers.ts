/** The digest of a run is the same for any number of threads, in memory and over UDP. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineScenario, readScenario, runPlan } from '../../src/library/scenario.js';
import type { Plan } from '../../src/scenario/model/plan.js';
import { needsOneWorld } from '../../src/scenario/plan/divide.js';
import type { Proof } from '../support/proof.js';
import { drawScenario } from './explain/draw.js';
import { definitionOf, UNCHANGED } from './explain/remove.js';

const FIRST = Number(process.env.PROVE_FIRST ?? 0);
const SEEDS = Number(process.env.PROVE_SEEDS ?? 50);
const LIBRARY = 'scenarios/library';
const WORKERS = [1, 2, 4];

export const workers: Proof = {
  name: 'workers',
  async run() {
    const files = [
      ...['scenarios/demo.yaml', 'scenarios/first-fleet.yaml'],
      ...readdirSync(LIBRARY)
        .filter((file) => file.endsWith('.yaml'))
        .map((file) => join(LIBRARY, file)),
    ];
    const random = Array.from({ length: SEEDS }, (_, i) => {
      return defineScenario(definitionOf(drawScenario(FIRST + i), UNCHANGED), { seed: FIRST + i });
    });
    return [
      await same(
        'packaged scenarios',
        files.map((file) => readScenario(file)),
      ),
      await same('random scenarios', random),
    ];
  },
};

async function same(what: string, plans: readonly Plan[]) {
  const different: string[] = [];
  for (const plan of plans) {
    const digests = new Set<string>();
    for (const transport of ['memory', 'udp'] as const) {
      for (const count of needsOneWorld(plan) === undefined ? WORKERS : [1]) {
        digests.add((await runPlan(plan, { workers: count, transport })).digest);
      }
    }
    if (digests.size > 1) different.push(`${plan.scenario} with seed ${plan.seed}`);
  }
  const divided = plans.filter((plan) => needsOneWorld(plan) === undefined).length;
  return {
    what: `${plans.length} ${what} have one digest each for ${WORKERS.join(', ')} threads, in memory and over UDP`,
    held: plans.length > 0 && different.length === 0,
    detail: `${divided} can be divided; different: ${different.join(', ') || 'none'}`,
  };
}
