/** A load that is divided among parts: the requests of all parts together are the whole load. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.js';
import { defineScenario } from '../../../src/library/scenario.js';
import { drawOwnArrivals, hasTurn } from '../../../src/runner/load/own-arrivals.js';
import type { Plan, PlannedLoad } from '../../../src/scenario/model/plan.js';
import { partsOf } from '../../../src/scenario/plan/divide.js';

const base = defineScenario({
  name: 'divided',
  duration: '1m',
  fleet: [{ name: 'clime', profile: 'clime', count: 9 }],
  load: [{ 'list-devices': null, rate: '1/s' }],
});

/** The requests of a load: their times and the serial numbers of their devices, 0 for a request about the space. */
function requestsOf({ seed, devices }: Plan, load: PlannedLoad): readonly (readonly [at: number, serial: number])[] {
  let turn = 0;
  return [...drawOwnArrivals(load, seededRandom(seed))].map(({ due: at }) => {
    const index = load.devices[turn++ % load.devices.length] ?? -1;
    return [at, devices[index]?.serial ?? 0] as const;
  });
}

/** Compares by time, then by device, because parts have no common order of requests that are due in the same microsecond. */
function byTimeAndDevice(one: readonly [number, number], other: readonly [number, number]): number {
  return one[0] - other[0] || one[1] - other[1];
}

const load = fc.record({
  spacing: fc.constantFrom('even' as const, 'poisson' as const),
  first: fc.integer({ min: 1, max: 30 }),
  last: fc.integer({ min: 1, max: 30 }),
  devices: fc.subarray(base.devices.map((_, index) => index)),
});
const divided = fc.record({ load, seed: fc.nat(1000), parts: fc.integer({ min: 1, max: 6 }) });

it('the requests of all parts are those of the whole load, with the same times and devices', () => {
  fc.assert(
    fc.property(divided, ({ load: { spacing, first, last, devices }, seed, parts }) => {
      const pieces = [{ from: 0, until: 10_000, first, last }];
      const [original] = base.loads as [PlannedLoad];
      const plan = {
        ...base,
        seed,
        loads: [{ ...original, devices, pace: { kind: 'open' as const, spacing, pieces } }],
      };
      const all = partsOf(plan, parts).flatMap((part) => part.loads.flatMap((own) => requestsOf(part, own)));
      const whole = plan.loads.flatMap((one) => requestsOf(plan, one));
      expect(all.sort(byTimeAndDevice)).toEqual(whole.sort(byTimeAndDevice));
    }),
    { numRuns: 60 },
  );
});

it('each user of a closed load belongs to one part', () => {
  const closed = { ...(base.loads[0] as PlannedLoad), devices: [1, 4, 5] };
  const parts = partsOf({ ...base, loads: [closed] }, 3).map(({ loads: [own] }) => own as PlannedLoad);
  for (let user = 0; user < 10; user++) expect(parts.filter((part) => hasTurn(part, user))).toHaveLength(1);
});
