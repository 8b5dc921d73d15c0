/** Whether a reported configuration proves that a config downlink was carried out. */
import { describe, expect, it } from 'vitest';
import { containsConfig, readReported } from '../../src/kernel/config-lines.js';

const REPORTED = [
  'app config address count 2',
  'app config address add 12345678',
  'app config address add 87654321',
  'app config interval-report 900',
  'app config threshold 25.00',
  'lte config apn "iot net"',
  'tag config devices addr 0 7cd9f41a2b3c',
  'tag config devices addr 1 000000000000',
];

describe('a reported configuration', () => {
  it.each([
    ['a value', ['app config interval-report 900']],
    ['a number in another notation', ['app config threshold 25']],
    ['a text in other quotes', ["lte config apn 'iot net'"]],
    ['all lines of a list', REPORTED.slice(0, 3)],
    ['a slot among others', ['tag config devices addr 0 7cd9f41a2b3c']],
    [
      'a list command that leaves no line in the configuration',
      ['app config address erase', 'app config address add 12345678'],
    ],
    ['a line that sets nothing', ['info show']],
    ['a value between spaces', ['  app  config  interval-report  900  ']],
  ])('proves %s', (_, wanted) => {
    expect(containsConfig(readReported(REPORTED), wanted)).toBe(true);
  });

  it.each([
    ['another value', ['app config interval-report 901']],
    ['another text', ['lte config apn "iot"']],
    ['a text of which one word is right', ['lte config apn "other net"']],
    ['a member that a list does not have', ['app config address count 2', 'app config address add 11111111']],
    ['another number of members', ['app config address count 3']],
    ['a value that is in another slot', ['tag config devices addr 1 7cd9f41a2b3c']],
    ['a parameter that it does not have', ['app config nonsense 1']],
    ['another value between spaces', ['  app  config  interval-report  901  ']],
  ])('does not prove %s', (_, wanted) => {
    expect(containsConfig(readReported(REPORTED), wanted)).toBe(false);
  });

  it.each([
    ['a zero by an empty text', 'app config name ""', 'app config name 0'],
    ['an empty text by a zero', 'app config name 0', 'app config name ""'],
    ['a text by one with quotes at its end', 'app config name a "b"', 'app config name a b'],
    ['a text by one with quotes at its start', 'app config name "a"b', 'app config name ab'],
    ['a setting by a line with words before it', 'error: app config name 1', 'app config name 1'],
    ['a setting by a line that sets nothing', 'config saved', 'app config name 1'],
  ])('does not prove %s', (_, reported, wanted) => {
    expect(containsConfig(readReported([reported]), [wanted])).toBe(false);
  });

  it('is read in one pass, also if its lines have many blanks', () => {
    const long = `app config name a${' '.repeat(300_000)}b`;
    expect(containsConfig(readReported([long]), [long])).toBe(true);
    expect(containsConfig(readReported([`app config name${' '.repeat(300_000)}\n`]), ['app config name 1'])).toBe(
      false,
    );
  });
});
