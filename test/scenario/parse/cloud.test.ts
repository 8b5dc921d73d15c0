/** Settings of the embedded cloud in a scenario. */
import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { describePlan } from '../../../src/scenario/plan/describe.js';
import { outline } from '../../../src/scenario/plan/outline.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { problemsOf, scenarioOf, yamlOf } from '../fixtures.js';

const headWith = (cloud: string) => `name: test\nduration: 2h\ncloud: ${cloud}\n`;
const planWith = (cloud: string) => planScenario(scenarioOf({ head: headWith(cloud) }));

describe('the settings of the cloud', () => {
  it('are in the plan and in its description', () => {
    const plan = planWith('{ rate-limit: 600/m, expire-downlinks: 90m, retain-messages: 14d, allow-private: true }');
    expect(plan.cloud).toEqual({
      rateLimit: 600,
      expireDownlinks: minutes(90),
      retainMessages: seconds(14 * 86_400),
      allowPrivate: true,
    });
    expect(describePlan(plan)).toContain(
      '\ncloud     rate-limit 600/m\n          expire-downlinks 1h30m\n          retain-messages 14d\n          allow-private\n',
    );
  });

  it('are missing in the plan if the scenario leaves them out, and change `situation` in the outline of the plan', () => {
    const plan = planScenario(scenarioOf());
    expect(plan).not.toHaveProperty('cloud');
    const situations = [plan, planWith('{ rate-limit: 600/m }'), planWith('{ rate-limit: 60/m }')].map(
      (one) => outline(one).situation,
    );
    expect(new Set(situations).size).toBe(3);
  });

  it.each([
    ['{ rate-limit: 600 }', '3:22: "600" is not a number of requests a minute from "1/m" to "1000000/m"'],
    ['{ rate-limit: 0/m }', '3:22: "0/m" is not a number of requests a minute'],
    ['{ rate-limit: 10/s }', '3:22: "10/s" is not a number of requests a minute'],
    ['{ expire-downlinks: 10m }', '3:28: "10m" is not a duration of 1h or more'],
    ['{ retain-messages: 1d }', '3:27: "1d" is not a duration of 2d or more'],
    ['{ allow-private: 127.0.0.1 }', '3:25: "127.0.0.1" is not true or false'],
    ['{ rate-limits: 600/m }', '(did you mean "rate-limit"?)'],
  ])('are rejected if they are %s', (cloud, problem) => {
    expect(problemsOf(yamlOf({ head: headWith(cloud) }))).toEqual([expect.stringContaining(problem)]);
  });
});
