/**
 * The vectors of the reference, and packets as the documents write them. `FLxP 7 +5` is a packet with the flags F (first
 * fragment), L (last fragment) and P (poll) but not A (acknowledgement), sequence number 7 and 5 bytes of data.
 */

import { formatFlags, NOTHING, type Packet } from '../../../src/protocol/flap/packet.js';
import vectors from '../wire-vectors.json' with { type: 'json' };

export { vectors };

/** Sum of the flags in `FLxx`, `xxAP`, … */
export function flagsOf(letters: string): number {
  return [...letters].reduce((flags, letter) => flags * 2 + (letter === 'x' ? 0 : 1), 0);
}

/** A packet from its flags, number and data, for example `packet('FLxx', 7, message(5))`. */
export function packet(flags: string, sequence: number, data: Uint8Array = NOTHING): Packet {
  return { flags: flagsOf(flags), sequence, data };
}

/** `FLxx 7 +5` for flags, number and bytes of data; `reset`; `silence`. */
export function show(packet: Packet | undefined): string {
  if (packet === undefined) return 'silence';
  const { flags, sequence, data } = packet;
  if (flags === 0 && sequence === 0 && data.length === 0) return 'reset';
  return `${formatFlags(flags)} ${sequence}${data.length > 0 ? ` +${data.length}` : ''}`;
}

/** A message of `length` bytes; `tint` makes it different from others. */
export function message(length: number, tint = 0): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * 7 + tint) & 0xff);
}

export function fromHex(digits: string): Uint8Array {
  return Uint8Array.from(Buffer.from(digits, 'hex'));
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
