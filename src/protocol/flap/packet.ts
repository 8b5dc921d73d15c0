/** A FLAP packet: four flags, a 12-bit sequence number, and a fragment of a message (wire W-12). */

/** Flags, the upper four bits of the header (wire W-12). */
export const FIRST = 0x8;
export const LAST = 0x4;
export const ACK = 0x2;
export const POLL = 0x1;

export interface Packet {
  /** Sum of FIRST, LAST, ACK and POLL. */
  readonly flags: number;
  /** 0 to 4095; 0 begins a new numbering. */
  readonly sequence: number;
  /** A fragment of a message: type byte and value, cut into pieces. Empty for acknowledgements and polls. */
  readonly data: Uint8Array;
}

/** No data. */
export const NOTHING = new Uint8Array(0);

/** Bytes of the longest message: one type byte and a value of 16383 bytes (wire W-2). */
export const LONGEST_MESSAGE = 16_384;

/** Asks the device to start again from sequence 0 (wire W-14). */
export const RESET: Packet = { flags: 0, sequence: 0, data: NOTHING };

/** Bytes of the header: four flags and the sequence number. */
const HEADER_SIZE = 2;

/** The bytes of a packet without an envelope, as inside DTLS (wire W-11). */
export function encodePacket({ flags, sequence, data }: Packet): Uint8Array {
  const bytes = new Uint8Array(HEADER_SIZE + data.length);
  bytes[0] = (flags << 4) | (sequence >> 8);
  bytes[1] = sequence;
  bytes.set(data, HEADER_SIZE);
  return bytes;
}

/** Reads a packet that {@link encodePacket} has written; undefined for fewer than 2 bytes. */
export function decodePacket(bytes: Uint8Array): Packet | undefined {
  const [high, low] = bytes;
  if (high === undefined || low === undefined) return undefined;
  return { flags: high >> 4, sequence: ((high & 0xf) << 8) | low, data: bytes.subarray(HEADER_SIZE) };
}

const LARGEST = 4095;

/** The number after `sequence`: 4095 is followed by 1, because 0 means a new numbering (wire W-15). */
export function successor(sequence: number): number {
  return sequence === LARGEST ? 1 : sequence + 1;
}

/** Whether `sequence` is ahead of `expected` on the ring 1..4095, rather than behind it (wire W-16). */
export function isAhead(sequence: number, expected: number): boolean {
  const distance = (sequence - expected + LARGEST) % LARGEST;
  return distance >= 1 && distance <= 2047;
}

/** Flags as the documents write them: `FLxx`, `xxAP`, … */
export function formatFlags(flags: number): string {
  return (
    (flags & FIRST ? 'F' : 'x') + (flags & LAST ? 'L' : 'x') + (flags & ACK ? 'A' : 'x') + (flags & POLL ? 'P' : 'x')
  );
}

/**
 * A packet for comparisons. Its data are a text with one character per byte: a text takes less memory and time than an array.
 */
export interface KeptPacket {
  readonly flags: number;
  readonly sequence: number;
  readonly data: string;
}

/** Copies a packet, without a reference to its datagram. */
export function keepPacket({ flags, sequence, data }: Packet): KeptPacket {
  return { flags, sequence, data: textOf(data) };
}

/** Whether flags, sequence number and data are equal. */
export function samePacket(one: KeptPacket, { flags, sequence, data }: KeptPacket): boolean {
  return one.flags === flags && one.sequence === sequence && one.data === data;
}

/**
 * The bytes as a text with one character per byte, for fragments that wait for further packets. An array from the decoder of
 * datagrams would keep a whole block of memory, which it shares with datagrams of other devices.
 */
export function textOf(data: Uint8Array): string {
  return data.length === 0 ? '' : Buffer.from(data.buffer, data.byteOffset, data.length).toString('latin1');
}

/** The bytes of a text from {@link textOf}, in memory of their own. */
export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  Buffer.from(bytes.buffer).write(text, 'latin1');
  return bytes;
}
