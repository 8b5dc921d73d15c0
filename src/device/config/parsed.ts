/** Result of parsing the text of a new parameter value. */
import type { ParameterValue } from '../../profile/parameters.js';

/** The text was rejected: the firmware prints `lines` and returns a code, and the value is unchanged. */
export interface Refused {
  readonly kind: 'refused';
  readonly lines: readonly string[];
  /** Decides the returned code. `unsaid`: CHESTER returns 0, and only the lines show that the value was rejected. */
  readonly fault: 'unsaid' | 'invalid' | 'too long';
}

export type Parsed = { readonly kind: 'value'; readonly value: ParameterValue } | Refused;

export function accepted(value: ParameterValue): Parsed {
  return { kind: 'value', value };
}
