/** The limits of JSON text that others wrote. */
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseJson, syntaxErrorIn } from '../../src/kernel/json-text.js';

afterEach(() => vi.restoreAllMocks());

const keys = (count: number, first = 0) => Array.from({ length: count }, (_, n) => `"k${first + n}":1`).join();
const ones = (count: number) => Array(count).fill(1).join();

describe('a JSON text beyond a limit', () => {
  it.each([
    ['keys of an object', `{${keys(10_001)}}`, 'has 10001 keys; the limit is 10000'],
    [
      'keys of many objects',
      `[${Array.from({ length: 101 }, (_, n) => `{${keys(100, n * 100)}}`).join()}]`,
      'has 10100 keys; the limit is 10000',
    ],
    ['the same key', `{${Array(10_001).fill('"a":1').join()}}`, 'has 10001 keys; the limit is 10000'],
    ['entries of a list', `{"l":[${ones(50_000)}]}`, 'has 50001 values; the limit is 50000'],
    [
      'numbers that are slow to check',
      `[${Array(50_001).fill('1e99').join()}]`,
      'has 50001 values; the limit is 50000',
    ],
    [
      'lists in lists',
      `[${Array(1000)
        .fill('['.repeat(60) + ']'.repeat(60))
        .join()}]`,
      'has 60000 values; the limit is 50000',
    ],
    ['empty objects', `[${Array(50_001).fill(' { } ').join()}]`, 'has 50001 values; the limit is 50000'],
  ])('is refused before it is parsed: %s', (_, text, message) => {
    const parse = vi.spyOn(JSON, 'parse');
    expect(parseJson(text)).toMatchObject({ faults: [{ code: 'too-many-values', path: [], message }] });
    expect(parse).not.toHaveBeenCalled();
  });
});

describe('a JSON text at a limit is read', () => {
  it.each([
    ['keys', `{${keys(10_000)}}`],
    ['values', `{"l":[${ones(49_999)}]}`],
    ['empty lists', `[${Array(50_000).fill('[ ]').join()}]`],
    ['texts with marks of JSON', JSON.stringify(['"\\{[,:'.repeat(60_000)])],
  ])('%s', (_, text) => {
    expect(parseJson(text)).toEqual({ value: JSON.parse(text) });
  });
});

describe('the first mistake of a JSON text', () => {
  it.each([
    ['{"name": "a",}', 'unexpected "}" at line 1, column 14'],
    ['{"a": None}', 'unexpected "N" at line 1, column 7'],
    ["{'a': 1}", `unexpected "'" at line 1, column 2`],
    ['name=x', 'unexpected "n" at line 1, column 1'],
    ['{\n  "a": [1, 2\n  "b": 3}', 'unexpected "\\"" at line 3, column 3'],
    ['{"a": "x\ny"}', 'unexpected "\\n" at line 1, column 9'],
    ['["\\x"]', 'unexpected "\\\\" at line 1, column 3'],
    ['{"a": 1} x', 'unexpected "x" at line 1, column 10'],
    ['{"a": 01}', 'unexpected "0" at line 1, column 7'],
    ['[1}', 'unexpected "}" at line 1, column 3'],
    ['{"a"}', 'unexpected "}" at line 1, column 5'],
    ['[😀]', 'unexpected "😀" at line 1, column 2'],
    ['{"a":', 'it ends at line 1, column 6, before it is complete'],
    ['{"a": "b', 'it ends at line 1, column 9, before it is complete'],
    ['', 'it ends at line 1, column 1, before it is complete'],
  ])('is named with its place: %j', (text, sentence) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(syntaxErrorIn(text)).toBe(sentence);
  });

  it('comes after everything that is valid', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const lines = `${text} `.split('\n');
        const place = `line ${lines.length}, column ${lines.at(-1)?.length}`;
        expect(syntaxErrorIn(`${text}}`)).toBe(`unexpected "}" at ${place}`);
      }),
    );
  });
});
