/**
 * The fingerprints of the protocol. All of them start from SHA-256; what differs is what is hashed and in which order the
 * bytes go on the wire.
 *
 * A hash is kept everywhere as the 16 lower-case hex digits of its 8 wire bytes, so that nobody has to think about byte
 * order again.
 */
import { hash as digest } from 'node:crypto';

/** 16 lower-case hex digits: the 8 bytes in the order in which they are sent. */
export type Hash = string;

/** Hash of a codec document in CBOR; its bytes are sent in reverse (wire protocol, 12.1). */
export function codecHash(cbor: Uint8Array): Hash {
  return toHex(xorFold(digest('sha256', cbor, 'buffer')).reverse());
}

/**
 * Hash of a configuration: over the raw output of `config show`, which is a line break, then each line with one (wire
 * protocol, 9.2). A device hashes what its capture buffer holds of it.
 */
export function configTextHash(text: string): Hash {
  return toHex(xorFold(digest('sha256', text, 'buffer')));
}

/** Hash of the whole configuration of these lines. */
export function configHash(lines: readonly string[]): Hash {
  return configTextHash(`\r\n${lines.map((line) => `${line}\r\n`).join('')}`);
}

/**
 * Identifies the content of a whole message, wherever it turns up: on either end, in the trace.
 * @param message its bytes, type byte included; or its JSON where it came as such
 */
export function contentFingerprint(message: Uint8Array | string): string {
  return digest('sha256', message, 'hex').slice(0, 16);
}

/** Lower-case hex digits of bytes. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** The bytes that pairs of hex digits stand for. @throws RangeError, which does not repeat the text: it may be a secret */
export function fromHex(digits: string): Uint8Array {
  const bytes = new Uint8Array(Buffer.from(digits, 'hex'));
  if (bytes.length * 2 !== digits.length) throw new RangeError('the text does not consist of pairs of hex digits');
  return bytes;
}

/** Folds 32 bytes into 8: byte i is the XOR of bytes i, 8+i, 16+i and 24+i. */
function xorFold(bytes: Uint8Array): Uint8Array {
  const folded = new Uint8Array(8);
  for (let i = 0; i < 32; i++) folded[i & 7] = (folded[i & 7] as number) ^ (bytes[i] as number);
  return folded;
}
