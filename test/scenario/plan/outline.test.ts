import { describe, expect, it } from 'vitest';
import { outline } from '../../../src/scenario/plan/outline.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { scenarioOf } from '../fixtures.js';

const FLEET =
  '  - { name: clime, profile: clime, count: 3, serial: 1 }\n  - { name: roof, profile: control, count: 2, serial: 9 }\n';
const HEAD = `name: test
duration: 2h
faults:
  - { outage: both, from: 10m, until: 20m, to: roof }
  - { service-restart: { away: 2m }, from: 30m }
  - { signal: { rsrp: -123 }, from: 40m, until: 50m, to: clime }
  - { brown-out:, from: 55m, to: roof }
`;
const STEPS = '  - { at: 40m, to: roof, radio: off }\n  - { at: 1h, to: clime, commands: [info show] }\n';
const planned = (serials: readonly number[] = []) =>
  outline(planScenario(scenarioOf({ head: HEAD, fleet: FLEET, steps: STEPS })), serials);

describe('the outline of a plan', () => {
  it('lists the faults of the network, of the service and of devices, and the steps, but not those that carry out faults', () => {
    const minute = 60_000;
    expect(planned().marks.map(({ kind, what, whom, from, until }) => [kind, what, whom, from, until])).toEqual([
      ['fault', 'outage', 'roof', 10 * minute, 20 * minute],
      ['fault', 'service-restart', '', 30 * minute, 32 * minute],
      ['fault', 'signal (antenna: RSRP -123 dBm)', 'clime', 40 * minute, 50 * minute],
      ['fault', 'brown-out (battery: 3 V)', 'roof', 55 * minute, null],
      ['step', 'radio: off', '2 devices', 40 * minute, 40 * minute],
      ['step', 'commands: info show', '3 devices', 60 * minute, 60 * minute],
    ]);
  });

  it('lists the faults that affect a device', () => {
    expect(planned([1, 9, 9]).faultsOf).toEqual({ 1: ['fault-2', 'fault-3'], 9: ['fault-1', 'fault-2', 'fault-4'] });
    expect(planned().faultsOf).toEqual({});
  });
});
