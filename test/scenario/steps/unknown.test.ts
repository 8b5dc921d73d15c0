/** Parameters, shell commands and data keys that a device type does not have, in steps and loads. */
import { describe, expect, it } from 'vitest';
import { InputError } from '../../../src/input/problems.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import { describeDeviceTypes } from '../../../src/runner/known-types.js';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';

const profiles = packagedProfiles();
const types = describeDeviceTypes(profiles);

/** The problems of a scenario with these parts, each as `line:column: message`. */
function problemsOf(...parts: readonly string[]): readonly string[] {
  const source = [
    'name: test',
    'duration: 2h',
    'fleet:',
    '  - { name: clime, profile: clime, count: 3 }',
    '  - { name: old, profile: clime, firmware: 3.5.5, count: 3 }',
    '  - { name: control, profile: control, count: 2 }',
    ...parts,
  ].join('\n');
  try {
    const readFile = () => ({ file: '', text: '' });
    parseScenario(source, 'test.yaml', types, { profiles, readFile });
  } catch (error) {
    if (error instanceof InputError)
      return error.problems.map(({ line, column, message }) => `${line}:${column}: ${message}`);
    throw error;
  }
  return [];
}

const step = (keys: string, to = 'clime') => problemsOf('steps:', `  - { at: 1h, to: ${to}, ${keys} }`);

describe('a parameter in a step', () => {
  it('that the device type does not have is an error with its place and the nearest name', () => {
    expect(step('config: { report-interval: 600 }')).toEqual([
      '8:53: "app config report-interval 600" would be rejected by clime 4.0.0: the device type has no parameter ' +
        '"app report-interval" (did you mean "interval-report"?); "unknown: true" sends it anyway',
    ]);
  });

  it('that belongs to another module is an error that names the module', () => {
    expect(step('config: { apn: iot }')[0]).toContain('has no parameter "app apn" (did you mean "lte apn"?)');
  });

  it('must have a value that the device accepts', () => {
    expect(step('config: { interval-report: 5 }')[0]).toContain(
      '"app config interval-report 5" would be rejected by clime 4.0.0: Invalid range; interval-report :Time from',
    );
  });

  it('is also checked in configuration lines', () => {
    const [problem, ...others] = step('config: [app config interval-report 900, app config interval-sampel 60]');
    expect(problem).toMatch(/^8:67: .*"app interval-sampel" \(did you mean "interval-sample"\?\)/);
    expect(others).toEqual([]);
  });

  it('may end in * if some parameter begins with the text before the *', () => {
    expect(step('config: ["app config interval-* 600"]')).toEqual([]);
    expect(step('config: ["app config intervall-* 600"]')[0]).toContain('has no parameter "app intervall-*"');
  });

  it('of a newer firmware is an error for devices with older firmware', () => {
    const line = 'commands: [cloud config spool-size 10]';
    expect(step(line, 'clime')).toEqual([]);
    expect(step(line, 'old')[0]).toMatch(/would be rejected by clime 3\.5\.5: /);
    expect(step(line, '"clime | old"')[0]).toMatch(
      /would be rejected by clime 3\.5\.5: .*; clime 4\.0\.0 would accept it;/,
    );
  });

  it('of a newer firmware is accepted for devices that are updated to it', () => {
    const setup = 'setup: [{ firmware: { name: new, profile: clime, version: v4.0.0 } }]';
    const steps = ['steps:', '  - { at: 1h, to: old, commands: [cloud config spool-size 10] }'];
    expect(problemsOf(setup, ...steps, '  - { at: 30m, to: clime, firmware: new }')).toHaveLength(1);
    expect(problemsOf(setup, ...steps, '  - { at: 30m, to: old, firmware: new }')).toEqual([]);
  });

  it('that is deliberately unknown is accepted with unknown: true', () => {
    expect(step('unknown: true, config: { report-interval: 600 }')).toEqual([]);
    expect(step('unknown: true, radio: off')).toEqual([
      '8:35: "unknown" is for config, commands, downlink or shell, not for "radio"',
    ]);
  });
});

describe('a downlink in a step', () => {
  /** Lines of 250 bytes, each written with two more. */
  const lines = (count: number) => Array(count).fill(`app config interval-report${' '.repeat(221)}900`);
  const sent = (key: string, count: number) => `${key}: ${JSON.stringify(lines(count))}`;

  it.each([
    ['commands', '10,355'],
    ['config', '10,336'],
  ])('that is longer than the buffer of the firmware would never arrive: %s', (key, bytes) => {
    expect(step(sent(key, 40))).toEqual([]);
    expect(step(sent(key, 41))).toEqual([
      expect.stringContaining(
        `41 lines would be rejected by clime 4.0.0: the downlink has ${bytes} bytes; a device of this version can receive ` +
          '10,240; send fewer or shorter lines at once; "unknown: true" sends it anyway',
      ),
    ]);
    expect(step(sent(key, 41), 'old')).toEqual([]);
    expect(step(`unknown: true, ${sent(key, 41)}`)).toEqual([]);
  });

  it('that no firmware can receive is an error, too', () => {
    expect(step(sent('commands', 66), 'old')[0]).toMatch(/66 lines would be rejected by clime 3\.5\.5: .* 16383 are /);
  });

  it('is accepted for devices that are updated to a firmware with a larger buffer', () => {
    const setup = 'setup: [{ firmware: { name: former, profile: clime, version: v3.5.5 } }]';
    const update = '  - { at: 30m, to: clime, firmware: former }';
    const step = `  - { at: 1h, to: clime, ${sent('commands', 41)} }`;
    expect(problemsOf(setup, 'steps:', update, step)).toEqual([]);
  });
});

describe('a shell command in a step', () => {
  it.each([
    ['inof show', 'unknown command "inof" (did you mean "info"?)'],
    ['info shwo', 'unknown subcommand "shwo" of "info" (did you mean "show"?)'],
    ['info show all', 'show: wrong parameter count'],
    [
      'app config report-interval',
      'the device type has no parameter "app report-interval" (did you mean "interval-report"?)',
    ],
    ['app confgi show', 'unknown subcommand "confgi" of "app" (did you mean "config"?)'],
    ['app config interval-report 900 901', 'a parameter has one value'],
    ["'info show", "not terminated: '"],
  ])('%j is an error', (line, reason) => {
    const quoted = JSON.stringify(line);
    for (const keys of [`commands: [${quoted}]`, `shell: ${quoted}`]) {
      expect(step(keys)).toEqual([
        expect.stringContaining(`would be rejected by clime 4.0.0: ${reason}; "unknown: true"`),
      ]);
    }
  });

  it.each([
    'info show',
    'app config show',
    'app config interval-report',
    'info',
    'app -h',
    'config save',
    'tag config show',
  ])('%j is accepted', (line) => {
    expect(step(`commands: [${line}]`)).toEqual([]);
  });

  it('does not show secrets', () => {
    const [problem] = step('commands: [lte config password sesame open]');
    expect(problem).toContain('********');
    expect(problem).not.toContain('sesame');
  });
});

describe('a key of a data downlink in a step', () => {
  it('must be a key of the encoder of the device type', () => {
    expect(step('downlink: { output_1_stat: 1 }', 'control')).toEqual([
      '8:40: "output_1_stat: 1" would be rejected by control 4.0.0: unknown key "output_1_stat" (did you mean "output_1_state"?); ' +
        '"unknown: true" sends it anyway',
    ]);
    expect(step('downlink: { output_1_state: 1 }', 'control')).toEqual([]);
    for (const number of ['9007199254740993', '1e400', '.inf', '0x20000000000001']) {
      const problem = `"${number}" is not a number that can be kept exactly; write it as a text in quotation marks`;
      expect(step(`downlink: { output_1_state: ${number} }`, 'control')[0]).toContain(problem);
    }
  });

  it.each([
    ['{ __proto__: 1 }', '"__proto__"'],
    ['{ output_1_state: [{ __proto__: 1 }] }', '"__proto__"'],
    ['{ constructor: { prototype: 1 } }', '"prototype" in "constructor"'],
  ])('is rejected if the API refuses it: %s', (data, key) => {
    expect(step(`downlink: ${data}`, 'control').join()).toContain(`the API refuses data with the key ${key}`);
  });

  it('is an error for a device type without an encoder', () => {
    expect(step('downlink: { output_1_state: 1 }')[0]).toContain('the device type takes no data');
  });
});

it('all problems of steps and loads are reported together', () => {
  const found = problemsOf(
    'steps:',
    '  - { at: 1h, to: clime, config: { report-interval: 600, interval-pol: 60 } }',
    'load:',
    '  - { commands: [inof show], to: clime, rate: 1/m }',
    '  - { config: { aap: 1 }, to: clime, rate: 1/m }',
    '  - { downlink: { nothing: 1 }, to: control, rate: 1/m }',
    '  - { config: { aap: 1 }, to: clime, rate: 1/m, unknown: true }',
    '  - { list-devices:, rate: 1/m, unknown: true }',
  );
  expect(found.map((problem) => problem.slice(0, 5))).toEqual(['8:53:', '8:72:', '10:18', '11:22', '12:19', '14:42']);
});
