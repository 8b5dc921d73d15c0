/** A run is invalid if its own process stood still, whatever the run measured. */
import { expect, it } from 'vitest';
import { EXIT } from '../../src/kernel/errors.js';
import { runPlan } from '../../src/library/scenario.js';
import { packagedProfiles } from '../../src/profile/library.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';

const SCENARIO = `
name: stalled
duration: 20s
settle: 1s
fleet: [{ name: clime, profile: clime, count: 1 }]
`;
const LOAD = 'load: [{ count-devices:, rate: 10/s }]\n';
const STEP = 'steps: [{ at: 12s, commands: [info show] }]\n';

it.each([
  ['during a load', LOAD],
  ['while a step is due', STEP],
])('a run whose process stops for 600 ms %s ends with exit code 5 and a message', async (_, more) => {
  const plan = planScenario(parseScenario(SCENARIO + more, 'stalled.yaml', describeDeviceTypes(packagedProfiles())), {
    seed: 1,
  });
  const stop = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  const { exitCode, failure } = await runPlan(plan, {
    clock: 'real',
    speed: 10,
    // By the clock of the run, because a busy machine may need seconds to begin the run.
    started: ({ clock }) => void clock.after(10_000, 'a stall of the process', stop),
  });
  expect(exitCode).toBe(EXIT.invalid);
  expect(failure).toMatch(/^the run is invalid: /);
});
