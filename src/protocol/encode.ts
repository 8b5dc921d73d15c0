/**
 * Encodes JSON to data bodies for a device (wire W-68).
 *
 * Encoding is strict, because the parser of a device is not: after an unknown key, the parser reads the value as the next key
 * and reports no error.
 */
import { isObject } from '../kernel/json-text.js';
import { CborWriter } from './cbor.js';
import { type Codec, CodecError, type CodecField } from './codec.js';
import { calculate, roundHalfAway } from './modifiers.js';

/**
 * Encodes the fields of `json` with the keys of the encoder. Fields of the encoder that `json` does not have are not sent.
 * @throws CodecError with all unknown fields and invalid values
 */
export function encodeBody(codec: Codec, json: object): Uint8Array {
  const encoding: Encoding = { codec, writer: new CborWriter(), problems: [] };
  writeObject(encoding, json, '');
  if (encoding.problems.length > 0) throw new CodecError(encoding.problems);
  return encoding.writer.finish();
}

interface Encoding {
  readonly codec: Codec;
  readonly writer: CborWriter;
  readonly problems: string[];
}

function writeObject(encoding: Encoding, object: object, parent: string): void {
  const entries = Object.entries(object);
  encoding.writer.mapOf(entries.length);
  for (const [name, value] of entries) {
    const path = parent === '' ? name : `${parent}.${name}`;
    const number = encoding.codec.numbers.get(path);
    const field = number === undefined ? undefined : encoding.codec.keys[number];
    if (field === undefined) {
      const known = encoding.codec.keys.map((key) => key.path).join(', ');
      encoding.problems.push(`"${path}" is not a field of the encoder; it has ${known}`);
      continue;
    }
    encoding.writer.key(field.number);
    if (Array.isArray(value)) {
      encoding.writer.arrayOf(value.length);
      for (const item of value) writeValue(encoding, field, item);
    } else writeValue(encoding, field, value);
  }
}

function writeValue(encoding: Encoding, field: CodecField, value: unknown): void {
  if (isObject(value)) writeObject(encoding, value, field.path);
  else writeScalar(encoding, field, value);
}

function writeScalar({ writer, problems }: Encoding, field: CodecField, value: unknown): void {
  const wrong = (wanted: string): void => {
    problems.push(`${show(value)} is not ${wanted} for "${field.path}"`);
  };
  const onWire = applyModifiers(field, value);
  if (onWire === undefined) return wrong(wantedBy(field));
  switch (field.type) {
    case 'int': {
      const whole = typeof onWire === 'number' ? roundHalfAway(onWire, 0) : undefined;
      return Number.isSafeInteger(whole) ? writer.int(whole as number) : wrong('a number below 2^53');
    }
    case 'float':
      return typeof onWire === 'number' ? writer.float(onWire) : wrong('a number');
    case 'bool':
      return typeof onWire === 'boolean' ? writer.bool(onWire) : wrong('true or false');
    case 'string':
      return typeof onWire === 'string' ? writer.text(onWire) : wrong('a text');
    case undefined:
      if (typeof onWire === 'string') return writer.text(onWire);
      if (typeof onWire === 'boolean') return writer.bool(onWire);
      return Number.isSafeInteger(onWire) ? writer.int(onWire) : writer.float(onWire);
    default:
      return field.type satisfies never;
  }
}

/** The value after the modifiers, before its type is checked; undefined when a modifier does not accept it. */
function applyModifiers(field: CodecField, given: unknown): number | string | boolean | undefined {
  if (typeof given !== 'string' && typeof given !== 'number' && typeof given !== 'boolean') return undefined;
  let value = given;
  for (const modifier of field.modifiers) {
    if (modifier.kind === 'enum') {
      const index = typeof value === 'string' ? modifier.labels.indexOf(value) : value;
      if (typeof index !== 'number' || modifier.labels[index] === undefined) return undefined;
      value = index;
    } else if (typeof value === 'number') value = calculate(modifier, value);
    else return undefined;
  }
  return typeof value === 'number' && !Number.isFinite(value) ? undefined : value;
}

function wantedBy(field: CodecField): string {
  for (const modifier of field.modifiers) {
    if (modifier.kind === 'enum') return `one of ${modifier.labels.map((label) => `"${label}"`).join(', ')}`;
  }
  return field.modifiers.length > 0 ? 'a number' : 'a number, a text, true or false';
}

function show(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'a list' : `"${String(value).slice(0, 60)}"`;
}
