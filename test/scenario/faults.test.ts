/** What goes wrong in a scenario: faults of the network, of devices and of the embedded cloud. */
import { describe, expect, it } from 'vitest';
import { describePlan } from '../../src/scenario/describe.js';
import { planScenario } from '../../src/scenario/plan-scenario.js';
import { problemsOf, scenarioOf, yamlOf } from './fixtures.js';

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

  it('without an end lasts through the time in which the world settles', () => {
    expect(planOf('  - { no-signal:, from: 1h }\n').actions).toHaveLength(1);
  });

  it('may be a reboot, once or again and again', () => {
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

it('a fault of the network is one like those under network, and adds up with them', () => {
  const plan = planScenario(
    scenarioOf({
      head: withFaults('  - { corruption: 1%, to: 50% of control, way: up }\n'.replace(', way: up', '')),
      network: '  loss: 1%\n  bandwidth: 25kbit/s\n  jitter: { by: 1s, shape: bell }\n',
    }),
  );
  expect(plan.network.map(({ fault, devices }) => [fault.kind, devices?.length])).toEqual([
    ['jitter', undefined],
    ['bandwidth', undefined],
    ['loss', undefined],
    ['corruption', 1],
  ]);
});

it('a service that is down does not hear devices either', () => {
  const plan = planOf('  - { service-down:, from: 10m, until: 20m }\n  - { api-errors: 20%, from: 1h }\n');
  expect(plan.network).toMatchObject([
    { fault: { kind: 'outage' }, from: minutes(10), until: minutes(20), devices: null },
  ]);
  expect(plan.serviceFaults).toMatchObject([
    { fault: { kind: 'service-down' } },
    { fault: { kind: 'api-errors', status: 503, share: 0.2 } },
  ]);
  expect(describePlan(plan)).toMatch(/1h to the end +api-errors 503, 20%/);
});

it.each([
  ['{ outage: both, from: 1h, until: 1h }', 'the fault would end before it begins'],
  ['{ no-signal:, from: 3h }', 'the fault would begin after the end of the scenario'],
  ['{ no-signal: yes, from: 1h }', '"yes" is not left empty'],
  ['{ outrage: both }', '"outrage" is not a key of a fault (did you mean "outage"?)'],
  ['{ outage: both, no-signal: }', 'exactly one of'],
  ['{ reboot: { every: 10ms } }', 'is not a reboot every second or more rarely'],
  ['{ reboot:, from: 1h, until: 90m }', '"reboot" is over at once: it has no "until"'],
  ['{ signal: free }', '"free" is not a signal'],
  ['{ stuck-sensor: { a.b: free } }', 'is not sensors that are stuck'],
  ['{ api-errors: { status: 200, share: 1% } }', '"200" is not a whole number from 400 to 599'],
  ['{ api-errors: 5%, to: clime }', '"api-errors" hits the service: it has no "to"'],
  ['{ bandwidth: fast }', '"fast" is not a bandwidth such as'],
  ['{ jitter: { by: 1s, shape: round } }', '"round" is not one of even, bell or tail'],
])('refuses %s', (fault, message) => {
  const problems = problemsOf(yamlOf({ head: withFaults(`  - ${fault}\n`) }));
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(message);
});
