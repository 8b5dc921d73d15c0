import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPlan } from '../../../src/cli/read-files.js';
import { InputError } from '../../../src/input/problems.js';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';
import { describePlan } from '../../../src/scenario/plan/describe.js';
import { problemsOf, scenarioOf, TYPES, yamlOf } from '../fixtures.js';

describe('a scenario', () => {
  it('needs only a name, a duration and a fleet', () => {
    expect(scenarioOf()).toMatchObject({
      name: 'test',
      about: '',
      seed: 1,
      start: Date.parse('2026-01-01T00:00:00Z'),
      duration: 7_200_000,
      settle: 600_000,
      faults: [],
      steps: [],
      expectations: [],
    });
  });

  it('is rejected with the names of missing keys', () => {
    expect(problemsOf('about: nothing\n')).toEqual([
      '1:1: a scenario needs "name"',
      '1:1: a scenario needs "duration"',
      '1:1: a scenario needs "fleet"',
    ]);
  });

  it('must be a map', () => {
    expect(problemsOf('- a\n- b\n')[0]).toContain('a list is not a scenario');
    expect(problemsOf('')[0]).toContain('is not a scenario');
  });

  it('is rejected with all problems together, in the order of the file', () => {
    const yaml = [
      'name: Not A Name',
      'durations: 6h',
      'duration: 6 hours',
      'start: 2026-02-30T00:00:00Z',
      'fleet:',
      '  - { name: clime, profile: climate, count: 3 }',
      'steps:',
      '  - { at: 90, to: clima, shell: sample }',
      'expect:',
      '  - uplink.stored = uplink.sent',
    ].join('\n');
    expect(problemsOf(yaml).map((problem) => problem.split(' ')[0])).toEqual([
      '1:7:',
      '2:1:',
      '3:11:',
      '4:8:',
      '6:29:',
      '8:11:',
      '10:19:',
    ]);
    expect(problemsOf(yaml)[4]).toBe('6:29: "climate" is not one of clime or control (did you mean "clime"?)');
  });

  it.each([
    ['seed: -1', '"-1" is not a whole number from 0'],
    ['seed: seven', '"seven" is not a whole number from 0'],
    ['start: 2026-03-01', '"2026-03-01" is not a time with its zone such as "2026-03-01T06:00:00Z"'],
    ['start: 2026-03-01T06:00:00', 'is not a time with its zone'],
    ['start: 1969-12-31T23:00:00Z', '"1969-12-31T23:00:00Z" is not a time from 1970 on'],
    ['start: 1970-01-01T00:00:00+00:30', 'is not a time from 1970 on'],
    ['start: 2106-02-07T06:00:00Z', 'the run must end by 2106-02-07T06:28:15.000Z'],
    ['start: 9999-12-31T00:00:00Z', 'the protocol has no later times'],
    ['settle: soon', '"soon" is not a duration'],
    ['warm-up: 2h', 'the run has ended by then; expected a time before the end of the scenario'],
  ])('is rejected for %s', (line, message) => {
    const [problem, ...more] = problemsOf(yamlOf({ head: `name: test\nduration: 2h\n${line}\n` }));
    expect(problem).toContain('3:');
    expect(problem).toContain(message);
    expect(more).toEqual([]);
  });

  it.each(['0s', '400d', '-1h', '90'])('is rejected for a duration of %s', (duration) => {
    expect(problemsOf(yamlOf({ head: `name: test\nduration: ${duration}\n` }))).toHaveLength(1);
  });

  it('throws only an InputError, for any text', () => {
    const words = fc.constantFrom(
      'name',
      'fleet',
      'steps',
      ':',
      '- ',
      '\n',
      '  ',
      '{',
      '}',
      '[',
      ']',
      '&a',
      '*a',
      '!!x',
      '"',
      '1h',
      '%',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string({ maxLength: 4 })), { maxLength: 30 }), (parts) => {
        try {
          parseScenario(parts.join(''), 'x.yaml', TYPES);
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('a fleet', () => {
  it('has consecutive serial numbers over all groups', () => {
    const serials = scenarioOf().fleet.map((group) => group.firstSerial);
    expect(serials).toEqual([2_159_017_985, 2_159_017_988]);
  });

  it('is rejected if a serial number is used twice, and the message names it', () => {
    const fleet =
      '  - { name: ab, profile: clime, count: 10, serial: 100 }\n  - { name: cd, profile: clime, count: 5, serial: 108 }\n';
    expect(problemsOf(yamlOf({ fleet }))).toEqual(['5:51: group "ab" already has the serial numbers 108 to 109']);
  });

  it('is rejected if a serial number is used twice, even if another group is invalid', () => {
    const fleet =
      '  - { name: ab, profile: clime, count: 10, serial: 100 }\n' +
      '  - { name: cd, profile: clime, count: none }\n' +
      '  - { name: ef, profile: clime, count: 1, serial: 100 }\n';
    expect(problemsOf(yamlOf({ fleet })).map((problem) => problem.split(' ')[0])).toEqual(['5:40:', '6:51:']);
  });

  it('is rejected if a serial number would be too large', () => {
    const fleet = '  - { name: ab, profile: clime, count: 2, serial: 4294967295 }\n';
    expect(problemsOf(yamlOf({ fleet }))[0]).toContain('would have the serial number 4294967296');
  });

  it('must have groups with different names, none of which is "all"', () => {
    const twice = '  - { name: ab, profile: clime, count: 1 }\n  - { name: ab, profile: clime, count: 1 }\n';
    expect(problemsOf(yamlOf({ fleet: twice }))).toEqual(['5:13: "ab" is not a unique name: another group has it']);
    expect(problemsOf(yamlOf({ fleet: '  - { name: all, profile: clime, count: 1 }\n' }))[0]).toContain(
      'other than "all"',
    );
  });

  it.each([
    [['cell', 3], 'cell-0003', ['5:13: "cell-0003" is also the name of the device cell/3; choose another name']],
    [['cell', 3], 'cell-0004', []],
    [['cell', 3], 'cell-0000', []],
    [['cell', 3], 'cell-003', []],
    [['cell', 3], 'other-0001', []],
    [['cell', 12_345], 'cell-00003', ['5:13: "cell-00003" is also the name of the device cell/3; choose another name']],
  ] as const)('of %j has no group with the name of one of its devices: %s', ([name, count], like, problems) => {
    const groups = [
      `{ name: ${like}, profile: clime, count: 2 }`,
      `{ name: ${name}, profile: clime, count: ${count} }`,
    ];
    const fleet = groups.toReversed().map((group) => `  - ${group}\n`);
    expect(problemsOf(yamlOf({ fleet: fleet.join('') }))).toEqual(problems);
    const places = problems.map((problem) => problem.replace('5:', '4:'));
    expect(problemsOf(yamlOf({ fleet: fleet.toReversed().join('') }))).toEqual(places);
  });

  it('must boot within the scenario', () => {
    const fleet = '  - { name: ab, profile: clime, count: 1, boot: { from: 1h, over: 61m } }\n';
    expect(problemsOf(yamlOf({ fleet }))).toEqual(['4:49: the last device would boot after the end of the scenario']);
  });

  it('accepts the configuration of a group as a map or as lines', () => {
    const fleet =
      '  - { name: ab, profile: clime, count: 1, config: { interval-report: 900, lte apn: a b, hygro-t-alarm-hi-thr: 25.00 } }\n' +
      '  - { name: cd, profile: clime, count: 1, config: [app config interval-report 900] }\n';
    expect(scenarioOf({ fleet }).fleet.map((group) => group.config)).toEqual([
      ['app config interval-report 900', 'lte config apn "a b"', 'app config hygro-t-alarm-hi-thr 25.00'],
      ['app config interval-report 900'],
    ]);
  });

  it('accepts parameters in the spelling of the device type, for example with underscores', () => {
    const fleet = '  - { name: ab, profile: clime, count: 1, config: { hygro_t_alarm_lo_thr: 2 } }\n';
    expect(scenarioOf({ fleet }).fleet[0]?.config).toEqual(['app config hygro_t_alarm_lo_thr 2']);
  });

  it.each([
    ['config: { interval report now: 1 }', 'is not a parameter such as'],
    ['config: { cloud config protocol: flap-raw }', '"lte apn" (did you mean "cloud protocol"?)'],
    ['config: { mode: [lte] }', 'a list is not a text, a number, true or false'],
    ['config: {}', 'is not a map of parameters to values'],
    [`config: { x: ${'y'.repeat(250)} }`, 'the line has 263 bytes; a device accepts at most 255'],
    [`config: { x: ${'ž'.repeat(122)} }`, 'the line has 257 bytes; a device accepts at most 255'],
    ['config: { x: "a\\nb" }', 'must not contain a line end'],
    ['colour: red', '"colour" is not a key of a group'],
  ])('rejects a group with %s', (part, message) => {
    const problems = problemsOf(yamlOf({ fleet: `  - { name: ab, profile: clime, count: 1, ${part} }\n` }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });
});

describe('a network', () => {
  it('without power saving mode adds a step for all devices, before the other steps', () => {
    const scenario = scenarioOf({ network: '  power-saving: off\n', steps: '  - { at: 0s, radio: off }\n' });
    expect(scenario.steps.map(({ at, to, call }) => [at, to, call.step])).toEqual([
      [0, { kind: 'all' }, 'power-saving'],
      [0, { kind: 'all' }, 'radio'],
    ]);
    expect(scenarioOf({ network: '  power-saving: on\n' }).steps).toEqual([]);
    expect(problemsOf(yamlOf({ network: '  power-saving: rarely\n' }))[0]).toContain(
      '"rarely" is not one of on or off',
    );
  });

  it('releases an idle radio connection after a time, or after a time from a range', () => {
    const release = (value: string) => scenarioOf({ network: `  radio-release: ${value}\n` }).radioRelease;
    expect(release('5s..20s')).toEqual([5000, 20_000]);
    expect(release('6s')).toEqual([6000, 6000]);
    expect(scenarioOf({ network: '  loss: 1%\n' }).radioRelease).toBeUndefined();
  });

  it.each([
    ['radio-release: 20s..5s', 'the shorter duration comes first: write "5s..20s"'],
    ['radio-release: soon', '"soon" is not the time until an idle radio connection is released'],
    ['radio-relase: 6s', 'did you mean "radio-release"?'],
  ])('rejects %s', (line, message) => {
    const problems = problemsOf(yamlOf({ network: `  ${line}\n` }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });

  it('has conditions for the whole run, and faults with a time, a group and a direction', () => {
    const network = [
      '  latency: 150ms..900ms',
      '  loss: 1/100',
      '  reorder: { ratio: 5%, by: 3s }',
      '  faults:',
      '    - { outage: up, from: 30m, until: 40m, to: clime }',
      '    - { duplication: 10% }\n',
    ].join('\n');
    const always = { windows: [{ from: 0, until: null }], to: { kind: 'all' } };
    expect(scenarioOf({ network }).faults).toEqual([
      { ...always, kind: 'loss', options: 0.01 },
      { ...always, kind: 'latency', options: { min: 150, max: 900 } },
      { ...always, kind: 'reorder', options: { ratio: 0.05, by: 3000 } },
      {
        kind: 'outage',
        options: 'up',
        windows: [{ from: 1_800_000, until: 2_400_000 }],
        to: { kind: 'group', group: 'clime' },
      },
      { ...always, kind: 'duplication', options: 0.1 },
    ]);
  });

  it.each([
    ['  loss: 21/20\n', '"21/20" is not a ratio'],
    ['  latency: 900ms..100ms\n', 'the shorter duration comes first: write "100ms..900ms"'],
    ['  latency: 1..2..3\n', 'is not a latency such as'],
    ['  outage: both\n', '"outage" is not a key of network'],
    ['  faults: [{ outage: sideways }]\n', '"sideways" is not one of both, up or down'],
    ['  faults: [{ outage: both, loss: 1% }]\n', 'this one has "outage" and "loss"'],
    ['  faults: [{ from: 1h }]\n', 'this one has none of them'],
    [
      '  faults: [{ loss: 1%, to: clim }]\n',
      '"clim" is not "all", a group or a device such as "clime/3" (did you mean "clime"?)',
    ],
    ['  faults: [{ loss: 1%, from: 1h, until: 1h }]\n', 'the fault would end before it begins'],
    ['  faults: [{ loss: 1%, from: 2h }]\n', 'the fault would begin after the end of the scenario'],
    ['  reorder: { ratio: 1%, by: 0 }\n', 'held back'],
  ])('is rejected with %s', (network, message) => {
    const problems = problemsOf(yamlOf({ network })).join('\n');
    expect(problems).toContain(message);
  });
});

describe('a step', () => {
  it('is for all devices, a group or one device', () => {
    const steps =
      '  - { at: 1h, shell: send }\n  - { at: 1h, to: clime, shell: send }\n  - { at: 1h, to: clime/3, shell: send }\n';
    expect(scenarioOf({ steps }).steps.map((step) => step.to)).toEqual([
      { kind: 'all' },
      { kind: 'group', group: 'clime' },
      { kind: 'devices', group: 'clime', first: 3, last: 3 },
    ]);
  });

  it.each([
    ['{ at: 3h, shell: send }', '4:11: the step would happen after the end'],
    ['{ at: 1h, over: 61m, shell: send }', 'the step would happen after the end'],
    ['{ at: 1h }', 'a step needs exactly one of config, commands'],
    ['{ at: 1h, shell: send, radio: off }', 'this one has "shell" and "radio"'],
    ['{ shell: send }', 'a step needs "at"'],
    [
      '{ at: 1h, to: clima, shell: send }',
      '"clima" is not "all", a group or a device such as "clime/3" (did you mean "clime"?)',
    ],
    ['{ at: 1h, to: clime/4, shell: send }', 'the group has the devices 1 to 3'],
    ['{ at: 1h, to: clime/0, shell: send }', 'does not exist'],
    ['{ at: 1h, to: clime/x, shell: send }', '"clime/x" is not "all"'],
    ['{ at: 1h, shel: send }', '"shel" is not a key of a step (did you mean "shell"?)'],
    ['7', '"7" is not a step'],
  ])('is rejected: %s', (step, message) => {
    const head = 'name: test\nduration: 2h\n';
    const problems = problemsOf(`${head}steps:\n  - ${step}\nfleet: [{ name: clime, profile: clime, count: 3 }]\n`);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });
});

describe('the configuration of a group', () => {
  it('is checked against the device type, and the message has the place of the value', () => {
    const fleet =
      '  - { name: clime, profile: clime, count: 1, config: { interval-sample: 60, interval-report: 5 } }\n';
    const [problem] = problemsOf(yamlOf({ fleet }));
    expect(problem).toContain('"app config interval-report 5" would be rejected: Invalid range');
    const [line, column] = problem?.split(':').map(Number) ?? [];
    expect(
      yamlOf({ fleet })
        .split('\n')
        [(line ?? 0) - 1]?.slice((column ?? 0) - 1),
    ).toMatch(/^5 /);
  });
});

describe('the scenarios of the package', () => {
  const files = readdirSync('scenarios', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.yaml'),
  );

  it.each(files)('%s can be read, planned and described', (file) => {
    const path = `scenarios/${file}`;
    const { plan } = readPlan(readFileSync(path, 'utf8'), path, {});
    expect(`${plan.scenario}.yaml`).toBe(basename(file));
    expect(describePlan(plan)).toContain(plan.scenario);
  });
});
