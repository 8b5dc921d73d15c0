import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describePlan, planDigest } from '../../../src/scenario/plan/describe.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { scenarioOf } from '../fixtures.js';

const THREE = '  - { name: clime, profile: clime, count: 3, boot: { from: 1m, over: 3m, pattern: random } }\n';
const THREE_AND_MORE = `  - { name: other, profile: control, count: 2, serial: 5 }\n${THREE}`;

describe('a plan', () => {
  it('is the same for the same scenario and seed, and different for another seed', () => {
    const scenario = scenarioOf({ fleet: THREE });
    expect(planScenario(scenario, { seed: 7 })).toEqual(planScenario(scenario, { seed: 7 }));
    const digests = [7, 7, 8].map((seed) => planDigest(planScenario(scenario, { seed })));
    expect(digests[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(digests[0]).toBe(digests[1]);
    expect(digests[0]).not.toBe(digests[2]);
  });

  it('uses the seed of the scenario by default', () => {
    const scenario = scenarioOf({ head: 'name: test\nduration: 2h\nseed: 99\n' });
    expect([planScenario(scenario).seed, planScenario(scenario, { seed: 3 }).seed]).toEqual([99, 3]);
  });

  it('has the same random draws for a device, whichever other devices the fleet has', () => {
    const alone = planScenario(scenarioOf({ fleet: THREE })).devices;
    const together = planScenario(scenarioOf({ fleet: THREE_AND_MORE })).devices.filter(({ group }) => group === 1);
    expect(together).toEqual(alone.map((device) => ({ ...device, group: 1 })));
  });

  it('gives each device a name, a serial number and a claim token of its own', () => {
    const { devices } = planScenario(scenarioOf());
    expect(devices.map(({ name, serial }) => [name, serial])).toEqual([
      ['clime-0001', 2_159_017_985],
      ['clime-0002', 2_159_017_986],
      ['clime-0003', 2_159_017_987],
      ['control-0001', 2_159_017_988],
      ['control-0002', 2_159_017_989],
    ]);
    const tokens = devices.map((device) => device.claimToken);
    expect(new Set(tokens).size).toBe(5);
    for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{32}$/);
  });

  it('boots a staggered group evenly', () => {
    const fleet = '  - { name: clime, profile: clime, count: 4, boot: { from: 1m, over: 2m } }\n';
    expect(planScenario(scenarioOf({ fleet })).devices.map(({ bootAt }) => bootAt)).toEqual([
      60_000, 90_000, 120_000, 150_000,
    ]);
  });

  it('boots a random group within its time', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        for (const { bootAt } of planScenario(scenarioOf({ fleet: THREE }), { seed }).devices) {
          expect(Number.isInteger(bootAt)).toBe(true);
          expect(bootAt).toBeGreaterThanOrEqual(60_000);
          expect(bootAt).toBeLessThanOrEqual(240_000);
        }
      }),
    );
  });

  it('provisions devices with the radio mode "lte", unless the scenario sets the mode', () => {
    const fleet =
      '  - { name: ab, profile: clime, count: 1, config: { interval-report: 900 } }\n' +
      '  - { name: cd, profile: clime, count: 1, config: { mode: none } }\n' +
      '  - { name: ef, profile: clime, count: 1, config: [app config mode] }\n';
    expect(planScenario(scenarioOf({ fleet })).groups.map((group) => group.config)).toEqual([
      ['app config mode lte', 'app config interval-report 900'],
      ['app config mode none'],
      // The line `app config mode` only reads the mode.
      ['app config mode lte', 'app config mode'],
    ]);
  });

  it('executes a step for all its devices at once, or evenly spread over its duration', () => {
    const steps = '  - { at: 1h, to: clime, over: 30s, shell: send }\n  - { at: 1h, to: control, shell: poll }\n';
    const actions = planScenario(scenarioOf({ steps })).actions;
    expect(actions.map(({ at, devices, origin, step }) => [at, devices, origin, step])).toEqual([
      [3_600_000, [0], 0, 'shell'],
      [3_600_000, [3, 4], 1, 'shell'],
      [3_610_000, [1], 0, 'shell'],
      [3_620_000, [2], 0, 'shell'],
    ]);
  });

  it('sorts steps by time, and steps at the same time by their order in the file', () => {
    const steps = ['30m', '10m', '30m', '20m']
      .map((at, i) => `  - { at: ${at}, to: clime/1, shell: step${i} }\n`)
      .join('');
    expect(planScenario(scenarioOf({ steps })).actions.map(({ origin }) => origin)).toEqual([1, 3, 0, 2]);
  });

  it('is plain data: JSON preserves all of it', () => {
    const plan = planScenario(
      scenarioOf({
        network: '  loss: 1%\n',
        steps: '  - { at: 1h, sensor: { hygrometer.temperature: free } }\n',
        expect: '  - downlink.delivered p(95) < 40m\n',
      }),
    );
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });
});

describe('the selectors of expectations', () => {
  it('become scopes of the plan, one for each spelling, including those in conditions', () => {
    const plan = planScenario(
      scenarioOf({
        steps: '  - { after: device.ready of clime/1..2 == 2, shell: sample }\n',
        expect:
          '  - uplink.stored of clime/1..2 > uplink.stored of 50% of clime\n  - uplink.stored of clime/1..2 > 0\n',
      }),
    );
    expect(plan.scopes).toEqual([
      { name: 'clime/1..2', devices: [0, 1] },
      { name: '50% of clime', devices: expect.any(Array) },
    ]);
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
    expect(planScenario(scenarioOf({ expect: '  - uplink.stored > 0\n' })).scopes).toBeUndefined();
  });
});

describe('the description of a plan', () => {
  const scenario = scenarioOf({
    network: '  loss: 1%\n  faults: [{ outage: up, from: 30m, until: 40m, to: clime }]\n',
    steps: '  - { at: 1h, to: clime, over: 5m, config: { interval-report: 900 } }\n',
    load: '  - { latest-value:, rate: 1/m..3/s, from: 1h }\n  - { list-devices:, users: 3, think: 2s }\n',
    expect: '  - device.ready == fleet.devices\n',
  });
  const plan = planScenario(scenario, { seed: 7 });
  const text = describePlan(plan);

  it('lists the actions with their times and devices', () => {
    expect(text).toContain(`plan of test · seed 7 · plan ${planDigest(plan)}`);
    expect(text).toContain('3 × clime (profile clime), serial numbers 2159017985 … 2159017987');
    expect(text).toMatch(/always +loss 1%/);
    expect(text).toMatch(/30m to 40m +outage · clime \(3 devices\) · only up/);
    expect(text).toMatch(/1h to 1h3m20s +3 × clime-0001 … clime-0003 +config: app config interval-report 900/);
    expect(text).toMatch(/1h to 2h +latest-value, 5 devices +60\/h..3\/s, evenly/);
    expect(text).toMatch(/0s to 2h +list-devices +3 users, one request at a time each, think time 2s/);
    expect(text).toContain('device.ready == fleet.devices');
  });

  it('says when a step that waits for a condition begins at the earliest', () => {
    const ready = 'after: device.ready == 3';
    const steps = [
      `{ ${ready}, within: 40m, to: clime, shell: sample }`,
      `{ at: 30m, ${ready}, to: clime, over: 10m, commands: [info show] }`,
      '{ at: +10m, to: clime/1, shell: send }',
      '{ at: +5m, after: uplink.stored > 9, to: clime/1, commands: [app config] }',
      '{ at: 35m, to: clime/1, power-cycle: }',
    ];
    const waiting = planScenario(scenarioOf({ steps: steps.map((step) => `  - ${step}\n`).join('') }));
    const lines = describePlan(waiting).split('\n');
    const rows = lines.slice(lines.findIndex((line) => line.startsWith('steps '))).map((line) => line.slice(10));
    expect(rows.slice(0, 5)).toEqual([
      expect.stringMatching(/^0s or later .* sample · after device\.ready == 3 within 40m$/),
      expect.stringMatching(/^30m to 36m40s or later .* info show · after device\.ready == 3$/),
      expect.stringMatching(/^35m .*power-cycle$/),
      expect.stringMatching(/^40m or later .* send · 10m after device\.ready == 3$/),
      expect.stringMatching(/^45m or later .* app config · after uplink\.stored > 9$/),
    ]);
  });

  it('may have a step with one action for each of 200,000 devices', () => {
    const fleet = '  - { name: many, profile: clime, count: 200000 }\n';
    const steps = '  - { at: 1m, over: 1h, commands: [info show] }\n';
    expect(planScenario(scenarioOf({ fleet, steps })).actions).toHaveLength(200_000);
  });

  it('never shows a claim token', () => {
    for (const { claimToken } of plan.devices) expect(text).not.toContain(claimToken);
  });
});
