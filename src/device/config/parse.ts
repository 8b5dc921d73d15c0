/**
 * Parses the text of a new parameter value as CHESTER does. The rules of hio devices are in hio-parse.ts. The result is a
 * value, or the lines that the firmware prints when it rejects the text (shell S-14).
 *
 * The firmware calls functions of the C library. So the rules are those of these functions, with all peculiarities: a value
 * that a real device accepts must be accepted here, too.
 */
import { Buffer } from 'node:buffer';
import type { ParameterSpec, StringParameter } from '../../profile/parameters.js';
import { STRING_CHECKERS } from './checks.js';
import { leadingFloat, leadingInteger } from './number.js';
import { accepted, type Parsed } from './parsed.js';
import { helpLines } from './text.js';

export { leadingInteger } from './number.js';

export function parseValue(spec: ParameterSpec, text: string): Parsed {
  switch (spec.type) {
    case 'int': {
      if (!/^[\d-]*$/.test(text)) return refused('Invalid format', spec);
      return inRange(spec, leadingInteger(text));
    }
    case 'float': {
      const number = leadingFloat(text);
      return number === undefined ? refused('Invalid value', spec) : inRange(spec, Math.fround(number));
    }
    case 'bool':
      return text === 'true' || text === 'false' ? accepted(text === 'true') : refused('invalid format', spec);
    case 'enum':
      return spec.values.includes(text) ? accepted(text) : refused('invalid option', spec);
    case 'string':
      return parseString(spec, text);
    case 'hex':
      return text.length === 2 * spec.size && /^[\da-f]*$/i.test(text)
        ? accepted(text.toLowerCase())
        : refused('Length does not match.', spec);
    default:
      return spec satisfies never;
  }
}

function parseString(spec: StringParameter, text: string): Parsed {
  if (Buffer.byteLength(text) > spec.maxLength) {
    // For a network number that is too long, the firmware prints only the help line.
    return spec.check === 'lte-network'
      ? { kind: 'refused', lines: helpLines(spec), fault: 'unsaid' }
      : refused('value too long', spec);
  }
  const complaint = spec.check && STRING_CHECKERS[spec.check](text, spec);
  // When a module's own check fails, the firmware prints no help.
  return complaint === undefined ? accepted(text) : { kind: 'refused', lines: complaint.split('\n'), fault: 'unsaid' };
}

/** NaN is within every range: both comparisons of the firmware are false for it. */
function inRange(spec: ParameterSpec & { readonly min: number; readonly max: number }, value: number): Parsed {
  return value < spec.min || value > spec.max ? refused('Invalid range', spec) : accepted(value);
}

function refused(complaint: string, spec: ParameterSpec): Parsed {
  return { kind: 'refused', lines: [complaint, ...helpLines(spec)], fault: 'unsaid' };
}
