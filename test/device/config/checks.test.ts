import { describe, expect, it } from 'vitest';
import { STRING_CHECKERS } from '../../../src/device/config/checks.js';
import { parseHioValue } from '../../../src/device/config/hio-parse.js';
import { parseValue } from '../../../src/device/config/parse.js';
import type { ParameterSpec } from '../../../src/profile/parameters.js';
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
  it(`"${text}" gives: ${complaint ?? 'no complaint'}`, () => {
    expect(STRING_CHECKERS[check](text, LTE_MODE)).toBe(complaint);
  });
});

it('a failed check prints its own line and no help', () => {
  expect(parseValue(LTE_MODE, 'gsm')).toEqual({ kind: 'refused', lines: ['invalid mode'], fault: 'unsaid' });
});

/** The error texts of hio devices. After the text, a hio device prints the help of the parameter. */
describe.each([
  ['lte-mode', 'lte', 'Invalid mode', 'invalid'],
  ['lte-mode', 'lte-m nb-iot', 'Expected comma', 'invalid'],
  ['lte-bands', '8;20', 'Invalid number format', 'invalid'],
  ['lte-bands', '1,7', 'Band is not supported', 'invalid'],
  ['lte-bands', '9'.repeat(42), 'Value too long', 'too long'],
  ['lte-network', '230', 'PLMN ID must be 5-6 digits', 'invalid'],
  ['lte-network', '2300x', 'PLMN ID must be digits', 'invalid'],
  ['lte-network', '9'.repeat(42), 'Invalid value', 'too long'],
] as const)('%s of a hio device', (check, text, complaint, fault) => {
  const spec = { name: 'it', type: 'string', maxLength: 41, default: '', check, help: 'Help.' } as const;

  it(`"${text}" is rejected: ${complaint}`, () => {
    expect(parseHioValue(spec, text)).toEqual({
      kind: 'refused',
      lines: [complaint, '  it                :Help.'],
      fault,
    });
  });
});

it.each([
  ['int', '+5', 5],
  ['int', ' 7', 7],
  ['int', '', 0],
  ['int', '5x', 'Invalid format'],
  ['int', '500', 'Invalid range'],
  ['float', '2.5', 2.5],
  ['float', '2.5 ', 'Invalid format'],
  ['float', '', 0],
  ['bool', 'yes', 'Invalid format'],
  ['enum', 'c', 'Invalid option'],
  ['hex', '0 0f F', '00ff'],
  ['hex', '00f', 'Length does not match'],
  ['lte-bands', '65,85,106', '65,85,106'],
])('a hio device parses the %s "%s"; value or error: %s', (type, text, expected) => {
  const common = { name: 'it', help: 'Help.', min: 0, max: 100 };
  const specs: Readonly<Record<string, ParameterSpec>> = {
    int: { ...common, type: 'int', default: 0 },
    float: { ...common, type: 'float', default: 0 },
    bool: { ...common, type: 'bool', default: false },
    enum: { ...common, type: 'enum', values: ['a', 'b'], default: 'a' },
    hex: { ...common, type: 'hex', size: 2, default: '0000' },
    'lte-bands': { ...common, type: 'string', maxLength: 41, default: '', check: 'lte-bands' },
  };
  const parsed = parseHioValue(specs[type] as ParameterSpec, text);
  expect(parsed.kind === 'value' ? parsed.value : parsed.lines[0]).toBe(expected);
});
