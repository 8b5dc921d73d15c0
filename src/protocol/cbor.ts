/** Encodes and decodes complete CBOR values. Bodies of data are read with {@link CborReader}, which is faster. */

import { isBytes } from '../kernel/bytes.js';
import { ARRAY, BYTES, CborError, CborReader, MAP, NEGATIVE, SIMPLE, TEXT, UINT } from './cbor-reader.js';
import { CborWriter } from './cbor-writer.js';

export { CborError, CborReader } from './cbor-reader.js';
export { CborWriter } from './cbor-writer.js';

/** Map keys are integers or texts. Integers that a number cannot represent exactly are bigints. */
export type CborKey = number | bigint | string;
export type CborValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly CborValue[]
  | ReadonlyMap<CborKey, CborValue>;

/** Encodes with definite lengths and shortest integers; a number that is not a safe integer becomes a 64-bit float. */
export function encodeCbor(value: CborValue): Uint8Array {
  const writer = new CborWriter();
  write(writer, value);
  return writer.finish();
}

/**
 * Decodes exactly one value. Maps keep the order of the bytes; undefined becomes null.
 * @throws CborError for malformed data, duplicate keys, tags, trailing bytes, and more than 64 levels
 */
export function decodeCbor(bytes: Uint8Array): CborValue {
  const reader = new CborReader(bytes);
  const value = read(reader);
  reader.end();
  return value;
}

/** Message of the error for a tag. */
export const A_TAG = 'a tag is not part of this protocol';

function read(reader: CborReader): CborValue {
  switch (reader.next()) {
    case UINT:
    case NEGATIVE:
      return reader.integer();
    case BYTES:
      return reader.bytes();
    case TEXT:
      return reader.text();
    case ARRAY:
      return readArray(reader);
    case MAP:
      return readMap(reader);
    case SIMPLE:
      return reader.simple();
    default:
      throw new CborError(A_TAG);
  }
}

function readArray(reader: CborReader): CborValue[] {
  const { count } = reader;
  const items: CborValue[] = [];
  for (let i = 0; reader.more(i, count); i++) items.push(read(reader));
  return items;
}

function readMap(reader: CborReader): Map<CborKey, CborValue> {
  const { count } = reader;
  const map = new Map<CborKey, CborValue>();
  for (let i = 0; reader.more(i, count); i++) {
    const key = readKey(reader);
    if (map.has(key)) throw new CborError(`the key ${JSON.stringify(String(key))} occurs twice in a map`);
    map.set(key, read(reader));
  }
  return map;
}

export function readKey(reader: CborReader): CborKey {
  switch (reader.next()) {
    case UINT:
    case NEGATIVE:
      return reader.integer();
    case TEXT:
      return reader.text();
    default:
      throw new CborError(NO_KEY);
  }
}

/** Skips the key of a map entry. */
export function passKey(reader: CborReader): void {
  const type = reader.next();
  if (type === TEXT) reader.pass();
  else if (type !== UINT && type !== NEGATIVE) throw new CborError(NO_KEY);
}

const NO_KEY = 'a key of a map is neither an integer nor a text';

function write(writer: CborWriter, value: CborValue): void {
  if (value === null) writer.null();
  else if (typeof value === 'string') writer.text(value);
  else if (typeof value === 'boolean') writer.bool(value);
  else if (typeof value === 'bigint' || Number.isSafeInteger(value)) writer.int(value as number | bigint);
  else if (typeof value === 'number') writer.float(value);
  else if (isBytes(value)) writer.bytes(value);
  else if (value instanceof Map) {
    writer.mapOf(value.size);
    for (const [key, item] of value) {
      write(writer, key);
      write(writer, item);
    }
  } else {
    const items = value as readonly CborValue[];
    writer.arrayOf(items.length);
    for (const item of items) write(writer, item);
  }
}
