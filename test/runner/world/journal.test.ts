/** Which devices of a run have histories for explanations. */
import { expect, it } from 'vitest';
import { defineScenario } from '../../../src/library/scenario.js';
import { Journal } from '../../../src/runner/world/journal.js';
import type { ScenarioDefinition } from '../../../src/scenario/parse/define.js';

const FLEET = [{ name: 'cellar', profile: 'clime', count: 3 }];
const STEP = { at: '1m', to: 'cellar/2', shell: 'info show' };

/** Positions of the devices that have a history of an event that happens to each. */
function collected(more: Partial<ScenarioDefinition>, options: { virtual?: boolean; watched?: boolean } = {}) {
  const plan = defineScenario({ name: 'journal', duration: '1h', fleet: FLEET, ...more });
  const journal = new Journal({
    ...{ plan, virtual: true, watched: false, acks: 'seen', sinks: [], watch: undefined, ...options },
  });
  for (const { serial } of plan.devices) journal.trace.emit({ kind: 'device.wake', at: 1, serial, why: 'report' });
  journal.close();
  return plan.devices.flatMap(({ serial }, i) => (journal.histories.getHistory(serial).events.length > 0 ? [i] : []));
}

it('only devices of steps have histories, because no others get downlinks of users', () => {
  expect(collected({})).toEqual([]);
  expect(collected({ steps: [STEP] })).toEqual([1]);
});

it.each([
  ['in real time', {}, { virtual: false }],
  ['that users watch', {}, { watched: true }],
  ['with a load', { load: [{ 'count-devices': null, rate: '1/s' }] }, {}],
  ['with a setup', { setup: [{ variable: { name: 'a', value: 'b' } }] }, {}],
])('in a run %s, all devices have histories', (_, more, options) => {
  expect(collected(more as Partial<ScenarioDefinition>, options)).toEqual([0, 1, 2]);
});
