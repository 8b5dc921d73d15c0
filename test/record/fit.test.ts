/** Groups that behave like the devices of a recording. */
import { describe, expect, it } from 'vitest';
import { packagedProfiles } from '../../src/profile/library.js';
import { fitGroups } from '../../src/record/fit.js';
import { scenarioYaml } from '../../src/record/fit-yaml.js';
import type { Recording } from '../../src/record/recording.js';
import { deviceTypes } from '../../src/runner/known-types.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { recording, uplink } from './fixtures.js';

const profiles = packagedProfiles();
const types = deviceTypes(profiles);
const MINUTE = 60_000;

/** Reports of a device at these minutes. */
const reports = (device: string, minutes: readonly number[], size = 200) =>
  minutes.map((minute) => uplink(minute * MINUTE, { device, size }));

const every = (step: number, count: number) => Array.from({ length: count }, (_, i) => i * step);

const scenarioOf = (made: Recording) => {
  const yaml = scenarioYaml('fitted', made, fitGroups(made, profiles), ({ profile, firmware }, line) =>
    types.get(profile)?.version(firmware).flashRefusal(line),
  );
  return parseScenario(yaml, 'fitted.yaml', types, { profiles, readFile: () => ({ file: '', text: '' }) });
};

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
    expect(group?.dropOuts).toEqual([{ device: 1, from: 27.5 * MINUTE, until: 42.5 * MINUTE, missed: 3 }]);
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

  it('has no groups when no device reported twice', () => {
    expect(fitGroups(recording([uplink(0)]), profiles)).toEqual([]);
  });
});
