/** `radio-release` of a network, from the text of a scenario to the datagrams of its devices. */
import { expect, it } from 'vitest';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { describePlan } from '../../src/scenario/plan/describe.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';
import { profiles, runText } from './run-text.js';

const text = (network: string) => `
name: radio-release
duration: 1h
fleet: [{ name: edge, profile: control, count: 1 }]
network: { latency: 300ms${network} }
faults: [{ outage: both, from: 20m, until: 30m }]
steps: [{ at: 20m1s, shell: send }]
`;

it.each([
  // The report is sent at about 20:03. 597 s have 59 pauses of 10.0 s.
  ['', 59, 60],
  [', radio-release: 11s', 59, 60],
  // With 1 to 4 s for a new connection, 597 s have 44 to 56 pauses.
  [', radio-release: 5s', 44, 56],
])(
  'with "latency: 300ms%s", a device repeats a report in an outage of 10 minutes %i to %i times',
  async (network, least, most) => {
    const { fleet } = await runText(text(network));
    expect(fleet.repeats).toBeGreaterThanOrEqual(least);
    expect(fleet.repeats).toBeLessThanOrEqual(most);
  },
);

it('is in the plan, if the scenario sets it', () => {
  const plan = (network: string) =>
    describePlan(planScenario(parseScenario(text(network), 'test.yaml', describeDeviceTypes(profiles))));
  expect(plan(', radio-release: 5s..20s')).toContain('radio release after 5s to 20s');
  expect(plan(', radio-release: 6s')).toContain('radio release after 6s');
  expect(plan('')).not.toContain('radio release');
});
