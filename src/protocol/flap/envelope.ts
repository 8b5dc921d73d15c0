/**
 * The MAC envelope around a packet, raw or as base64 text (wire W-7, W-8).
 *
 * In memory, a datagram is a {@link Sealed} packet, and its tag is valid if both ends have the same claim token. Its bytes are
 * computed where they are needed: on a socket, in a capture, for a fault that damages them.
 *
 * On sockets, every datagram is sealed and opened, so `seal` and `open` allocate only their results. One shared buffer holds the
 * input of the hash; the tag overwrites the second half of the token in it.
 */
import { hash } from 'node:crypto';
import { NOTHING, type Packet } from './packet.js';

/** How an envelope travels: as bytes or as base64 text. */
export type EnvelopeFormat = 'raw' | 'base64';

/** How a packet travels: in an envelope, or inside DTLS, where it needs none. */
export type PacketFormat = EnvelopeFormat | 'dtls';

/** The UDP ports of clouds by convention (wire W-3, W-4, W-10). */
export const USUAL_PORTS = { raw: 5002, base64: 5003, dtls: 5005 } as const satisfies Readonly<
  Record<PacketFormat, number>
>;

/** How messages travel: as packets, or as requests over HTTP. */
export type LinkFormat = PacketFormat | 'http';

/** Bytes of message data in one packet of an uplink and of a downlink. */
export interface FragmentSizes {
  readonly up: number;
  readonly down: number;
}

/** The sizes of each format (wire W-3, W-4). */
export const FRAGMENT_SIZE: Readonly<Record<PacketFormat, FragmentSizes>> = {
  raw: { up: 494, down: 494 },
  base64: { up: 360, down: 360 },
  dtls: { up: 479, down: 300 },
};

/** The cloud reads at most this many bytes of a datagram (wire W-5). */
const LONGEST_DATAGRAM = 1024;

const TOKEN_SIZE = 16;
const TAG_SIZE = 8;
/** Offset of the envelope in the buffer: its tag overwrites the second half of the token. */
const ENVELOPE_AT = TOKEN_SIZE - TAG_SIZE;
const HEADER_AT = 12;
const DATA_AT = 14;

/** Content of a datagram whose tag is not verified yet. */
export interface Envelope {
  readonly serial: number;
  readonly packet: Packet;
  /** The whole envelope. */
  readonly bytes: Uint8Array;
}

/** A claim token: 16 bytes, or 32 lower-case hex digits, of which a device keeps one less object. */
type Token = Uint8Array | string;

/** A datagram as its bytes, or as the packet in it. */
export type Datagram = Uint8Array | Sealed;

/** A packet for the device `serial`, signed with its claim token. Neither the packet nor its data may change later. */
export class Sealed implements Envelope {
  readonly packet: Packet;
  readonly serial: number;
  readonly token: Token;
  readonly format: EnvelopeFormat;

  constructor(packet: Packet, serial: number, token: Token, format: EnvelopeFormat) {
    this.packet = packet;
    this.serial = serial;
    this.token = token;
    this.format = format;
  }

  /** Length of the datagram in bytes. */
  get length(): number {
    return sealedSize(this.packet, this.format);
  }

  get bytes(): Uint8Array {
    return this.rendered('raw');
  }

  rendered(format = this.format): Uint8Array {
    return seal(this.packet, this.serial, isText(this.token) ? tokenBytes(this.token) : this.token, format);
  }
}

/** The bytes of a datagram, the same each time. */
export function datagramBytes(datagram: Datagram): Uint8Array {
  return datagram instanceof Sealed ? datagram.rendered() : datagram;
}

function isText(token: Token): token is string {
  return typeof token === 'string';
}

/** Builds the datagram that carries `packet` for the device `serial`, signed with its 16-byte claim token. */
export function seal(packet: Packet, serial: number, token: Uint8Array, format: EnvelopeFormat): Uint8Array {
  const { data } = packet;
  const end = ENVELOPE_AT + DATA_AT + data.length;
  const header = (packet.flags << 12) | packet.sequence;
  scratch.set(token, 0);
  scratch[TOKEN_SIZE] = serial >>> 24;
  scratch[TOKEN_SIZE + 1] = serial >>> 16;
  scratch[TOKEN_SIZE + 2] = serial >>> 8;
  scratch[TOKEN_SIZE + 3] = serial;
  scratch[TOKEN_SIZE + 4] = header >> 8;
  scratch[TOKEN_SIZE + 5] = header;
  scratch.set(data, TOKEN_SIZE + 6);
  foldDigest(scratch.subarray(0, end), scratch, ENVELOPE_AT);
  return format === 'raw' ? scratch.slice(ENVELOPE_AT, end) : encodeBase64(scratch, ENVELOPE_AT, end);
}

/** Length in bytes of the datagram that carries the packet. */
export function sealedSize({ data }: Packet, format: EnvelopeFormat): number {
  const bytes = DATA_AT + data.length;
  return format === 'raw' ? bytes : 4 * Math.ceil(bytes / 3);
}

/** Parses up to 1024 bytes (wire W-5). Undefined if not base64, too short, or of serial number 0 (wire W-25). */
export function open(datagram: Datagram, format: EnvelopeFormat): Envelope | undefined {
  if (datagram instanceof Sealed) {
    const isWhole = datagram.format === format && datagram.serial !== 0 && datagram.length <= LONGEST_DATAGRAM;
    return isWhole ? datagram : open(datagram.rendered(), format);
  }
  const read = datagram.length > LONGEST_DATAGRAM ? datagram.subarray(0, LONGEST_DATAGRAM) : datagram;
  const bytes = format === 'raw' ? read : decodeBase64(read);
  if (bytes === undefined || bytes.length < DATA_AT) return undefined;
  const serial = uint16(bytes, TAG_SIZE) * 0x1_0000 + uint16(bytes, TAG_SIZE + 2);
  if (serial === 0) return undefined;
  const header = uint16(bytes, HEADER_AT);
  const data = bytes.length === DATA_AT ? NOTHING : bytes.subarray(DATA_AT);
  return { serial, packet: { flags: header >> 12, sequence: header & 0xfff, data }, bytes };
}

/** A serial number that no device has. */
const NO_DEVICE = Uint8Array.of(0xff, 0xff, 0xff, 0xff);

/** The datagram. If it names a device other than `serial`, its serial number is replaced by one that no device has. */
export function namingNoOther(datagram: Uint8Array, serial: number, format: EnvelopeFormat): Uint8Array {
  const envelope = open(datagram, format);
  if (envelope === undefined || envelope.serial === serial) return datagram;
  const bytes = Uint8Array.from(envelope.bytes);
  bytes.set(NO_DEVICE, TAG_SIZE);
  return format === 'raw' ? bytes : encodeBase64(bytes, 0, bytes.length);
}

/** Characters of base64 text that contain bits of the tag. */
const TAG_CHARACTERS = Math.ceil((TAG_SIZE * 8) / 6);
const [A, B] = [0x41, 0x42];

/**
 * A copy of the datagram with a flipped bit. In base64 text, a bit of the tag would make the text invalid or only the tag
 * wrong, depending on the tag and so on the claim token, which differs between equal runs. So the tag is then always wrong.
 */
export function withFlippedBit(datagram: Uint8Array, bit: number, format: LinkFormat): Uint8Array {
  const spoiled = Uint8Array.from(datagram);
  const at = bit >> 3;
  if (format === 'base64' && at < TAG_CHARACTERS) spoiled[0] = datagram[0] === A ? B : A;
  else spoiled[at] = (spoiled[at] ?? 0) ^ (1 << (bit & 7));
  return spoiled;
}

/** Input of the hash, reused for every envelope; large enough for datagrams that the cloud rejects. */
const scratch = new Uint8Array(2 * LONGEST_DATAGRAM);
const checkTag = new Uint8Array(TAG_SIZE);

export function hasValidTag(envelope: Envelope, token: Token): boolean {
  if (envelope instanceof Sealed) return sameToken(envelope.token, token);
  if (isText(token)) return hasValidTag(envelope, tokenBytes(token));
  const { bytes } = envelope;
  scratch.set(bytes, ENVELOPE_AT);
  // The token takes the place of the tag.
  scratch.set(token, 0);
  foldDigest(scratch.subarray(0, ENVELOPE_AT + bytes.length), checkTag, 0);
  for (let i = 0; i < TAG_SIZE; i++) if (checkTag[i] !== bytes[i]) return false;
  return true;
}

function sameToken(one: Token, other: Token): boolean {
  if (isText(one)) return isText(other) ? one === other : isWritten(one, other);
  if (isText(other)) return isWritten(other, one);
  return one.every((byte, i) => byte === other[i]);
}

function isWritten(digits: string, bytes: Uint8Array): boolean {
  for (let i = 0; i < TOKEN_SIZE; i++) if (byteAt(digits, i) !== bytes[i]) return false;
  return true;
}

/** Values of hex digits, by character code. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0);

function byteAt(digits: string, i: number): number {
  return ((DIGITS[digits.charCodeAt(2 * i)] as number) << 4) | (DIGITS[digits.charCodeAt(2 * i + 1)] as number);
}

/** The 16 bytes of a claim token written as 32 hex digits. */
export function tokenBytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(tokenText(hex), 'hex'));
}

/** A claim token in lower-case hex digits, which needs less memory than bytes. @throws RangeError for an invalid token */
export function tokenText(hex: string): string {
  if (!/^[0-9a-f]{32}$/i.test(hex)) throw new RangeError('a claim token is 32 hex digits');
  return hex.toLowerCase();
}

/** Tag byte i = D[i] ^ D[8+i] ^ D[16+i] ^ D[24+i] of the SHA-256 D of `input` (wire W-9). */
function foldDigest(input: Uint8Array, into: Uint8Array, at: number): void {
  // The digest is a text with one character per byte, because many buffers of 32 bytes would burden the garbage collector.
  const digest = hash('sha256', input, 'binary');
  for (let i = 0; i < TAG_SIZE; i++) {
    into[at + i] =
      digest.charCodeAt(i) ^ digest.charCodeAt(8 + i) ^ digest.charCodeAt(16 + i) ^ digest.charCodeAt(24 + i);
  }
}

function uint16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}

const ALPHABET = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 'latin1');
const PADDING = '='.charCodeAt(0);
/** Six bits by character code; 64 for characters outside of the alphabet. */
const SIX_BITS = new Uint8Array(256).fill(64);
ALPHABET.forEach((character, bits) => {
  SIX_BITS[character] = bits;
});

/** An encoder of our own, because most packets have few bytes: native calls with a text in between take longer for them. */
function encodeBase64(bytes: Uint8Array, from: number, end: number): Uint8Array {
  // `Buffer.allocUnsafe` would cut the datagram from a block of 8 kB that it shares with other datagrams. A device keeps its
  // datagram until it is answered, and would keep the whole block: V8 then collects the memory of a large fleet twice as often.
  const text = new Uint8Array(4 * Math.ceil((end - from) / 3));
  const rest = (end - from) % 3;
  let to = 0;
  for (let at = from; at < end - rest; at += 3) {
    const bits = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
    text[to++] = ALPHABET[bits >> 18] as number;
    text[to++] = ALPHABET[(bits >> 12) & 63] as number;
    text[to++] = ALPHABET[(bits >> 6) & 63] as number;
    text[to++] = ALPHABET[bits & 63] as number;
  }
  if (rest > 0) {
    const bits = ((bytes[end - rest] as number) << 8) | (rest === 2 ? (bytes[end - 1] as number) : 0);
    text[to++] = ALPHABET[bits >> 10] as number;
    text[to++] = ALPHABET[(bits >> 4) & 63] as number;
    text[to++] = rest === 2 ? (ALPHABET[(bits << 2) & 63] as number) : PADDING;
    text[to] = PADDING;
  }
  return text;
}

/** Strict RFC 4648 section 4: the decoder of Node skips invalid characters, but the protocol rejects them. */
function decodeBase64(text: Uint8Array): Uint8Array | undefined {
  const { length } = text;
  if (length === 0 || length % 4 !== 0) return undefined;
  const padding = text[length - 1] !== PADDING ? 0 : text[length - 2] !== PADDING ? 1 : 2;
  const bytes = Buffer.allocUnsafe((length / 4) * 3);
  let unknown = 0;
  let to = 0;
  for (let at = 0; at < length; at += 4) {
    const last = at + 4 === length ? padding : 0;
    const a = SIX_BITS[text[at] as number] as number;
    const b = SIX_BITS[text[at + 1] as number] as number;
    const c = last === 2 ? 0 : (SIX_BITS[text[at + 2] as number] as number);
    const d = last > 0 ? 0 : (SIX_BITS[text[at + 3] as number] as number);
    unknown |= a | b | c | d;
    const bits = (a << 18) | (b << 12) | (c << 6) | d;
    bytes[to++] = bits >> 16;
    bytes[to++] = bits >> 8;
    bytes[to++] = bits;
  }
  if (unknown > 63) return undefined;
  return padding === 0 ? bytes : bytes.subarray(0, bytes.length - padding);
}
