/**
 * From the text of a write to a value, or to what the firmware prints when it refuses (firmware shell, 3.2).
 *
 * The rules are those of the C library functions that the firmware calls, oddities included: a client that was tried
 * against a real device must not find this one stricter.
 */
import type { ParameterSpec, ParameterValue, StringParameter } from '../../profile/parameters.js';
import { STRING_CHECKERS } from './checks.js';
import { leadingFloat, leadingInteger } from './number.js';
import { helpLines } from './text.js';

export { leadingInteger } from './number.js';

type Parsed =
  | { readonly kind: 'value'; readonly value: ParameterValue }
  /** What is printed instead; the value stays as it was. */
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

/** Reads `text` as a value of the parameter. */
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
  if (text.length > spec.maxLength) {
    // A network that is too long is answered with the help line alone.
    return spec.check === 'lte-network' ? { kind: 'refused', lines: helpLines(spec) } : refused('value too long', spec);
  }
  const complaint = spec.check && STRING_CHECKERS[spec.check](text, spec);
  // The module's own checks print no help.
  return complaint === undefined ? accepted(text) : { kind: 'refused', lines: complaint.split('\n') };
}

/** A value that is not a number is in every range: both comparisons of the firmware are false for it. */
function inRange(spec: ParameterSpec & { readonly min: number; readonly max: number }, value: number): Parsed {
  return value < spec.min || value > spec.max ? refused('Invalid range', spec) : accepted(value);
}

function accepted(value: ParameterValue): Parsed {
  return { kind: 'value', value };
}

function refused(complaint: string, spec: ParameterSpec): Parsed {
  return { kind: 'refused', lines: [complaint, ...helpLines(spec)] };
}
