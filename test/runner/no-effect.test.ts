/** Warnings about faults and steps of a scenario that cannot have an effect. */
import { describe, expect, it } from 'vitest';
import { packagedProfiles } from '../../src/profile/library.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import { withoutEffect } from '../../src/runner/no-effect.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';

const profiles = packagedProfiles();
const types = describeDeviceTypes(profiles);

/** The warnings for a scenario of 8 h with two Meteo devices on batteries, and three Control devices on a power line. */
function warnings(rest: string, fleet = ''): readonly string[] {
  const text = `name: test
duration: 8h
fleet:
  - { name: cellar, profile: meteo, count: 2 }
  - { name: plant, profile: control, count: 3 }
${fleet}${rest}`;
  return withoutEffect(planScenario(parseScenario(text, 'test.yaml', types)), profiles);
}

describe('a brown-out', () => {
  const BROWN_OUT = 'faults:\n  - { brown-out:, from: 3h, until: 4h, to: plant }\n';
  const SUPPLIED = [
    'fault brown-out at 3h: no effect on 3 devices of plant: a device does not use its battery while the power line ' +
      'supplies it; add a step "line-power: off" at or before that time',
  ];

  it('has no effect on devices that a power line supplies', () => expect(warnings(BROWN_OUT)).toEqual(SUPPLIED));

  it.each([
    ['is cut before', '{ at: 1h, to: plant, line-power: off }', []],
    ['is cut while it lasts', '{ at: 210m, to: plant, line-power: off }', []],
    ['is cut by its sensor', '{ at: 1h, to: plant, sensor: { backup.line_voltage: 0 } }', []],
    ['is cut at a time that depends on the run', '{ after: device.ready == 5, to: plant, line-power: off }', []],
    ['is cut for one of the devices', '{ at: 1h, to: plant/2, line-power: off }', []],
    ['is cut afterwards', '{ at: 5h, to: plant, line-power: off }', SUPPLIED],
    [
      'stays, and a step changes a sensor of another group',
      '{ at: 1h, to: cellar, sensor: { hygrometer.temperature: 1 } }',
      SUPPLIED,
    ],
  ])('is judged by the supply of the devices: the power line %s', (_, step, expected) => {
    expect(warnings(`${BROWN_OUT}steps:\n  - ${step}\n`)).toEqual(expected);
  });
});

describe('a fault or a step', () => {
  const SILENT = '  - { name: silent, profile: clime, count: 2, config: { mode: none } }\n';
  const LATE = '  - { name: late, profile: meteo, count: 2, boot: { from: 2h } }\n';
  const OFF = 'switches trigger.1.state off';
  const UNUSED = 'a device never connects over LTE';
  const TOO_EARLY = 'it ends before their first start';
  const BEFORE = 'it comes before their first start';

  it.each([
    [
      'of a sensor that the configuration switches off',
      'faults: [{ stuck-sensor: { trigger.1.state: 1 }, to: plant }]',
      OFF,
    ],
    [
      'of an input that the configuration switches off',
      'steps: [{ at: 1h, to: plant, pulse: { input: trigger.1.state } }]',
      OFF,
    ],
    ['of the network, for devices without a radio', 'faults: [{ outage: both, to: silent }]', UNUSED],
    ['of the signal, for devices without a radio', 'faults: [{ signal: { rsrp: -121 }, to: silent }]', UNUSED],
    ['of the modem, for devices without a radio', 'steps: [{ at: 1h, to: silent, modem: mute }]', UNUSED],
    ['of the network that ends before the first start', 'faults: [{ loss: 5%, until: 1h, to: late }]', TOO_EARLY],
    ['of devices that ends before the first start', 'faults: [{ no-signal:, until: 1h, to: late }]', TOO_EARLY],
    ['of a modem that is still off', 'steps: [{ at: 1h, to: late, modem: error }]', BEFORE],
    ['of a shell that does not run yet', 'steps: [{ at: 1h, to: late, shell: app config }]', BEFORE],
    ['of a clock that does not run yet', 'faults: [{ clock-skew: 1h, from: 1h, to: late }]', BEFORE],
    ['of a button before the first start', 'steps: [{ at: 1h, to: late, button: { clicks: 1 } }]', BEFORE],
    [
      'of a button that is released before the first start',
      'steps: [{ at: 1h, to: late, button: { hold: 6s } }]',
      BEFORE,
    ],
    [
      'that ends each time before the first start',
      'faults: [{ outage: both, from: 10m, until: 90m, every: 25m, lasts: 5m, to: late }]',
      TOO_EARLY,
    ],
    [
      'that ends before the first start, unlike another one',
      'faults: [{ outage: both, until: 10m, to: late }, { outage: both, from: 3h, until: 4h, to: late }]',
      TOO_EARLY,
    ],
    [
      'that clicks the button too often',
      'steps: [{ at: 1h, to: plant, button: { clicks: 6 } }]',
      'no action for 6 clicks',
    ],
    [
      'that holds the button too briefly',
      'steps: [{ at: 1h, to: plant, button: { hold: 3s } }]',
      'held for 5s or longer',
    ],
    [
      'that selects no device',
      'steps: [{ at: 1h, over: 1h, to: "!(100% of all)", modem: mute }]',
      'it selects no device',
    ],
  ])('%s has no effect', (_, rest, reason) => {
    expect(warnings(`${rest}\n`, SILENT + LATE)).toEqual([expect.stringContaining(reason)]);
  });

  it.each([
    [
      'of a sensor that a step may switch on',
      'steps: [{ at: 1h, to: plant, shell: app config channel-mode-1 trigger }, { at: 2h, to: plant, sensor: { trigger.1.state: 1 } }]',
    ],
    [
      'of a radio that a step may switch on',
      'faults: [{ outage: both, to: silent }]\nsteps: [{ at: 1h, to: silent, shell: app config mode lte }]',
    ],
    [
      'of devices that a power cycle starts earlier',
      'faults: [{ no-signal:, until: 1h, to: late }]\nsteps: [{ at: 30m, to: late, power-cycle: }]',
    ],
    ['of groups of which one device is affected', 'faults: [{ no-signal:, from: 3h, until: 4h, to: plant/2 | late }]'],
    [
      'of the network that recurs after the first start',
      'faults: [{ outage: both, from: 30m, until: 4h, every: 45m, lasts: 5m, to: late }]',
    ],
    [
      'of devices that recurs after the first start',
      'faults: [{ no-signal:, from: 30m, until: 4h, every: 45m, lasts: 5m, to: late }]',
    ],
    ['of a modem that is defective before the first start', 'steps: [{ at: 1h, to: late, modem: no-sim }]'],
    ['of a button that is held until after the first start', 'steps: [{ at: 1h, to: late, button: { hold: 61m } }]'],
    ['of a modem after a wait', 'steps: [{ after: device.ready == 5, to: late, modem: error }]'],
    ['that clicks the button for a report', 'steps: [{ at: 3h, button: { clicks: 1 } }]'],
  ])('%s is not reported', (_, rest) => expect(warnings(`${rest}\n`, SILENT + LATE)).toEqual([]));

  it('that recurs is reported once, with its first time', () => {
    const recurring = 'faults: [{ brown-out:, from: 1h, until: 5h, every: 1h, lasts: 10m, to: plant }]\n';
    expect(warnings(recurring)).toEqual([expect.stringMatching(/^fault brown-out at 1h: /)]);
  });
});

describe('an expectation about the time of API requests', () => {
  const TIMED = 'load: [{ latest-value:, rate: 1/s }]\nexpect: [call.latency p(95) < 100ms]\n';

  it('tests nothing in virtual time', () =>
    expect(warnings(TIMED)).toEqual([
      'expectation "call.latency p(95) < 100ms" tests nothing in virtual time, because API requests take no time there',
    ]));

  it('tests something with a fault of the cloud', () =>
    expect(warnings(`${TIMED}faults: [{ api-delay: 2s, from: 1h, until: 2h }]\n`)).toEqual([]));
});
