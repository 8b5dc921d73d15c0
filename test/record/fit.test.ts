/** Groups that behave like the devices of a recording. */
import { describe, expect, it } from 'vitest';
import { packagedProfiles } from '../../src/profile/library.js';
import { fitGroups } from '../../src/record/fit.js';
import { writeScenario } from '../../src/record/fit-yaml.js';
import type { Recording } from '../../src/record/recording.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { downlink, recording, uplink } from './fixtures.js';

const profiles = packagedProfiles();
const types = describeDeviceTypes(profiles);
const MINUTE = 60_000;

/** Reports of a device at these minutes. */
const reports = (device: string, minutes: readonly number[], size = 200) =>
  minutes.map((minute) => uplink(minute * MINUTE, { device, size }));

const every = (step: number, count: number) => Array.from({ length: count }, (_, i) => i * step);

const yamlOf = (made: Recording) =>
  writeScenario('fitted', made, fitGroups(made, profiles), ({ profile, firmware }, line) =>
    types.get(profile)?.version(firmware).flashRefusal(line),
  );

const scenarioOf = (made: Recording) =>
  parseScenario(yamlOf(made), 'fitted.yaml', types, { profiles, readFile: () => ({ file: '', text: '' }) });

/** The lines of the scenario below `steps:`. */
const stepsOf = (made: Recording) =>
  [...yamlOf(made).matchAll(/^ {2}(- \{ at: .*|# .*(?:fit|time:|started).*)$/gm)].map(([, line]) => line);

/** A configuration message at a minute. */
const config = (device: string, minute: number, reportEvery: number, pollEvery: number | null = null) =>
  uplink(minute * MINUTE, { device, type: 'config', reportEvery, pollEvery });

/** A recording of four hours. */
const long = (ups: Parameters<typeof recording>[0], downs: Parameters<typeof recording>[1] = []) => {
  const { from, devices, ...made } = recording(ups, downs);
  const clime = devices.map(({ device }) => ({ device, type: 'clime', firmware: null }));
  return { ...made, from, until: from + 240 * MINUTE, devices: clime };
};

/** Minutes of reports: at first every `one`, from minute 60 on every `other`. */
const changed = (one: number, other: number) => [
  ...every(one, 60 / one),
  ...every(other, Math.ceil(180 / other)).map((minute) => 61 + minute),
];

describe('fitting', () => {
  it('groups devices with the same type and report period', () => {
    const made = recording([
      ...reports('d1', every(5, 10)),
      ...reports('d2', every(5, 10)),
      ...reports('d3', every(15, 4)),
    ]);
    expect(fitGroups(made, profiles).map(({ name, count, period }) => [name, count, period])).toEqual([
      ['clime-300', 2, 5 * MINUTE],
      ['clime-900', 1, 15 * MINUTE],
    ]);
  });

  it('says how many devices are in no group, because they reported less than twice', () => {
    const all = [...reports('d1', every(5, 10)), ...reports('d2', every(5, 10))];
    const once = recording([...all, ...reports('d3', [7])]);
    expect(yamlOf(once)).toContain(
      'a recording of 3 devices over 1h.\n# Of them, 1 device without two reports is left',
    );
    const twice = recording([...all, ...reports('d3', [7]), uplink(MINUTE, { device: 'd4', type: 'session' })]);
    expect(yamlOf(twice)).toContain('# Of them, 2 devices without two reports are left out.\n');
    expect(yamlOf(recording(all))).not.toContain('left out');
  });

  it('finds the device type by the name of the firmware, or by the names of values', () => {
    const ups = [...reports('d1', every(5, 4)), ...reports('d2', every(5, 4))];
    const values = (profiles.get('scale')?.decoder.keys ?? []).map(({ path }) => ({
      ...{ device: 'd2', key: path, min: 1, max: 2, count: 4 },
    }));
    const devices = [
      { device: 'd1', type: 'push', firmware: null },
      { device: 'd2', type: null, firmware: null },
    ];
    const groups = fitGroups(recording(ups, [], { devices, values }), profiles);
    expect(groups.map(({ profile, by }) => [profile, by])).toEqual([
      ['push', 'firmware'],
      ['scale', 'values'],
    ]);
  });

  it('groups devices of one type by firmware version and poll interval', () => {
    const names = ['d1', 'd2', 'd3', 'd4', 'd5'];
    const ups = names.flatMap((device) => reports(device, every(5, 6)));
    const polls = [
      uplink(10, { device: 'd3', type: 'config', reportEvery: 300, pollEvery: 60 }),
      uplink(20, { device: 'd1', type: 'config', reportEvery: 300, pollEvery: 0 }),
    ];
    const firmware = ['3.5.5', '4.0.0', '4.0.0', '4.0.0', null];
    const devices = names.map((device, i) => ({ device, type: 'clime', firmware: firmware[i] ?? null }));
    const made = recording([...polls, ...ups], [], { devices });
    expect(scenarioOf(made).fleet.map(({ firmware: version, count, config }) => [version, count, config])).toEqual([
      ['4.0.0', 2, ['app config interval-report 300']],
      ['3.5.5', 1, ['app config interval-report 300']],
      ['4.0.0', 1, ['app config interval-report 300', 'app config interval-poll 60']],
      [null, 1, ['app config interval-report 300']],
    ]);
  });

  it('uses the last poll interval of a device', () => {
    const config = (at: number, pollEvery: number | null) =>
      uplink(at, { type: 'config', reportEvery: 300, pollEvery });
    const made = recording([config(10, 60), config(20, 90), config(30, null), ...reports('d1', every(5, 6))]);
    expect(fitGroups(made, profiles)[0]?.poll).toBe(90_000);
  });

  it('measures jitter and absences separately', () => {
    const made = recording(reports('d1', [0, 5, 10, 16, 20, 25, 45, 50, 55, 60]));
    const [group] = fitGroups(made, profiles);
    expect(group).toMatchObject({ period: 5 * MINUTE, missing: 3, due: 13 });
    expect(group?.jitter).toBeCloseTo(0.2);
    expect(group?.dropOuts).toEqual([
      { device: 1, from: 27.5 * MINUTE, until: 42.5 * MINUTE, missed: 3, restarts: false },
    ]);
  });

  it('writes a valid scenario with absences, ranges and the interval', () => {
    const values = [{ device: 'd1', key: 'hygrometer.temperature.measurements.avg', min: 4, max: 9.5, count: 20 }];
    const made = recording(reports('d1', [0, 5, 10, 15, 20, 25, 45, 50, 55]), [], {
      values,
      devices: [{ device: 'd1', type: 'clime', firmware: null }],
    });
    const { fleet, steps } = scenarioOf(made);
    expect(fleet).toMatchObject([
      { name: 'clime', profile: 'clime', count: 1, config: ['app config interval-report 300'] },
    ]);
    expect(steps.map(({ call }) => call.step)).toEqual(['radio', 'radio', 'sensor']);
  });

  it('uses the measured period when the configuration contradicts it', () => {
    const config = uplink(10, { type: 'config', reportEvery: 3000 });
    expect(scenarioOf(recording([config, ...reports('d1', every(5, 6))])).fleet[0]?.config).toEqual([
      'app config interval-report 300',
    ]);
  });

  it.each([
    [5, 10],
    [5, 20],
    [20, 5],
  ])('follows a report interval that a configuration changes from %d to %d minutes', (one, other) => {
    const downs = [downlink(55 * MINUTE, 59 * MINUTE, { type: 'config' })];
    const ups = [config('d1', 0, one * 60), config('d1', 60, other * 60), ...reports('d1', changed(one, other))];
    const made = long(ups, downs);
    const answer = made.uplinks.find(({ at, type }) => type === 'config' && at === 60 * MINUTE)?.n ?? null;
    const answered = { ...made, downlinks: made.downlinks.map((each) => ({ ...each, answer })) };
    expect(fitGroups(answered, profiles)).toMatchObject([{ period: one * MINUTE, missing: 0, dropOuts: [] }]);
    expect(scenarioOf(answered).fleet[0]?.config).toEqual([`app config interval-report ${one * 60}`]);
    // The scenario queues the configuration when it was queued, not when the device had it.
    expect(stepsOf(answered)).toEqual([`- { at: 55m, to: clime/1, config: { interval-report: ${other * 60} } }`]);
  });

  it('follows a poll interval, and a change before the time of which no configuration is known', () => {
    const ups = [config('d1', 60, 600, 60), config('d1', 180, 600, 120), ...reports('d1', changed(5, 10))];
    expect(stepsOf(long(ups))).toEqual([
      '- { at: 57m30s, to: clime/1, config: { interval-report: 600 } }',
      '- { at: 2h55m, to: clime/1, config: { interval-poll: 120 } }',
    ]);
  });

  it('has one step for all devices of a group that received the same configuration', () => {
    const ups = ['d1', 'd2', 'd3'].flatMap((device, i) => [
      ...[config(device, 0, 300), config(device, 60 + i, 600)],
      ...reports(device, changed(5, 10)),
    ]);
    expect(stepsOf(long(ups))).toEqual(['- { at: 57m30s, over: 3m, to: clime, config: { interval-report: 600 } }']);
  });

  it('says that a change of the interval without a configuration message may be missing reports', () => {
    expect(stepsOf(long(reports('d1', changed(5, 10))))).toEqual([
      '# The reports of clime/1 fit "interval-report: 600" from here on, but the recording has no configuration message of this',
      '# time: the interval may have changed, or reports may be missing regularly.',
      '- { at: 58m30s, to: clime/1, config: { interval-report: 600 } }',
    ]);
  });

  it('keeps an absence beside a change, and takes reports that follow it at once for no interval', () => {
    const burst = [120, 120.05, 120.1, 120.15, 120.2, 120.25];
    const minutes = [...changed(5, 10).filter((minute) => minute < 75 || minute > 119), ...burst];
    const made = long([
      config('d1', 0, 300),
      config('d1', 60, 600),
      ...reports(
        'd1',
        minutes.sort((a, b) => a - b),
      ),
    ]);
    expect(stepsOf(made)).toEqual([
      '- { at: 57m30s, to: clime/1, config: { interval-report: 600 } }',
      '- { at: 1h16m, to: clime/1, radio: off }',
      '- { at: 1h55m, to: clime/1, radio: on }',
    ]);
  });

  it('does not take a restart with the same configuration for a change', () => {
    const ups = [config('d1', 0, 300, 60), config('d1', 60, 300, 60), ...reports('d1', every(5, 48))];
    expect(stepsOf(long(ups))).toEqual([]);
  });

  it('has groups of their own for devices that began later, and names devices that sent nothing more', () => {
    const made = long([
      ...reports('d1', every(5, 48)),
      ...reports('d2', every(5, 24)),
      ...reports('d3', every(5, 22)).map((up) => ({ ...up, at: up.at + 130 * MINUTE })),
    ]);
    expect(fitGroups(made, profiles).map(({ count, begins, missing }) => [count, begins.from, missing])).toEqual([
      [2, 0, 0],
      [1, 130 * MINUTE, 0],
    ]);
    expect(scenarioOf(made).fleet.map(({ boot }) => boot.from)).toEqual([0, 130 * MINUTE]);
    expect(yamlOf(made)).toContain(
      '# clime-300/2 sent nothing after 1h 55m: removed, replaced, switched off or out of reach.',
    );
    expect(yamlOf(made)).toContain('# Sent nothing before 2h 10m: added then, possibly in place of other devices.');
    expect(stepsOf(made)).toEqual([]);
  });

  it('has the firmware at the beginning, names later versions, and takes an update for no absence', () => {
    const session = (minute: number, firmware: string) => uplink(minute * MINUTE, { type: 'session', firmware });
    const minutes = every(5, 48).filter((minute) => minute < 60 || minute > 75);
    const made = long([session(0, '3.5.5'), session(75, '4.0.0'), ...reports('d1', minutes)]);
    expect(scenarioOf(made).fleet[0]?.firmware).toBe('3.5.5');
    expect(yamlOf(made)).toContain('# clime/1 ran firmware 4.0.0 from 1h 15m on. Here it is not updated.');
    expect(stepsOf(made)).toEqual([]);
  });

  it('says that a device which started again after a silence may have been without power', () => {
    const minutes = every(5, 48).filter((minute) => minute < 60 || minute > 90);
    const made = long([uplink(90 * MINUTE, { type: 'session' }), ...reports('d1', minutes)]);
    expect(stepsOf(made)).toEqual([
      '# clime/1 started again after this silence: it may have been without power.',
      '- { at: 57m30s, to: clime/1, radio: off }',
      '- { at: 1h27m30s, to: clime/1, radio: on }',
    ]);
  });

  it('has no groups when no device reported twice', () => {
    expect(fitGroups(recording([uplink(0)]), profiles)).toEqual([]);
  });
});
