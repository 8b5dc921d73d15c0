/** Which repetitions of devices share a world. */
import { expect, it } from 'vitest';
import { defineScenario, type ScenarioDefinition } from '../../src/index.js';
import { type PlanChange, SharedWorlds } from '../../src/runner/shared-worlds.js';
import type { Plan } from '../../src/scenario/model/plan.js';
import { withoutOthers } from '../../src/scenario/plan/change.js';

const FLEET = [{ name: 'clime', profile: 'clime', count: 3, serial: 2159017985 }];
const [A, B, C] = [2159017985, 2159017986, 2159017987];
const ALL: PlanChange = { key: '', without: new Set(), apply: (plan) => plan };
const CALM: PlanChange = { ...ALL, key: 'calm', without: new Set(['fault-1']) };

/** Worlds for the devices of a scenario with the plans that they repeat; a world with `broken` fails. */
function worlds(change: Partial<ScenarioDefinition> = {}, broken?: number) {
  const plan = defineScenario({
    ...{ name: 'shared', duration: '1h', fleet: FLEET, faults: [{ outage: 'both', from: '10m' }] },
    ...change,
  });
  const played: Plan[] = [];
  const shared = new SharedWorlds(plan, async (part) => {
    played.push(part);
    if (part.devices.some(({ serial }) => serial === broken)) throw new Error('rejected');
    return { histories: { getHistory: (serial) => ({ serial, events: [] }) } };
  });
  const serials = () => played.map(({ devices }) => devices.map(({ serial }) => serial));
  return { shared, played, serials };
}

it('devices that are asked about at the same time share a world, also with changes of their own', async () => {
  const { shared, serials } = worlds();
  const changes = [ALL, { ...ALL, key: 'mine' }, ALL];
  const answers = await Promise.all(
    [A, B, C].map((serial, index) => shared.repeatDevice(serial, changes[index] ?? ALL)),
  );
  expect(answers.map(({ serial }) => serial)).toEqual([A, B, C]);
  expect(serials()).toEqual([[A, B, C]]);
});

it('a change for all devices and two changes of a device need worlds of their own', async () => {
  const { shared, serials, played } = worlds();
  const other = { ...ALL, key: 'other' };
  const asked = [
    [A, ALL],
    [B, CALM],
    [A, other],
    [C, CALM],
  ] as const;
  await Promise.all(asked.map(([serial, change]) => shared.repeatDevice(serial, change)));
  expect(serials()).toEqual([[A], [B, C], [A]]);
  expect(played.map(({ faults }) => faults.length)).toEqual([1, 0, 1]);
});

it('devices with a load for all of them have worlds of their own', async () => {
  const { shared, serials } = worlds({ load: [{ 'list-devices': null, rate: '1/s' }] });
  await Promise.all([A, B].map((serial) => shared.repeatDevice(serial, ALL)));
  expect(serials()).toEqual([[A], [B]]);
});

it('a device that cannot have its change does not fail the others of its world', async () => {
  const { shared } = worlds({}, B);
  const [one, other] = await Promise.allSettled([A, B].map((serial) => shared.repeatDevice(serial, ALL)));
  expect([one?.status, other]).toEqual(['fulfilled', { status: 'rejected', reason: new Error('rejected') }]);
});

it('an entry is left out of the plan of a run even if the rest of the change divides entries before it', async () => {
  const steps: ScenarioDefinition['steps'] = [
    { at: '10m', commands: ['info show'] },
    { at: '20m', radio: 'off' },
    { at: '30m', commands: ['app config show'] },
  ];
  const { shared, played } = worlds({ steps });
  const own = { device: 0, type: 'shell', queuedAt: 30 * 60_000, earlier: 0 } as const;
  await shared.repeatDevice(A, {
    ...{ key: 'x', without: new Set(['action-1']) },
    apply: (plan) => withoutOthers(plan, own),
  });
  expect(played[0]?.actions.map(({ at, step }) => [at / 60_000, step])).toEqual([[30, 'commands']]);
});
