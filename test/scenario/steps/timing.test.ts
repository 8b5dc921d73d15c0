/** The time of a step: relative to the previous step, when a condition holds, or cohort by cohort. */
import { describe, expect, it } from 'vitest';
import { describePlan } from '../../../src/scenario/plan/describe.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { problemsOf, scenarioOf, yamlOf } from '../fixtures.js';

const FLEET = '  - { name: clime, profile: clime, count: 10 }\n';
const planOf = (steps: string) => planScenario(scenarioOf({ fleet: FLEET, steps }));
const minutes = (n: number) => n * 60_000;

describe('a step', () => {
  it('may have a time that counts from the previous step', () => {
    const { actions } = planOf(
      '  - { at: 10m, shell: send }\n  - { at: +5m, shell: send }\n  - { at: +1m, shell: send }\n',
    );
    expect(actions.map(({ at }) => at)).toEqual([minutes(10), minutes(15), minutes(16)]);
  });

  it('with cohorts is executed for one cohort after the other, at equal intervals and in order', () => {
    const { actions } = planOf('  - { at: 10m, for: { each: clime, in: 30%, every: 20m }, shell: send }\n');
    expect(actions.map(({ at, devices }) => [at, devices])).toEqual([
      [minutes(10), [0, 1, 2]],
      [minutes(30), [3, 4, 5]],
      [minutes(50), [6, 7, 8]],
      [minutes(70), [9]],
    ]);
  });

  it.each([
    ['40%', 10, [4, 4, 2]],
    ['29%', 100, [29, 29, 29, 13]],
    ['1/3', 10, [4, 3, 3]],
    ['10%', 25, [3, 2, 3, 2, 3, 2, 3, 2, 3, 2]],
    ['70%', 10, [7, 3]],
    ['100%', 10, [10]],
  ])(
    'with cohorts of %s of %i devices has cohorts of this size, and the rest in the last one',
    (share, count, sizes) => {
      const fleet = FLEET.replace('10', String(count));
      const steps = `  - { at: 0s, for: { in: ${share}, every: 5m }, shell: send }\n`;
      const { actions } = planScenario(scenarioOf({ fleet, steps }));
      expect(actions.map(({ devices }) => devices.length)).toEqual(sizes);
    },
  );

  it('with cohorts smaller than a device begins with one device, and leaves out empty cohorts, also in the plan', () => {
    const steps = '  - { at: 10m, for: { in: 4%, every: 1m }, shell: send }\n';
    const plan = planOf(steps);
    expect(plan.actions.map(({ at, devices }) => [at, devices])).toEqual(
      [10, 12, 15, 17, 20, 22, 25, 27, 30, 32].map((at, device) => [minutes(at), [device]]),
    );
    expect(describePlan(plan)).toContain('10m to 32m');
  });

  it('with cohorts may be spread over time within each cohort', () => {
    const { actions } = planOf('  - { at: 0s, over: 10m, for: { in: 50%, every: 30m }, shell: send }\n');
    expect(actions.map(({ at }) => at / 60_000)).toEqual([0, 2, 4, 6, 8, 30, 32, 34, 36, 38]);
  });

  it('with a condition counts from the end of its wait, and so do the steps relative to it', () => {
    const plan = planOf(
      [
        '  - { after: device.ready == fleet.devices, within: 1h, shell: send }\n',
        '  - { at: +5m, over: 10m, to: clime/1..2, commands: [info show] }\n',
        '  - { at: +0s, after: downlink.delivered == 2, shell: send }\n',
        '  - { at: 20m, shell: send }\n',
      ].join(''),
    );
    expect(plan.waits).toMatchObject([
      { name: 'step 1, shell: send', from: 0, within: minutes(60), wait: null },
      { name: 'step 3, shell: send', from: minutes(5), within: null, wait: 0 },
    ]);
    expect(plan.actions.map(({ origin, at, wait }) => [origin, at, wait])).toEqual([
      [0, 0, 0],
      [2, 0, 1],
      [1, minutes(5), 0],
      [1, minutes(10), 0],
      [3, minutes(20), undefined],
    ]);
    expect(describePlan(plan)).toContain('shell: send · after device.ready == fleet.devices within 1h');
  });

  it.each([
    ['{ shell: send }', 'a step needs "at" or "after"'],
    ['{ at: +5m, shell: send }', 'the first step has no previous step: "at" cannot begin with "+"'],
    ['{ at: 5m, within: 1h, shell: send }', '"within" needs "after"'],
    ['{ after: device.ready = 3, shell: send }', '"=" is not a comparison'],
    [
      '{ at: 1h, to: clime, for: { in: 10%, every: 1m }, shell: send }',
      'a step with "for" selects its devices with "each", not with "to"',
    ],
    ['{ at: 1h, for: { in: 10%, every: 10m }, shell: send }', 'after the end of the scenario'],
    ['{ at: 1h, for: { in: 0%, every: 10m }, shell: send }', 'is not a share of the devices'],
  ])('is rejected: %s', (step, message) => {
    const problems = problemsOf(yamlOf({ fleet: FLEET, steps: `  - ${step}\n` }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });
});
