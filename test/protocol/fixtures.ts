/** Shorthands for codec documents, CBOR and hex. */
import fc from 'fast-check';
import { type CborKey, type CborValue, encodeCbor } from '../../src/protocol/cbor.js';
import { type Codec, type CodecEntry, type CodecValue, compileCodec } from '../../src/protocol/codec.js';
import { toHex } from '../../src/protocol/hashes.js';

/** A field with its modifiers and child fields. */
export function field(name: string, ...children: readonly CodecEntry[]): CodecEntry {
  return { name, value: children.length > 0 ? children : null };
}

/** A modifier, for example `$div` with the value 100, or `$tsp` with a list of fields. */
export function modifier(name: string, value: CodecValue): CodecEntry {
  return { name, value };
}

export function decoderOf(...schema: readonly CodecEntry[]): Codec {
  return compileCodec({ version: 2, type: 'decoder', name: 'com.example.test', schema });
}

export function encoderOf(...schema: readonly CodecEntry[]): Codec {
  return compileCodec({ version: 2, type: 'encoder', name: 'com.example.test', schema });
}

/** A CBOR map of pairs. */
export function map(...entries: readonly (readonly [CborKey, CborValue])[]): ReadonlyMap<CborKey, CborValue> {
  return new Map(entries);
}

/** A body: a CBOR map of pairs, in bytes. */
export function body(...entries: readonly (readonly [CborKey, CborValue])[]): Uint8Array {
  return encodeCbor(map(...entries));
}

/** Bytes from hex digits; spaces between the digits are ignored. */
export function hex(digits: string): Uint8Array {
  return new Uint8Array(Buffer.from(digits.replaceAll(' ', ''), 'hex'));
}

/** The number of tries of a property, as a multiple of the usual one. */
export function tries(factor: number): { numRuns: number } {
  return { numRuns: factor * (fc.readConfigureGlobal()?.numRuns ?? 100) };
}

export { toHex };
