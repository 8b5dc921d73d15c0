import { describe, expect, it } from 'vitest';
import { leadingInteger, parseValue } from '../../../src/device/config/parse.js';
import { helpLines } from '../../../src/device/config/text.js';
import type { ParameterSpec } from '../../../src/profile/parameters.js';
import { APN, CONNECTED, DEVEUI, INTERVAL, MODE, THRESHOLD } from './specs.js';

const accepted = (spec: ParameterSpec, text: string) => {
  const parsed = parseValue(spec, text);
  return parsed.kind === 'value' ? parsed.value : `refused: ${parsed.lines[0]}`;
};

describe('a parameter accepts a text:', () => {
  it.each([
    [INTERVAL, '30', 30],
    [INTERVAL, '86400', 86400],
    [INTERVAL, '60-9', 60],
    [THRESHOLD, '25', 25],
    [THRESHOLD, '-.5', -0.5],
    [THRESHOLD, '+1.25e1', 12.5],
    [THRESHOLD, '25.5 degrees', 25.5],
    [THRESHOLD, '0.1', Math.fround(0.1)],
    [THRESHOLD, 'nan', Number.NaN],
    [THRESHOLD, '-NaN', Number.NaN],
    [CONNECTED, 'false', false],
    [MODE, 'lrw', 'lrw'],
    [APN, 'x'.repeat(63), 'x'.repeat(63)],
    [APN, '', ''],
    [DEVEUI, '00112233AABBCCDD', '00112233aabbccdd'],
  ])('$type: $1', (spec, text, value) => {
    expect(accepted(spec, text)).toBe(value);
  });
});

describe('a parameter rejects a value and prints its help:', () => {
  it.each([
    [INTERVAL, '12s', 'Invalid format'],
    [INTERVAL, ' 60', 'Invalid format'],
    [INTERVAL, '+60', 'Invalid format'],
    [INTERVAL, '29', 'Invalid range'],
    [INTERVAL, '86401', 'Invalid range'],
    [INTERVAL, '-60', 'Invalid range'],
    [INTERVAL, '', 'Invalid range'],
    [INTERVAL, '9'.repeat(60), 'Invalid range'],
    [THRESHOLD, 'warm', 'Invalid value'],
    [THRESHOLD, '', 'Invalid value'],
    [THRESHOLD, '125.1', 'Invalid range'],
    [THRESHOLD, '1e999', 'Invalid range'],
    [THRESHOLD, 'inf', 'Invalid range'],
    [THRESHOLD, '-Infinity', 'Invalid range'],
    [CONNECTED, 'True', 'invalid format'],
    [CONNECTED, '1', 'invalid format'],
    [MODE, 'LTE', 'invalid option'],
    [MODE, '', 'invalid option'],
    [APN, 'x'.repeat(64), 'value too long'],
    [DEVEUI, '0011', 'Length does not match.'],
    [DEVEUI, '00112233AABBCCDG', 'Length does not match.'],
  ])('$type: $1', (spec, text, complaint) => {
    expect(parseValue(spec, text)).toEqual({
      kind: 'refused',
      lines: [complaint, ...helpLines(spec)],
      fault: 'unsaid',
    });
  });
});

it('the leading integer of a text is what strtol finds', () => {
  const texts = ['12', ' 12', '-3x', '+4', '', '-', 'x1', '-0'];
  expect(texts.map(leadingInteger)).toEqual([12, 12, -3, 4, 0, 0, 0, 0]);
});
