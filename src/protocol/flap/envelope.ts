/**
 * The MAC envelope around a packet, raw or as base64 text (wire protocol, 2.2 and 3.1).
 *
 * Sealing and opening happen for every datagram in both directions, so neither allocates more than its result: the hash
 * input is laid out so that the tag overwrites the second half of the token and the envelope is a view of the same buffer.
 */
import { hash } from 'node:crypto';
import type { Packet } from './packet.js';

/** How an envelope travels: as bytes (port 5002) or as base64 text (port 5003). */
export type EnvelopeFormat = 'raw' | 'base64';

/** Bytes of message data in one packet, per direction (wire protocol, 2.1). */
export const FRAGMENT_SIZE: Readonly<Record<EnvelopeFormat, { readonly up: number; readonly down: number }>> = {
  raw: { up: 494, down: 494 },
  base64: { up: 360, down: 360 },
};

/** The cloud reads no more than this of a datagram (wire protocol, 2.1). */
export const LONGEST_DATAGRAM = 1024;

const TOKEN_SIZE = 16;
const TAG_SIZE = 8;
const HEADER_AT = 12;
const DATA_AT = 14;

/** What a datagram says before anybody has checked its tag. */
export interface Envelope {
  readonly serial: number;
  readonly packet: Packet;
  /** The whole envelope, for {@link hasValidTag}. */
  readonly bytes: Uint8Array;
}

/** Builds the datagram that carries `packet` for the device `serial`, signed with its 16-byte claim token. */
export function seal(packet: Packet, serial: number, token: Uint8Array, format: EnvelopeFormat): Uint8Array {
  const { data } = packet;
  const scratch = Buffer.allocUnsafe(TOKEN_SIZE - TAG_SIZE + DATA_AT + data.length);
  scratch.set(token, 0);
  scratch.writeUInt32BE(serial, TOKEN_SIZE);
  scratch.writeUInt16BE((packet.flags << 12) | packet.sequence, TOKEN_SIZE + 4);
  scratch.set(data, TOKEN_SIZE + 6);
  foldDigest(scratch, scratch, TAG_SIZE);
  const envelope = scratch.subarray(TAG_SIZE);
  return format === 'raw' ? envelope : Buffer.from(envelope.toString('base64'), 'latin1');
}

/**
 * Takes a datagram apart. Undefined when it is not base64, too short, or of serial number 0 (wire protocol, 6.2 step 1).
 * What a datagram has beyond 1024 bytes is cut off; the tag of the rest does not match.
 */
export function open(datagram: Uint8Array, format: EnvelopeFormat): Envelope | undefined {
  const read = asBuffer(datagram).subarray(0, LONGEST_DATAGRAM);
  const bytes = format === 'raw' ? read : decodeBase64(read);
  if (bytes === undefined || bytes.length < DATA_AT) return undefined;
  const serial = bytes.readUInt32BE(TAG_SIZE);
  if (serial === 0) return undefined;
  const header = bytes.readUInt16BE(HEADER_AT);
  return { serial, packet: { flags: header >> 12, sequence: header & 0xfff, data: bytes.subarray(DATA_AT) }, bytes };
}

const checkScratch = Buffer.alloc(TOKEN_SIZE + LONGEST_DATAGRAM);
const checkTag = Buffer.alloc(TAG_SIZE);

/** Was this envelope signed with `token`? */
export function hasValidTag(envelope: Envelope, token: Uint8Array): boolean {
  const { bytes } = envelope;
  checkScratch.set(token, 0);
  checkScratch.set(bytes.subarray(TAG_SIZE), TOKEN_SIZE);
  foldDigest(checkScratch.subarray(0, TOKEN_SIZE + bytes.length - TAG_SIZE), checkTag, 0);
  for (let i = 0; i < TAG_SIZE; i++) if (checkTag[i] !== bytes[i]) return false;
  return true;
}

/** The 16 bytes of a claim token written as 32 hex digits. */
export function tokenBytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(tokenText(hex), 'hex'));
}

/** A claim token in small hex digits: for who has many of them, and little room. @throws RangeError when it is none */
export function tokenText(hex: string): string {
  if (!/^[0-9a-f]{32}$/i.test(hex)) throw new RangeError('a claim token is 32 hex digits');
  return hex.toLowerCase();
}

/** Tag byte i = D[i] ^ D[8+i] ^ D[16+i] ^ D[24+i] of the SHA-256 D of `input` (wire protocol, 3.1). */
function foldDigest(input: Uint8Array, into: Uint8Array, at: number): void {
  // As text, a byte a character: half a million buffers of 32 bytes would keep the garbage collector busy.
  const digest = hash('sha256', input, 'binary');
  for (let i = 0; i < TAG_SIZE; i++) {
    into[at + i] =
      digest.charCodeAt(i) ^ digest.charCodeAt(8 + i) ^ digest.charCodeAt(16 + i) ^ digest.charCodeAt(24 + i);
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** 1 for the 64 characters of the alphabet. */
const ALPHABET = new Uint8Array(256);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/') {
  ALPHABET[character.charCodeAt(0)] = 1;
}
const PADDING = '='.charCodeAt(0);

/** Strict RFC 4648 section 4: Node's own decoder skips what it does not know, the protocol rejects it. */
function decodeBase64(text: Buffer): Buffer | undefined {
  if (text.length === 0 || text.length % 4 !== 0) return undefined;
  let end = text.length;
  if (text[end - 1] === PADDING) end--;
  if (text[end - 1] === PADDING) end--;
  for (let i = 0; i < end; i++) if (ALPHABET[text[i] as number] === 0) return undefined;
  return Buffer.from(text.toString('latin1'), 'base64');
}
