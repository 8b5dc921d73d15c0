/** A run of a small scenario, and the explanation of its slowest downlink, which names a fault. */
import { expect } from 'vitest';
import type { Explanation } from '../../src/explain/explanation.js';
import { defineScenario, explain, type FaultDefinition, run, type ScenarioDefinition } from '../../src/index.js';

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

/** Expects that the fault, whose name begins with `name`, is the only cause. */
export async function expectFaultNamed(name: string, fault: FaultDefinition): Promise<void> {
  const fleet = [{ ...CLIME, config: { 'interval-report': 300 } }];
  const explanation = await slowest({ fleet, faults: [fault] });
  expect(explanation.causes).toHaveLength(1);
  expect(explanation.causes[0]?.kind).toBe('fault');
  expect(explanation.causes[0]?.name.startsWith(name)).toBe(true);
  expect(explanation.waits[0]?.what.startsWith(name)).toBe(true);
  expect(kinds(explanation)).toEqual(expect.arrayContaining(['failure', 'fault', 'stage']));
}

/** Expects that the fault, which lost the last acknowledgement of a poll, is the only cause. */
export async function expectLastAcknowledgementLost(name: string, fault: FaultDefinition): Promise<void> {
  const config = { 'interval-report': 1800, 'interval-poll': 1800 };
  const { causes, waits, timeline } = await slowest({
    fleet: [{ name: 'ctl', profile: 'control', count: 1, config }],
    steps: [{ at: '1h', downlink: { output_1_state: 1 } }],
    faults: [fault],
  });
  expect(causes).toEqual([{ kind: 'fault', name }]);
  expect(waits[0]?.what).toBe(name);
  expect(waits.find(({ what }) => what === 'exchange')?.time).toBeLessThan(10_000);
  expect(timeline).toContainEqual(
    expect.objectContaining({ kind: 'failure', what: `poll: its last acknowledgement was lost: ${name}` }),
  );
}
