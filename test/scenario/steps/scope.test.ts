/** Steps are checked against the device types of the scenario and the files beside it. */
import { describe, expect, it } from 'vitest';
import { InputError } from '../../../src/input/problems.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import { describeDeviceTypes } from '../../../src/runner/known-types.js';
import type { Scenario } from '../../../src/scenario/model/scenario.js';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';

const profiles = packagedProfiles();

interface Options {
  readonly files?: Readonly<Record<string, string>>;
  /** The devices of the step, from the groups clime and push. */
  readonly to?: string;
}

function scenarioWith(step: string, { files = {}, to = 'clime' }: Options = {}): Scenario {
  const source = [
    'name: test',
    'duration: 2h',
    'fleet:',
    '  - { name: clime, profile: clime, count: 3 }',
    '  - { name: push, profile: push, count: 2 }',
    '  - { name: control, profile: control, count: 1 }',
    'steps:',
    `  - { at: 1h, to: ${to}, ${step} }`,
  ].join('\n');
  const readFile = (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error(`"${path}" cannot be read: the file does not exist`);
    return { file: `scenarios/${path}`, text };
  };
  return parseScenario(source, 'scenarios/test.yaml', describeDeviceTypes(profiles), { profiles, readFile });
}

/** The problems, each as `file:line:column: message`. */
function problemsWith(step: string, options: Options = {}): readonly string[] {
  try {
    scenarioWith(step, options);
  } catch (error) {
    if (error instanceof InputError) {
      return error.problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
    }
    throw error;
  }
  return [];
}

describe('the name of a quantity', () => {
  it('is looked up in the device type, with a suggestion for a typing error', () => {
    const [problem] = problemsWith('sensor: { hygrometer.temprature: 30 }');
    expect(problem).toMatch(/^scenarios\/test\.yaml:8:36: "hygrometer\.temprature" is not a quantity of clime/);
    expect(problem).toContain('(did you mean "hygrometer.temperature"?); it has battery.voltage_rest, ');
  });

  it('must exist in every device type of the step', () => {
    expect(problemsWith('sensor: { hygrometer.temperature: 30 }', { to: 'all' })).toEqual([
      expect.stringContaining('"hygrometer.temperature" is not a quantity of push'),
      expect.stringContaining('"hygrometer.temperature" is not a quantity of control'),
    ]);
    expect(problemsWith('sensor: { thermometer.temperature: 30 }', { to: 'all' })).toEqual([]);
  });

  it('must be that of a counter or a contact in a step `pulse`', () => {
    expect(problemsWith('pulse: { input: hygrometer.temperature }')[0]).toContain('is neither a counter nor a contact');
    expect(problemsWith('pulse: { input: button.2.clicks, stays: 1s, every: 2s }', { to: 'push' })[0]).toContain(
      '"stays" is for contacts, not for counters',
    );
    expect(problemsWith('pulse: { input: button.2.clicks, times: 3 }', { to: 'push' })).toEqual([]);
    expect(problemsWith('pulse: { input: backup.line_voltage }')).toEqual([]);
  });
});

describe('a counter', () => {
  const files = { 'meter.csv': 'time [min],pulses\n0,4\n5,-9999\n10,5e15\n' };

  it.each([
    ['9007199254740991', '9007199254740991'],
    ['-1', '-1'],
    ['{ from: 0, to: 1e300, over: 30m }', '1e+300'],
    ['{ from: -0.5, to: 8, over: 30m }', '-0.5'],
    ['{ replay: meter.csv, column: pulses }', '5000000000000000'],
  ])('cannot be set to %s', (value, bad) => {
    expect(problemsWith(`sensor: { counter.2.pulses: ${value} }`, { to: 'control', files })).toEqual([
      `scenarios/test.yaml:8:56: "counter.2.pulses" counts from 0 to 4503599627370496 (2^52), so it cannot be set to ${bad}`,
    ]);
  });

  it('can be set to 2^52', () => {
    expect(problemsWith('sensor: { counter.2.pulses: 4503599627370496 }', { to: 'control' })).toEqual([]);
  });
});

it('the name of a button must exist in the device type of the step', () => {
  expect(problemsWith('button: { which: 2, clicks: 1 }')).toEqual([
    'scenarios/test.yaml:8:43: clime has only the button on the board, "int"',
  ]);
  expect(problemsWith('button: { which: 2, clicks: 1 }', { to: 'push' })).toEqual([]);
});

describe('a replay', () => {
  const step = 'sensor: { hygrometer.temperature: { replay: day.csv } }';
  const read = (text: string) => {
    const [planned] = scenarioWith(step, { files: { 'day.csv': text } }).steps;
    if (planned?.call.step !== 'sensor') throw new Error('no sensor step');
    const course = planned.call.options['hygrometer.temperature'];
    if (course?.kind !== 'replay') throw new Error('no replay');
    return course.recording;
  };

  it('uses the column with the name of the quantity, with times from the first row', () => {
    const { times, values } = read('# a comment\ntime [min],humidity,temperature [°C]\n5,40,20\n6,41,21.5\n8,42,\n');
    expect(times).toEqual([0, 60_000, 180_000]);
    expect(values).toEqual([20, 21.5, Number.NaN]);
  });

  it('accepts calendar times, semicolons, quotation marks and other units', () => {
    const { times, values } = read(
      '"time";"hygrometer.temperature [°F]"\n2026-03-02T06:00:00Z;32\n"2026-03-02T06:00:30.500Z";"212"\n',
    );
    expect(times).toEqual([0, 30_500]);
    expect(values[0]).toBeCloseTo(0);
    expect(values[1]).toBeCloseTo(100);
  });

  it('accepts times with any fraction and any offset, and lines that end with CR', () => {
    const { times, values } = read(
      'time,temperature\r2026-03-01T06:00:00.123456Z,1\r2026-03-01T07:00:01.5+01:00,2\r2026-03-01 01:00:03.123999999-05:00,3\r',
    );
    expect(times).toEqual([0, 1377, 3001]);
    expect(values).toEqual([1, 2, 3]);
  });

  it('takes the marks of loggers for missing and overrange values as no value', () => {
    const marks = [
      '9.91E+37',
      '-9.9e37',
      'NaN',
      'NAN',
      'n/a',
      '#N/A',
      'null',
      'INF',
      '-Inf',
      'OL',
      '---',
      '-9999',
      '-99999.0',
    ];
    const { values } = read(`time [s],temperature\n0,1\n${marks.map((mark, i) => `${i + 1},"${mark}"`).join('\n')}\n`);
    expect(values).toEqual([1, ...marks.map(() => Number.NaN)]);
  });

  it('keeps numbers that a quantity may have, also those of other loggers’ marks', () => {
    expect(read('time [s],temperature\n0,-55\n1,9999\n2,1e20\n').values).toEqual([-55, 9999, 1e20]);
  });

  it('is in a plan with a fingerprint of the content of its file', () => {
    const print = (text: string) => JSON.stringify(read(text));
    expect(print('time [s],temperature\n0,1\n1,2\n')).toMatch(/^\{"rows":2,"print":"[0-9a-f]{16}"\}$/);
    expect(print('time [s],temperature\n0,1\n1,2\n')).not.toBe(print('time [s],temperature\n0,1\n1,3\n'));
  });

  it.each([
    ['', 'day.csv:1:1: "scenarios/day.csv" has no rows'],
    ['time [s],temperature\n', 'day.csv:1:1: "scenarios/day.csv" has no rows'],
    ['at [s],temperature\n0,1\n', 'day.csv:1:1: no column is called "time"; the columns are "at", "temperature"'],
    ['time [fortnight],temperature\n0,1\n', 'day.csv:1:1: "fortnight" is not a unit of time: ms, s, min, h or d'],
    ['time,temperature\n0,1\n', 'day.csv:2:1: "0" is not a time with its zone'],
    ['time,temperature\n2026-02-30T00:00Z,1\n', 'day.csv:2:1: "2026-02-30T00:00Z" is not a time with its zone'],
    ['time [s],temp\n0,1\n', 'no column is called "hygrometer.temperature" or "temperature"'],
    ['time [s],temperature [V]\n0,1\n', 'day.csv:1:10: "V" cannot be converted to "°C"'],
    ['time [s],temperature\n0,1\n5,warm\n', 'day.csv:3:3: "warm" is not a number'],
    ['time [s];temperature\n0;1,5\n', 'day.csv:2:3: "1,5" is not a number: numbers have a decimal point, and no comma'],
    [
      'time [s],temperature\n0,9007199254740991\n5,-9007199254740992\n',
      'day.csv:3:3: "-9007199254740992" cannot be kept',
    ],
    ['time [s],temperature\n0,1\n5,1\n5,1\n', 'day.csv:4:1: "5" is not later than the time of the row before'],
    [
      'time [s],temperature,temperature\n0,1,2\n',
      'day.csv:1:22: a column before this one is called "temperature", too',
    ],
    ['time [s],temperature,Time [min]\n0,1,2\n', 'day.csv:1:22: a column before this one is called "Time", too'],
    ['time [s],temperature [°C],temperature [°F]\n0,1,2\n', 'day.csv:1:27: a column before this one is called'],
    ['time [s],temperature\n0,1,2\n', 'day.csv:2:1: this line has 3 cells; the first line names 2 cells'],
  ])('of %j is rejected with the place in the file', (text, message) => {
    const found = problemsWith(step, { files: { 'day.csv': text } });
    expect(found).toEqual(expect.arrayContaining([expect.stringContaining(message)]));
  });

  it('of a missing file is a problem of the scenario', () => {
    expect(problemsWith(step)).toEqual(['scenarios/test.yaml:8:70: "day.csv" cannot be read: the file does not exist']);
  });
});
