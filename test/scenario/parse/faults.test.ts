/** The faults of a scenario: of the network, of devices and of the embedded cloud. */
import { describe, expect, it } from 'vitest';
import { describePlan } from '../../../src/scenario/plan/describe.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { problemsOf, scenarioOf, yamlOf } from '../fixtures.js';

const withFaults = (faults: string) => `name: test\nduration: 2h\nfaults:\n${faults}`;
const planOf = (faults: string) => planScenario(scenarioOf({ head: withFaults(faults) }));
const minutes = (n: number) => n * 60_000;

describe('a fault of a device', () => {
  it.each([
    ['brown-out:', 'battery: 3 V', 'battery: new'],
    ['signal: { rsrp: -121 }', 'antenna: RSRP -121 dBm', 'antenna: free'],
    ['no-signal:', 'radio: off', 'radio: on'],
    ['clock-drift: { drift: 120ppm }', 'clock: 120 ppm fast', 'clock: 0 ppm fast'],
    ['flash-failure:', 'flash: worn out', 'flash: new'],
    ['modem-failure: no-sim', 'modem: no-sim', 'modem: mended'],
    ['stuck-sensor: { a.b: 3, c.d: silent }', 'sensor: a.b = 3, c.d silent', 'sensor: a.b free, c.d free'],
  ])('%s is two steps: one begins it, one ends it', (fault, begin, end) => {
    const plan = planOf(`  - { ${fault}, from: 10m, until: 20m, to: clime }\n`);
    expect(plan.actions.map(({ at, devices }) => [at, devices])).toEqual([
      [minutes(10), [0, 1, 2]],
      [minutes(20), [0, 1, 2]],
    ]);
    expect(describePlan(plan)).toContain(begin);
    expect(describePlan(plan)).toContain(end);
  });

  it('may have no end: a clock that has jumped stays wrong until it is set', () => {
    const plan = planOf('  - { clock-skew: -2h, from: 1h, to: clime/1 }\n');
    expect(plan.actions).toMatchObject([{ at: minutes(60), devices: [0], options: { drift: null, skew: -7_200_000 } }]);
    expect(describePlan(plan)).toContain('clock: 2h behind');
  });

  it('without an end has no step that ends it, so it also holds while the run settles', () => {
    expect(planOf('  - { no-signal:, from: 1h }\n').actions).toHaveLength(1);
  });

  it('may be a reboot, once or repeatedly', () => {
    expect(planOf('  - { reboot:, from: 1h, to: clime/1 }\n').actions).toMatchObject([
      { at: minutes(60), devices: [0] },
    ]);
    const { actions } = planOf('  - { reboot: { every: 10m }, from: 1h, until: 90m }\n');
    expect(actions.map(({ at, step }) => [at, step])).toEqual([
      [minutes(60), 'power-cycle'],
      [minutes(70), 'power-cycle'],
      [minutes(80), 'power-cycle'],
    ]);
  });
});

it('a fault of the network takes effect in addition to those under "network"', () => {
  const plan = planScenario(
    scenarioOf({
      head: withFaults('  - { corruption: 1%, to: 50% of control }\n'),
      network: '  loss: 1%\n  bandwidth: 25kbit/s\n  jitter: { by: 1s, shape: bell }\n',
    }),
  );
  expect(plan.faults.map(({ kind, devices }) => [kind, devices?.length])).toEqual([
    ['loss', undefined],
    ['bandwidth', undefined],
    ['jitter', undefined],
    ['corruption', 1],
  ]);
});

describe('a recurring fault', () => {
  it('of the network is one fault with several times, and not active beyond its end', () => {
    const plan = planOf('  - { outage: both, from: 10m, until: 35m, every: 10m, lasts: 6m, to: clime }\n');
    expect(plan.faults).toMatchObject([
      {
        ...{ id: 'fault-1', kind: 'outage', options: 'both', to: 'clime', devices: [0, 1, 2] },
        windows: [
          { from: minutes(10), until: minutes(16) },
          { from: minutes(20), until: minutes(26) },
          { from: minutes(30), until: minutes(35) },
        ],
      },
    ]);
  });

  it('of a device or of the service begins and ends repeatedly', () => {
    const plan = planOf(
      '  - { no-signal:, from: 1h, every: 20m, lasts: 5m }\n  - { api-errors: 5%, every: 1h, lasts: 1m }\n',
    );
    expect(plan.actions.map(({ at, options }) => [at, options])).toEqual([
      [minutes(60), 'off'],
      [minutes(65), 'on'],
      [minutes(80), 'off'],
      [minutes(85), 'on'],
      [minutes(100), 'off'],
      [minutes(105), 'on'],
    ]);
    expect(plan.actions.every(({ fault }) => fault === 'fault-2')).toBe(true);
    expect(plan.faults).toMatchObject([
      {
        kind: 'api-errors',
        windows: [
          { from: 0, until: minutes(1) },
          { from: minutes(60), until: minutes(61) },
        ],
      },
      { id: 'fault-2', kind: 'no-signal', windows: [{}, {}, {}] },
    ]);
  });

  it('does not recur after the end of the scenario, and adds no problem if the duration is invalid', () => {
    const lasting = '  - { no-signal:, from: 1h30m, until: 5h, every: 20m, lasts: 15m }\n';
    expect(planOf(lasting).actions.map(({ at, options }) => [at, options])).toEqual([
      [minutes(90), 'off'],
      [minutes(105), 'on'],
      [minutes(110), 'off'],
      [minutes(120), 'on'],
    ]);
    const head = withFaults('  - { loss: 5%, every: 1h, lasts: 1m }\n').replace('duration: 2h', 'duration: long');
    expect(problemsOf(yamlOf({ head }))).toEqual([expect.stringContaining('"long" is not a duration')]);
  });

  it('reports each problem of its options only once', () => {
    expect(problemsOf(yamlOf({ head: withFaults('  - { loss: 5, until: 1h, every: 1m, lasts: 1s }\n') }))).toHaveLength(
      1,
    );
  });
});

it('the plan lists the faults of the service, each once', () => {
  const plan = planOf('  - { service-down:, from: 10m, until: 20m }\n  - { api-errors: 20%, from: 1h }\n');
  expect(plan.faults).toMatchObject([
    { kind: 'service-down', windows: [{ from: minutes(10), until: minutes(20) }], devices: null },
    { kind: 'api-errors', options: { status: 503, share: 0.2 } },
  ]);
  expect(describePlan(plan)).toMatch(/service +10m to 20m +service-down\n +1h to the end +api-errors 503, 20%/);
  expect(describePlan(plan)).not.toContain('network');
});

it('a killed service is down for a duration, until a time, repeatedly, or permanently', () => {
  const plan = planOf(
    [
      '  - { service-restart: { away: 30s }, from: 10m }',
      '  - { service-restart:, from: 20m, until: 25m }',
      '  - { service-restart:, from: 30m, until: 50m, every: 10m, lasts: 1m }',
      '  - { service-restart:, from: 1h }\n',
    ].join('\n'),
  );
  expect(plan.faults.map(({ windows }) => windows.map(({ from, until }) => [from, until]))).toEqual([
    [[minutes(10), minutes(10) + 30_000]],
    [[minutes(20), minutes(25)]],
    [
      [minutes(30), minutes(31)],
      [minutes(40), minutes(41)],
    ],
    [[minutes(60), null]],
  ]);
});

it('a store may be unavailable completely, or for writing only', () => {
  const plan = planOf('  - { store-unavailable:, from: 10m }\n  - { store-unavailable: writes, from: 20m }\n');
  expect(describePlan(plan)).toMatch(
    /10m to the end +store-unavailable\n.*20m to the end +store-unavailable, writes\n/,
  );
});

it('the plan lists the faults of devices by name, and each of their steps refers to its fault', () => {
  const { faults, actions } = planOf(
    [
      '  - { no-signal:, from: 10m, until: 20m, to: clime/1 }',
      '  - { brown-out:, from: 1h, until: 3h }',
      '  - { reboot:, from: 5m }\n',
    ].join('\n'),
  );
  const window = (from: number, until: number | null) => [{ from: minutes(from), until: until && minutes(until) }];
  const options = null;
  expect(faults).toEqual([
    { id: 'fault-1', kind: 'no-signal', options, windows: window(10, 20), to: 'clime/1', devices: [0] },
    { id: 'fault-2', kind: 'brown-out', options, windows: window(60, null), to: null, devices: null },
    { id: 'fault-3', kind: 'reboot', options, windows: window(5, 5), to: null, devices: null },
  ]);
  expect(actions.map(({ at, step, fault }) => [at, step, fault])).toEqual([
    [minutes(5), 'power-cycle', 'fault-3'],
    [minutes(10), 'radio', 'fault-1'],
    [minutes(20), 'radio', 'fault-1'],
    [minutes(60), 'battery', 'fault-2'],
  ]);
});

it.each([
  ['{ outage: both, every: 1h }', 'a recurring fault needs both "every" and "lasts"'],
  ['{ outage: both, every: 1h, lasts: 1h }', '"1h" is not more than 0 and less than "every"'],
  [
    '{ outage: both, every: 500ms, lasts: 100ms }',
    '"500ms" is not an interval for which the fault occurs at most 10000 times',
  ],
  ['{ outage: both, from: 1h, until: 1h }', 'the fault would end before it begins'],
  ['{ no-signal:, from: 3h }', 'the fault would begin after the end of the scenario'],
  ['{ no-signal: yes, from: 1h }', '"yes" is not empty: it has no options, so write nothing after its colon'],
  ['{ outrage: both }', '"outrage" is not a key of a fault (did you mean "outage"?)'],
  ['{ outage: both, no-signal: }', 'exactly one of'],
  ['{ reboot: { every: 10ms } }', 'is not a reboot with "every" of 1s or more'],
  ['{ reboot:, from: 1h, until: 90m }', '"reboot" has no duration: it has no "until"'],
  ['{ clock-skew: 2h, from: 1h, until: 90m }', '"clock-skew" has no duration: it has no "until"'],
  ['{ clock-skew: later }', '"later" is not a jump of a clock'],
  ['{ clock-drift: { drift: 120ppm, skew: 2h } }', '"skew" is not a key of clock-drift'],
  ['{ signal: free }', '"free" is not a signal'],
  ['{ stuck-sensor: { a.b: free } }', '"stuck-sensor" accepts only a number or "silent" for each sensor'],
  ['{ api-errors: { status: 200, share: 1% } }', '"200" is not a whole number from 400 to 599'],
  ['{ api-errors: 5%, to: clime }', '"api-errors" affects the whole service: it has no "to"'],
  [
    '{ service-restart: { away: 30s }, from: 1h, until: 2h }',
    '"service-restart" with "away" has no "until": "away" is its duration',
  ],
  [
    '{ service-restart: { away: 30s }, every: 1h, lasts: 1m }',
    '"service-restart" with "away" has no "lasts": "away" is its duration',
  ],
  ['{ service-restart: { away: 10ms } }', '"10ms" is not a second or more'],
  ['{ service-restart: { away: 999999999d } }', '"999999999d" is not at most 100000d'],
  ['{ service-restart: soon }', '"soon" is not empty: it has no options, so write nothing after its colon'],
  ['{ store-unavailable: reads }', '"reads" is not left empty, or "writes"'],
  ['{ bandwidth: fast }', '"fast" is not a bandwidth such as'],
  ['{ jitter: { by: 1s, shape: round } }', '"round" is not one of even, bell or tail'],
])('the fault %s is rejected', (fault, message) => {
  const problems = problemsOf(yamlOf({ head: withFaults(`  - ${fault}\n`) }));
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(message);
});
