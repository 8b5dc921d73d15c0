/** Mistakes in profiles, and the problems that are reported for them. */
import { describe, expect, it } from 'vitest';
import { loadProfiles } from '../../src/profile/read.js';
import { type Changes, changed, FILES, problemsOf, read } from './fixtures.js';

/** Line, from 1, of the first occurrence of a text in a changed profile. */
function lineOf(text: string, { file = 'profiles/clime.yaml', change = [] }: Changes): number {
  const source = changed(FILES[file] ?? '', change);
  return source.slice(0, source.indexOf(text)).split('\n').length;
}

describe('a mistake in a profile', () => {
  it.each<[string, string, string, string, string?]>([
    [
      'an unknown section',
      'title: CHESTER',
      'titel: CHESTER',
      '"titel" is not a key of a profile (did you mean "title"?)',
    ],
    ['a missing section', 'message_version: 2', '', 'a profile needs "message_version"'],
    [
      'a wrong type of value',
      'message_version: 2',
      'message_version: two',
      '"two" is not a whole number from 0 to 255',
    ],
    [
      'a default out of range',
      'default: 120,',
      'default: 5000,',
      'the default 5000 is outside of the range from 1 to 3600',
    ],
    [
      'a parameter that does not exist',
      'spool: cloud.spool-size',
      'spool: cloud.spool-sise',
      'is not a configuration parameter of this device type (did you mean "cloud.spool-size"?)',
    ],
    ['an option of another model', 'mean: 21.6,', 'mean: 21.6, per_day: 3,', '"per_day" is not a key of this quantity'],
    [
      'windows that no task closes',
      '- { aggregate: [hygrometer, ',
      '- { aggregate: [',
      '"hygrometer" has windows: exactly one task must aggregate it, not 0',
    ],
    [
      'an alarm list without an alarm',
      `
    high: { threshold: hygro-t-alarm-hi-thr, hysteresis: hygro-t-alarm-hi-hst, report: hygro-t-alarm-hi-report }
    low: { threshold: hygro-t-alarm-lo-thr, hysteresis: hygro-t-alarm-lo-hst, report: hygro-t-alarm-lo-report }`,
      '',
      'an alarm event list needs "high" or "low"',
    ],
    ['an unknown kind of source', 'uptime: fact uptime', 'uptime: facts uptime', '"facts uptime" is not a source'],
    [
      'a value that the decoder makes a text of',
      'state: state backup',
      'state: last backup.line_voltage',
      '"backup.state" has $enum in the decoder',
    ],
  ])('is reported with its place and the reason: %s', (_, from, to, message, file = 'profiles/clime.yaml') => {
    const problems = problemsOf({ file, change: [[from, to]] });
    expect(problems.map((problem) => problem.message).join('\n')).toContain(message);
    expect(problems.every((problem) => problem.line > 0 && problem.column > 0)).toBe(true);
  });

  it('is reported with file, line and column of the value', () => {
    const change = [['every: interval-aggreg }', 'every: interval-agreg }']] as const;
    const [problem, ...more] = problemsOf({ change });
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ file: 'profiles/clime.yaml', line: lineOf('interval-agreg }', { change }) });
    expect(
      changed(FILES['profiles/clime.yaml'] ?? '', change)
        .split('\n')
        [(problem?.line ?? 0) - 1]?.slice((problem?.column ?? 0) - 1),
    ).toMatch(/^interval-agreg/);
  });

  it('is reported at the second word of a source if this word is invalid', () => {
    const change = [['uptime: fact uptime', 'uptime: fact downtime']] as const;
    const [problem] = problemsOf({ change });
    expect(problem).toMatchObject({
      line: lineOf('fact downtime', { change }),
      column: '    uptime: fact '.length + 1,
    });
  });

  it('is reported together with all other mistakes, in the order of the file', () => {
    const problems = problemsOf({
      change: [
        ['message_version: 2', 'message_version: -1'],
        ['interval-poll: { type: int', 'interval-poll: { type: integer'],
        ['mean: 21.6', 'mean: warm'],
        ['uptime: fact uptime', 'uptime: fact downtime'],
        ['hash: 92fd351b4a8c1979', 'hash: 92fd351b4a8c1978'],
      ],
    });
    expect(problems.map(({ message }) => message.split('"')[1])).toEqual([
      '-1',
      'integer',
      'warm',
      'downtime',
      '92fd351b4a8c1978',
    ]);
  });

  it('is reported without its consequences', () => {
    // The tasks, events and the whole body refer to sensors that could not be read.
    expect(problemsOf({ change: [['model: daily, mean: 21.6', 'model: dayly, mean: 21.6']] })).toHaveLength(1);
    expect(problemsOf({ change: [['order: [app', 'ordre: [app']] })).toHaveLength(2);
  });
});

describe('several profiles', () => {
  it('are read by name', () => {
    const profiles = loadProfiles(['profiles/control.yaml', 'profiles/clime.yaml'], (path) => FILES[path]);
    expect([...profiles.keys()]).toEqual(['control', 'clime']);
  });

  it('report the problems of all of them together', () => {
    const files: Record<string, string | undefined> = {
      ...FILES,
      'profiles/clime.yaml': changed(FILES['profiles/clime.yaml'] ?? '', [
        ['message_version: 2', 'message_version: x'],
      ]),
      'profiles/control.yaml': undefined,
    };
    expect(() => loadProfiles(['profiles/clime.yaml', 'profiles/control.yaml'], (path) => files[path])).toThrow(
      /clime\.yaml:\d+:\d+: "x" is not.*\nprofiles\/control\.yaml:1:1: cannot be read/,
    );
  });
});

describe('a codec document', () => {
  it('may be pasted from the vendor in block style with quotes', () => {
    const pasted = `    schema:
      - output_1_state:
          - $type: "int"
      - output_2_state:
          - $type: "int"
      - output_3_state:
          - $type: "int"
      - output_4_state:
          - $type: "int"
`;
    const own =
      / {4}schema:\n {6}- output_1_state.*?output_4_state[^\n]*\n/s.exec(FILES['profiles/control.yaml'] ?? '')?.[0] ??
      '?';
    const profile = read({ file: 'profiles/control.yaml', change: [[own, pasted]] });
    expect(profile.encoder?.hash).toBe('c76a16dd617f713b');
  });
});
