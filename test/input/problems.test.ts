import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { didYouMean, orList, quote } from '../../src/input/problems.js';
import { anyText } from '../support/texts.js';

describe('a quoted value', () => {
  it.each([
    ['1 hour', '"1 hour"'],
    [5, '"5"'],
    [true, '"true"'],
    [undefined, '"undefined"'],
    [{ a: 1 }, '"{"a":1}"'],
    ['two\nlines\tand a tab', '"two\\nlines\\tand a tab"'],
    ['\u001b[31mred', '"\\u001b[31mred"'],
    ['x'.repeat(60), `"${'x'.repeat(60)}"`],
    ['x'.repeat(61), `"${'x'.repeat(57)}…"`],
  ])('of %j is %s', (value, expected) => {
    expect(quote(value)).toBe(expected);
  });

  it('stays on one line', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(quote(text)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});

describe('did you mean', () => {
  const keys = ['count', 'profile', 'stagger', 'tags'];

  it.each([
    ['cuont', ' (did you mean "count"?)'],
    ['coun', ' (did you mean "count"?)'],
    ['Count', ' (did you mean "count"?)'],
    ['profiles', ' (did you mean "profile"?)'],
    ['taggs', ' (did you mean "tags"?)'],
    ['elephant', ''],
    ['', ''],
    ['x'.repeat(100_000), ''],
  ])('answers %j with "%s"', (word, expected) => {
    expect(didYouMean(word, keys)).toBe(expected);
  });

  it('suggests the closest of several words', () => {
    expect(didYouMean('report', ['reports', 'rapport', 'resort'])).toBe(' (did you mean "reports"?)');
  });

  it.each([
    ['no', ' (did you mean "off"?)'],
    ['N', ' (did you mean "off"?)'],
    ['0', ' (did you mean "off"?)'],
    ['of', ' (did you mean "off"?)'],
    ['false', ' (did you mean "off"?)'],
    ['yes', ' (did you mean "on"?)'],
    ['True', ' (did you mean "on"?)'],
    ['om', ' (did you mean "on"?)'],
  ])('answers %j with a switch of the same meaning', (word, expected) => {
    expect(didYouMean(word, ['on', 'off'])).toBe(expected);
  });

  it('never suggests the opposite', () => {
    expect(didYouMean('no', ['on', 'nod'])).toBe(' (did you mean "nod"?)');
  });

  it('finds every word of which one letter is wrong', () => {
    fc.assert(
      fc.property(fc.constantFrom(...keys), fc.nat(), fc.constantFrom('x', 'q', '9'), (word, n, wrong) => {
        const i = n % word.length;
        const typo = word.slice(0, i) + wrong + word.slice(i + 1);
        expect(didYouMean(typo, keys)).toBe(` (did you mean "${word}"?)`);
      }),
    );
  });
});

it.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a or b'],
  [['a', 'b', 'c'], 'a, b or c'],
])('the list %j is written "%s"', (words, expected) => {
  expect(orList(words)).toBe(expected);
});
