/** Runs a small scenario with one seed after the other, and prints their digests. */

import { runPlan } from '../../src/library/scenario.js';
import { packagedProfiles } from '../../src/profile/library.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';

const SCENARIO = `
name: seeds
duration: 3h
fleet:
  - { name: clime, profile: clime, count: 3, boot: { over: 10m, pattern: random } }
  - { name: control, profile: control, count: 2, config: { interval-poll: 300 } }
network: { latency: 150ms..900ms, loss: 5% }
steps:
  - { at: 1h, to: clime, over: 10m, config: { interval-report: 900 } }
  - { at: 70m, commands: [info show] }
load:
  - { latest-value:, rate: 20/h, spacing: poisson }
`;

const types = describeDeviceTypes(packagedProfiles());
for (let seed = 0; seed < Number(process.argv[2]); seed++) {
  const { digest } = await runPlan(planScenario(parseScenario(SCENARIO, 'seeds', types), { seed }));
  console.log(digest);
}
