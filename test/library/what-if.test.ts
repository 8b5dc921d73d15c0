/** `whatIf` of the library. */
import { describe, expect, it } from 'vitest';
import { defineScenario, run, whatIf } from '../../src/index.js';

const plan = defineScenario({
  ...{ name: 'asked', duration: '2h' },
  fleet: [{ name: 'clime', profile: 'clime', count: 2, config: { 'interval-report': 300 } }],
  faults: [{ outage: 'both', from: '66m', until: '90m', to: 'clime/1' }],
  steps: [{ at: '65m', commands: ['info show'] }],
  expect: ['downlink.answered p(95) < 10m'],
});

describe('whatIf', () => {
  it('answers for the result of a run: its downlinks are those of the run, and of the changed plan', async () => {
    const result = await run(plan);
    const [slowest] = result.downlinks.slowest;
    const answer = await whatIf(result, { of: slowest?.id.slice(-8) ?? '', without: ['outage'] });
    expect(answer).toMatchObject({ changes: ['without outage (clime/1)'], simulated: false });
    expect(answer.downlinks).toHaveLength(1);
    expect(answer.downlinks[0]?.before.took).toBe(slowest?.total);
    expect(answer.downlinks[0]?.after?.took).toBeLessThan(300_000);
    expect(answer.downlinks[0]?.after?.stages.answered).toBe(answer.downlinks[0]?.after?.took);
  });

  it('answers for a plan, with its expectations before and after', async () => {
    const { expectations = [], downlinks } = await whatIf(plan, { set: { 'interval-poll': 60 }, without: ['outage'] });
    expect(expectations.map(({ before, after }) => [before.passed, after.passed])).toEqual([[false, true]]);
    expect(downlinks.every(({ after }) => (after?.took ?? 0) < 120_000)).toBe(true);
  });

  it('rejects a copy of a result, unknown options and settings that are no values', async () => {
    const result = await run(plan);
    await expect(whatIf({ ...result }, { without: ['outage'] })).rejects.toThrow('not a copy');
    await expect(whatIf(plan, { with: 1 } as object)).rejects.toThrow('"with" is not a key of the options');
    await expect(whatIf(plan, { set: { 'interval-poll': {} } } as object)).rejects.toThrow('values of parameters');
  });
});
