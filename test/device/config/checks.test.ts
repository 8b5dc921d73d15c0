import { describe, expect, it } from 'vitest';
import { STRING_CHECKERS } from '../../../src/device/config/checks.js';
import { parseValue } from '../../../src/device/config/parse.js';
import { LTE_MODE } from './specs.js';

const FINE = undefined;

describe.each([
  ['lte-mode', 'lte-m', FINE],
  ['lte-mode', 'nb-iot,lte-m', FINE],
  ['lte-mode', '', 'invalid mode'],
  ['lte-mode', 'lte', 'invalid mode'],
  ['lte-mode', 'lte-m,', 'invalid mode'],
  ['lte-mode', 'lte-m nb-iot', 'expected comma'],
  ['lte-bands', '', FINE],
  ['lte-bands', '8,20', FINE],
  ['lte-bands', '8,', 'invalid number format'],
  ['lte-bands', ',8', 'invalid number format'],
  ['lte-bands', '256', 'invalid number format'],
  ['lte-bands', '1,7', 'band 7 is not supported'],
  ['lte-bands', '8;20', 'invalid number format'],
  ['lte-bands', '1 2', 'invalid number format'],
  ['lte-bands', '-8', 'invalid number format'],
  ['lte-network', '', FINE],
  ['lte-network', '23003', FINE],
  ['lte-network', '310410', FINE],
  ['lte-network', '230', 'must be "" or PLMN ID (format: 5-6 digits)'],
  ['lte-network', '2300x', 'PLMN ID must be digits'],
] as const)('%s', (check, text, complaint) => {
  it(`"${text}" is ${complaint ?? 'fine'}`, () => {
    expect(STRING_CHECKERS[check](text, LTE_MODE)).toBe(complaint);
  });
});

it('a failed check prints its own line and no help', () => {
  expect(parseValue(LTE_MODE, 'gsm')).toEqual({ kind: 'refused', lines: ['invalid mode'] });
});
