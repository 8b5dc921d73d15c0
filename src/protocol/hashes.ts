/**
 * The hashes of the protocol. All are derived from SHA-256; they differ in their input and in their byte order on the wire.
 *
 * A hash is always represented by the 16 lower-case hex digits of its 8 wire bytes, so its byte order matters only here.
 */
import { hash as digest } from 'node:crypto';

/** 16 lower-case hex digits: the 8 bytes in the order in which they are sent. */
export type Hash = string;

/** Hash of a codec document in CBOR; its bytes are sent in reverse (wire W-62). */
export function codecHash(cbor: Uint8Array): Hash {
  return toHex(xorFold(digest('sha256', cbor, 'buffer')).reverse());
}

/**
 * Hash of a configuration, computed over the raw output of `config show`: a line break, then the lines, each with a line break
 * (wire W-53). A device hashes only the part that fits into its capture buffer.
 */
export function configTextHash(text: string): Hash {
  return toHex(xorFold(digest('sha256', text, 'buffer')));
}

/** Hash of a complete configuration with these lines. */
export function configHash(lines: readonly string[]): Hash {
  return configTextHash(`\r\n${lines.map((line) => `${line}\r\n`).join('')}`);
}

/**
 * Fingerprint of a complete message, the same on the device, in the cloud and in the trace; or of other content, such as that of
 * a file in a plan.
 * @param content for a message: its bytes including the type byte, or its JSON on an HTTP link
 */
export function contentFingerprint(content: Uint8Array | string): string {
  // `slice` would keep the whole hash in memory, 80 bytes for each stored message. A copy takes the same time.
  firstDigits.write(digest('sha256', content, 'hex'), 0, 'latin1');
  return firstDigits.toString('latin1');
}

const firstDigits = Buffer.alloc(16);

/** Bytes as lower-case hex digits. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Bytes of pairs of hex digits. @throws RangeError whose message omits the text, because the text may be a secret */
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
