/** Which share of the exchanges a fault of the network disturbs, as `explain` uses it. */
import { expect, it } from 'vitest';
import { packagedProfiles } from '../../src/profile/library.js';
import { deviceTypes } from '../../src/runner/known-types.js';
import { situationOf } from '../../src/runner/situation.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';

const profiles = packagedProfiles();

/** The shares of the only fault of a scenario. */
function shares(fault: string) {
  const text = `name: test
duration: 1h
fleet: [{ name: cellar, profile: clime, count: 1 }]
faults: [{ ${fault}, from: 10m, until: 20m }]
`;
  const plan = planScenario(parseScenario(text, 'test.yaml', deviceTypes(profiles)));
  return situationOf(plan, profiles).faults.map(({ passes, garbles }) => [passes, garbles]);
}

it('corruption loses a corrupted uplink datagram, and makes the device give up after a corrupted downlink datagram', () => {
  expect(shares('corruption: 25%')).toEqual([[0.75, 0.25]]);
});

it('a loss in both directions can hit the datagram and its answer', () => {
  expect(shares('loss: 50%')).toEqual([[0.25, 0]]);
});
