import { expect, it } from 'vitest';
import { defineScenario } from '../../../src/library/scenario.js';
import type { ScenarioDefinition } from '../../../src/scenario/parse/define.js';
import { describePlan } from '../../../src/scenario/plan/describe.js';
import { partsOf } from '../../../src/scenario/plan/divide.js';

/** The number of threads that a run of the scenario can use, as `ghostfleet plan` prints it. */
function threads(more: Partial<ScenarioDefinition>): string {
  const plan = defineScenario({
    ...{ name: 'divisible', duration: '1h', fleet: [{ name: 'clime', profile: 'clime', count: 2 }] },
    ...more,
  });
  return /^threads +(.*)$/m.exec(describePlan(plan))?.[1] ?? '';
}

it.each([
  ['that concerns one device at a time', {}, 'any number'],
  [
    'with a load, which needs one cloud for all devices',
    { load: [{ 'list-devices': null, rate: '1/s' }] },
    'any number in real time; one in virtual time, because its loads use the API of all devices',
  ],
  [
    'with a fault of the service',
    { faults: [{ 'service-down': null, from: '10m', until: '20m' }] },
    'one, because it has faults of the whole service',
  ],
] as const)('the plan of a scenario %s shows how many threads its run can use', (_, more, text) => {
  expect(threads(more)).toBe(text);
});

it.each([
  [2, [50, 50]],
  [3, [34, 33, 33]],
])('%i parts contain each device once', (count, sizes) => {
  const plan = defineScenario({
    ...{ name: 'parts', duration: '1h', fleet: [{ name: 'clime', profile: 'clime', count: 100 }] },
  });
  const serials = plan.devices.map(({ serial }) => serial);
  const parts = partsOf(plan, count);
  expect(parts.map(({ devices }) => devices.length)).toEqual(sizes);
  expect(parts.flatMap(({ devices }) => devices.map(({ serial }) => serial)).sort()).toEqual([...serials].sort());
});
