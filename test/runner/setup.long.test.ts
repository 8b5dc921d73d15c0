/** Updates to the firmware images that a scenario sets up. */
import { describe, expect, it } from 'vitest';
import { runPlan } from '../../src/library/scenario.js';
import { planOf } from './run-text.js';

describe('a firmware update', () => {
  const ROLLOUT = `
name: roll-out
duration: 4h
fleet:
  - { name: good, profile: clime, count: 2, config: { interval-report: 300 } }
  - { name: bad, profile: clime, count: 1, config: { interval-report: 300 } }
  - { name: shaken, profile: clime, count: 1, config: { interval-report: 300 } }
setup:
  - firmware: { name: v2, profile: clime, version: v9.0.0, size: 20000 }
  - firmware: { name: broken, profile: clime, version: v9.0.1, size: 20000, damaged: true }
network: { latency: 300ms..400ms }
faults:
  - { reboot: { every: 60s }, from: 1h, until: 3h, to: shaken }
steps:
  - { at: 1h, to: good, firmware: v2 }
  - { at: 1h, to: bad, firmware: broken }
  - { at: 1h, to: shaken, firmware: v2 }
expect:
  - update.scheduled == 4
  - device.updated == 2
  - update.succeeded within 20m >= 50%
  - update.reverted == 1
  - update.given-up == 1
  - update.open == 0
`;

  let first: ReturnType<typeof runPlan> | undefined;
  /** Runs the roll-out once; later calls return the same result. */
  const rolledOut = () => (first ??= runPlan(planOf(ROLLOUT)));

  it('succeeds, or fails for a reason that expectations can name', async () => {
    const result = await rolledOut();
    expect(result.expectations.filter(({ passed }) => !passed)).toEqual([]);
    expect(result.updates).toMatchObject({ scheduled: 4, succeeded: 2, failed: 2, cancelled: 0, open: 0 });
    expect(Object.keys(result.updates?.reasons ?? {})).toEqual([
      'given up: the download was interrupted 6 times',
      expect.stringMatching(/^reverted: the device runs "v/),
    ]);
  });

  it('is the same every time', async () => {
    expect((await runPlan(planOf(ROLLOUT))).digest).toBe((await rolledOut()).digest);
  });
});
