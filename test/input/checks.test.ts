import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  boolean,
  type Check,
  type Checked,
  dictionary,
  duration,
  integer,
  list,
  number,
  oneOf,
  optional,
  positiveNumber,
  ratio,
  record,
  text,
} from '../../src/input/checks.js';
import { Problems, readYaml } from '../../src/input/document.js';
import { type Millis, minutes } from '../../src/kernel/time.js';

/** The checked value of a YAML text, and the problems as `line:column: message`. */
function run<T>(
  check: Check<T>,
  yaml: string,
): { readonly value: T | undefined; readonly problems: readonly string[] } {
  const problems = new Problems();
  const value = check(readYaml(yaml, 'a.yaml'), problems);
  return { value, problems: problems.list.map(({ line, column, message }) => `${line}:${column}: ${message}`) };
}

describe('a check of one value', () => {
  it.each<[string, Check<unknown>, string, unknown]>([
    ['a text', text(), 'hello', 'hello'],
    ['a quoted number as text', text(), '"5"', '5'],
    ['a text that matches a pattern', text(/^[a-z]+$/, 'a name'), 'clime', 'clime'],
    ['a whole number', integer(0, 10), '10', 10],
    ['a number', number(), '-1.5', -1.5],
    ['true', boolean, 'true', true],
    ['false', boolean, 'false', false],
    ['a duration', duration, '15m', minutes(15)],
    ['no time at all', duration, '0', 0],
    ['a fraction', ratio, '1/20', 0.05],
    ['a percentage', ratio, '5%', 0.05],
    ['one, as a ratio', ratio, '1', 1],
    ['a word', oneOf(['memory', 'udp']), 'udp', 'udp'],
    ['a list', list(integer(0, 9)), '[1, 2]', [1, 2]],
    ['an empty list', list(integer(0, 9)), '[]', []],
  ])('returns %s', (_, check, yaml, expected) => {
    expect(run(check, yaml)).toEqual({ value: expected, problems: [] });
  });

  it.each<[string, Check<unknown>, string, string]>([
    ['a number for a text', text(), '1.10', '1.10 is a number, not a text: put it in quotation marks, "1.10"'],
    ['true for a text', text(), 'true', 'true is a boolean, not a text: put it in quotation marks, "true"'],
    [
      'the word null for a text',
      text(),
      'null',
      'null is an empty value, not a text: put it in quotation marks, "null"',
    ],
    ['a number for a text of another form', text(/^v/, 'a word with v'), '5', '"5" is not a word with v'],
    ['a blank text', text(), '"  "', '"  " is not a text with visible characters'],
    ['nothing for a text', text(), '', 'an empty value is not a text'],
    ['null for a text', text(), '~', '"~" is not a text'],
    ['a text that does not match the pattern', text(/^[a-z]+$/, 'a name'), 'A1', '"A1" is not a name'],
    ['a number that is too large', integer(1, 10), '11', '"11" is not a whole number from 1 to 10'],
    ['a fraction for a whole number', integer(1, 10), '1.5', '"1.5" is not a whole number from 1 to 10'],
    [
      'a text for a number',
      integer(1, 10),
      '"5"',
      '"5" is a text, not a whole number from 1 to 10: leave out its quotation marks',
    ],
    ['infinity', number(), '.inf', '".inf" is not a number'],
    [
      'a text for a positive number',
      positiveNumber,
      '"3"',
      '"3" is a text, not a number above 0: leave out its quotation marks',
    ],
    ['too large a number', positiveNumber, '1e400', '"1e400" is not a number above 0: it is too large'],
    ['another spelling of a number', integer(1, 10), '0x1F', '"0x1F" is not a whole number from 1 to 10'],
    ['a text for true', boolean, 'yes', '"yes" is not true or false (did you mean "true"?)'],
    ['a text for false', boolean, 'off', '"off" is not true or false (did you mean "false"?)'],
    ['no for off', oneOf(['on', 'off']), 'no', '"no" is not one of on or off (did you mean "off"?)'],
    ['false for off', oneOf(['on', 'off']), 'False', '"False" is not one of on or off (did you mean "off"?)'],
    ['a bare number for a duration', duration, '30', '"30" is not a duration such as "250ms", "30s", "15m" or "1h30m"'],
    ['a list for a duration', duration, '[30s]', 'a list is not a duration such as "250ms", "30s", "15m" or "1h30m"'],
    ['a ratio above 1', ratio, '21/20', '"21/20" is not a ratio from 0 to 1 such as "0.05", "5%" or "1/20"'],
    ['a word of an empty list', oneOf([]), 'upd', '"upd" is not defined in this file'],
    ['an unknown word', oneOf(['memory', 'udp']), 'upd', '"upd" is not one of memory or udp (did you mean "udp"?)'],
    ['an empty list for a text', text(), '[]', 'an empty list is not a text'],
    ['an empty map for a text', text(), '{}', 'an empty map is not a text'],
    ['a map for a list', list(text()), '{a: 1}', 'a map is not a list'],
    ['a list that is too short', list(text(), 2), '[a]', 'a list of 1 is not a list of at least 2'],
    ['a list that is too long', list(text(), 1, 2), '[a, b, c]', 'a list of 3 is not a list of 1 to 2'],
    [
      'an empty list where at least one item is required',
      list(text(), 1),
      '[]',
      'an empty list is not a list of at least 1',
    ],
    ['a list for a map', dictionary(text()), '[a]', 'a list is not a map of names to values'],
  ])('rejects %s', (_, check, yaml, message) => {
    expect(run(check, yaml)).toEqual({ value: undefined, problems: [`1:1: ${message}`] });
  });
});

describe('a check of a list or a dictionary', () => {
  it('reports every invalid item', () => {
    expect(run(list(integer(0, 9)), '- 1\n- x\n- 3\n- 10\n')).toEqual({
      value: undefined,
      problems: ['2:3: "x" is not a whole number from 0 to 9', '4:3: "10" is not a whole number from 0 to 9'],
    });
  });

  it('keeps the order of the keys, and accepts any key', () => {
    const { value } = run(dictionary(integer(0, 9)), '{z: 1, a: 2, __proto__: 3}');
    expect([...(value ?? [])]).toEqual([
      ['z', 1],
      ['a', 2],
      ['__proto__', 3],
    ]);
  });

  it('reports every invalid value', () => {
    const { value, problems } = run(dictionary(integer(0, 9)), 'a: 1\nb: x\nc: y\n');
    expect(value).toBeUndefined();
    expect(problems).toHaveLength(2);
  });
});

describe('a check of a record', () => {
  const group = record('a group', {
    profile: oneOf(['clime', 'control']),
    count: integer(1, 1000),
    stagger: optional(duration, minutes(1)),
    note: optional(text()),
    tags: optional(list(text()), []),
  });

  it('returns its values, with the defaults of missing keys', () => {
    expect(run(group, 'profile: clime\ncount: 3\n')).toEqual({
      value: { profile: 'clime', count: 3, stagger: 60_000, note: undefined, tags: [] },
      problems: [],
    });
  });

  it('has the types of its checks', () => {
    expectTypeOf<Checked<typeof group>>().toEqualTypeOf<{
      readonly profile: 'clime' | 'control';
      readonly count: number;
      readonly stagger: Millis;
      readonly note: string | undefined;
      readonly tags: readonly string[] | never[];
    }>();
  });

  it('reports unknown keys with a suggestion, missing keys and invalid values together', () => {
    expect(run(group, 'profile: climb\ncuont: 3\nstagger: 1 hour\n')).toEqual({
      value: undefined,
      problems: [
        '2:1: "cuont" is not a key of a group (did you mean "count"?); it has profile, count, stagger, note, tags',
        '1:10: "climb" is not one of clime or control (did you mean "clime"?)',
        '1:1: a group needs "count"',
        '3:10: "1 hour" is not a duration such as "250ms", "30s", "15m" or "1h30m"',
      ],
    });
  });

  it('rejects an optional key without a value', () => {
    expect(run(group, 'profile: clime\ncount: 3\nstagger:\n').problems).toEqual([
      '3:9: an empty value is not a duration such as "250ms", "30s", "15m" or "1h30m"',
    ]);
  });

  it('rejects a value that is not a map', () => {
    expect(run(group, '- clime\n')).toEqual({
      value: undefined,
      problems: ['1:1: a list is not a group: a map with profile, count, stagger, note or tags'],
    });
  });

  it('does not mistake an inherited property for a key', () => {
    expect(run(record('a thing', { toString: optional(text()) }), '{}').value).toEqual({ toString: undefined });
    expect(run(group, '{profile: clime, count: 1, constructor: x}').problems).toHaveLength(1);
  });

  it('returns nothing if a nested record is invalid', () => {
    const outer = record('a scenario', { fleet: list(group, 1), seed: integer(0, 99) });
    const { value, problems } = run(outer, 'seed: 1\nfleet:\n  - {profile: clime, count: 0}\n');
    expect(value).toBeUndefined();
    expect(problems).toEqual(['3:29: "0" is not a whole number from 1 to 1000']);
  });
});
