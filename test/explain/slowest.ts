/** A run of a small scenario, and the explanation of its slowest downlink. */
import type { Explanation } from '../../src/explain/explanation.js';
import { defineScenario, explain, run, type ScenarioDefinition } from '../../src/index.js';

export const CLIME = { name: 'clime', profile: 'clime', count: 1, config: { 'interval-report': 1800 } };

/** Explains the downlink that waited longest. */
export async function slowest(change: Partial<ScenarioDefinition>): Promise<Explanation> {
  const plan = defineScenario({
    ...{ name: 'explained', duration: '3h', settle: '30m', fleet: [CLIME] },
    ...{ steps: [{ at: '65m', commands: ['info show'] }] },
    ...change,
  });
  const result = await run(plan);
  const [first] = result.explanations ?? [];
  if (first === undefined) throw new Error('the run has no downlinks');
  return explain(result, first.downlink);
}

export function kinds({ timeline }: Explanation): readonly string[] {
  return [...new Set(timeline.map(({ kind }) => kind))].sort();
}
