/** Messages of a handshake, and their fragments in records (RFC 6347, section 4.2). */
import { createHash, type Hash } from 'node:crypto';
import { ByteReader, join, uint } from './bytes.js';

/** Types of handshake messages (RFC 6347, section 4.3.2). */
export const MESSAGE = {
  clientHello: 1,
  serverHello: 2,
  helloVerifyRequest: 3,
  serverKeyExchange: 12,
  serverHelloDone: 14,
  clientKeyExchange: 16,
  finished: 20,
} as const;

export interface HandshakeMessage {
  readonly type: number;
  /** Position in the handshake; a repetition has the same number. */
  readonly sequence: number;
  readonly body: Uint8Array;
}

/** A part of a message. */
export interface Fragment {
  readonly type: number;
  /** Length of the whole body. */
  readonly length: number;
  readonly sequence: number;
  readonly offset: number;
  readonly part: Uint8Array;
}

const HEADER_SIZE = 12;

/** The fragments in a record up to the first malformed one. */
export function fragmentsIn(record: Uint8Array): readonly Fragment[] {
  const fragments: Fragment[] = [];
  const reader = new ByteReader(record);
  while (reader.left > 0) {
    const type = reader.uint(1);
    const length = reader.uint(3);
    const sequence = reader.uint(2);
    const offset = reader.uint(3);
    const part = reader.vector(3);
    if (reader.broken || offset + part.length > length) break;
    fragments.push({ type, length, sequence, offset, part });
  }
  return fragments;
}

/** The message as one fragment, or as several with at most `room` bytes each, headers included. */
export function encodeMessage({ type, sequence, body }: HandshakeMessage, room = Infinity): readonly Uint8Array[] {
  const fragments: Uint8Array[] = [];
  const most = room - HEADER_SIZE;
  let offset = 0;
  do {
    const part = body.subarray(offset, Math.min(body.length, offset + most));
    const place = [uint(body.length, 3), uint(sequence, 2), uint(offset, 3), uint(part.length, 3)];
    fragments.push(join(uint(type, 1), ...place, part));
    offset += part.length;
  } while (offset < body.length);
  return fragments;
}

/** The running hash of all messages of a handshake, as if they were not fragmented (RFC 6347, section 4.2.6). */
export class Transcript {
  readonly #hash: Hash = createHash('sha256');

  add(message: HandshakeMessage): void {
    for (const bytes of encodeMessage(message)) this.#hash.update(bytes);
  }

  digest(): Uint8Array {
    return this.#hash.copy().digest();
  }
}
