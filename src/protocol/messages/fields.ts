/**
 * Reads the CBOR map of a message, loosely or strictly.
 *
 * The cloud is tolerant: it ignores unknown keys and fields of an unexpected type (wire W-46). A device is strict: it rejects
 * the whole message in both cases (wire W-46).
 */

import { isBytes } from '../../kernel/bytes.js';
import { CborError, type CborKey, type CborValue, decodeCbor } from '../cbor.js';
import { MessageError } from './error.js';

type CborMap = ReadonlyMap<CborKey, CborValue>;

/** A map's fields by key; undefined if missing or, in loose reading, of another type. */
export class Fields {
  readonly #map: CborMap;
  /** The name of the message for errors of strict reading; undefined for loose reading. */
  readonly #strict: string | undefined;

  /** Loose reading, for the cloud. */
  static loose(map: CborMap): Fields {
    return new Fields(map, undefined);
  }

  /**
   * Strict reading, for a device: the readers throw MessageError when a field has another type.
   * @throws MessageError if a key is not one of `known`
   */
  static strict(map: CborMap, known: readonly number[], message: string): Fields {
    for (const key of map.keys()) {
      if (typeof key === 'number' && known.includes(key)) continue;
      throw new MessageError('malformed', `${message} has the unknown key "${key}"`);
    }
    return new Fields(map, message);
  }

  private constructor(map: CborMap, strict: string | undefined) {
    this.#map = map;
    this.#strict = strict;
  }

  uint(key: number): number | undefined {
    return this.#typed(key, isUint, 'an unsigned integer');
  }

  /** An integer of either sign. */
  int(key: number): number | undefined {
    return this.#typed(key, isInt, 'an integer');
  }

  /** An unsigned integer of 64 bits. */
  wide(key: number): bigint | undefined {
    const value = this.#typed(key, isWide, 'an unsigned integer');
    return value === undefined ? undefined : BigInt(value);
  }

  text(key: number): string | undefined {
    return this.#typed(key, isText, 'a text');
  }

  bytes(key: number): Uint8Array | undefined {
    return this.#typed(key, isBytes, 'a byte string');
  }

  list(key: number): readonly CborValue[] | undefined {
    return this.#typed(key, isList, 'an array');
  }

  #typed<T extends CborValue>(key: number, is: (value: CborValue) => value is T, wanted: string): T | undefined {
    const value = this.#map.get(key);
    if (value === undefined || is(value)) return value;
    if (this.#strict === undefined) return undefined;
    throw new MessageError('malformed', `key ${key} of ${this.#strict} is not ${wanted}`);
  }
}

/** Decodes a value that must be one CBOR map. @throws MessageError */
export function mapIn(value: Uint8Array, message: string): CborMap {
  const decoded = cborIn(value, message);
  if (decoded instanceof Map) return decoded;
  throw new MessageError('malformed', `the value of ${message} is not a CBOR map`);
}

/** Decodes a value that must be one CBOR item. @throws MessageError */
export function cborIn(value: Uint8Array, message: string): CborValue {
  try {
    return decodeCbor(value);
  } catch (error) {
    if (!(error instanceof CborError)) throw error;
    throw new MessageError('malformed', `the value of ${message} is not CBOR: ${error.message}`);
  }
}

/** A copy of an object without its undefined members. */
export function present<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): T {
  const defined = Object.entries(members).filter(([, member]) => member !== undefined);
  // The cast is safe because the two types differ only in members that may be undefined.
  return Object.fromEntries(defined) as T;
}

export const isText = (value: CborValue): value is string => typeof value === 'string';
const isList = (value: CborValue): value is readonly CborValue[] => Array.isArray(value);
const isInt = (value: CborValue): value is number => Number.isSafeInteger(value);
const isUint = (value: CborValue): value is number => isInt(value) && value >= 0;
const isWide = (value: CborValue): value is number | bigint =>
  typeof value === 'bigint' ? value >= 0n : isUint(value);
