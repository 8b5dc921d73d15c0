/**
 * Parses the text of a new parameter value as hio devices do (shell S-14; `hio_config.c`, `hio_config_module_item_set_value`;
 * `hio_lte_config.c`). The error texts differ from those of CHESTER (parse.ts). The help line follows each error text, and the
 * command returns an error code.
 */
import { Buffer } from 'node:buffer';
import type { ParameterSpec, StringParameter } from '../../profile/parameters.js';
import { stringCheckers } from './checks.js';
import { leadingFloat, leadingInteger } from './number.js';
import { accepted, type Parsed } from './parsed.js';
import { helpLines } from './text.js';

const CHECKERS = stringCheckers({
  bands: [1, 2, 3, 4, 5, 8, 12, 13, 17, 18, 19, 20, 25, 26, 28, 65, 66, 85, 106],
  mode: 'Invalid mode',
  comma: 'Expected comma',
  number: 'Invalid number format',
  band: () => 'Band is not supported',
  network: 'PLMN ID must be 5-6 digits',
  digits: 'PLMN ID must be digits',
});

export function parseHioValue(spec: ParameterSpec, text: string): Parsed {
  switch (spec.type) {
    case 'int':
      return /^(?:\s*[+-]?\d+)?$/.test(text) ? inRange(spec, leadingInteger(text)) : refused('Invalid format', spec);
    case 'float': {
      const number = text === '' ? 0 : WHOLE_FLOAT.test(text) ? leadingFloat(text) : undefined;
      return number === undefined ? refused('Invalid format', spec) : inRange(spec, Math.fround(number));
    }
    case 'bool':
      return text === 'true' || text === 'false' ? accepted(text === 'true') : refused('Invalid format', spec);
    case 'enum':
      return spec.values.includes(text) ? accepted(text) : refused('Invalid option', spec);
    case 'string':
      return parseString(spec, text);
    case 'hex': {
      const digits = text.replaceAll(' ', '');
      const fits = digits.length === 2 * spec.size && /^[\da-f]*$/i.test(digits);
      return fits ? accepted(digits.toLowerCase()) : refused('Length does not match', spec);
    }
    default:
      return spec satisfies never;
  }
}

/** A number with nothing after it. */
const WHOLE_FLOAT = /^\s*[+-]?(?:nan|inf|infinity|(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)$/i;

function parseString(spec: StringParameter, text: string): Parsed {
  if (Buffer.byteLength(text) > spec.maxLength) {
    if (spec.check === undefined) return refused('Value too long', spec);
    // For a network number that is too long, the firmware prints the text for an invalid value.
    return refused(spec.check === 'lte-network' ? 'Invalid value' : 'Value too long', spec, 'too long');
  }
  const complaint = spec.check && CHECKERS[spec.check](text, spec);
  return complaint === undefined ? accepted(text) : refused(complaint, spec);
}

/** NaN is within every range, as on CHESTER. */
function inRange(spec: ParameterSpec & { readonly min: number; readonly max: number }, value: number): Parsed {
  return value < spec.min || value > spec.max ? refused('Invalid range', spec) : accepted(value);
}

function refused(complaint: string, spec: ParameterSpec, fault: 'invalid' | 'too long' = 'invalid'): Parsed {
  return { kind: 'refused', lines: [...complaint.split('\n'), ...helpLines(spec)], fault };
}
