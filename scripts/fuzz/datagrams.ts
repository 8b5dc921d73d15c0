/**
 * Datagrams for the gateway. Most are packets of a device whose token is known: their tag is valid, so they reach the code that
 * reads messages. The others are not valid.
 */
import { type Draws, integerBetween, randomBytes } from '../../src/kernel/random.js';
import { type EnvelopeFormat, FRAGMENT_SIZE, seal, tokenBytes } from '../../src/protocol/flap/envelope.js';
import { FIRST, LAST, type Packet, successor } from '../../src/protocol/flap/packet.js';
import { oneIn, pick, pickWeighted } from './draw.js';

export interface Signer {
  readonly serial: number;
  /** 32 hex digits. */
  readonly token: string;
}

export class Datagrams {
  readonly #random: Draws;
  readonly #signer: Signer;
  readonly #messages: readonly Uint8Array[];
  readonly #format: EnvelopeFormat;
  #sequence = 0;
  /** The bytes of a message that are still to be sent as fragments. */
  #rest: Uint8Array = new Uint8Array(0);

  /** @param messages valid messages; most are damaged before they are sent */
  constructor(random: Draws, signer: Signer, messages: readonly Uint8Array[], format: EnvelopeFormat) {
    this.#random = random;
    this.#signer = signer;
    this.#messages = messages;
    this.#format = format;
  }

  /** Stores the sequence number of an answer: the cloud expects the number after it. */
  answered(packet: Packet): void {
    this.#sequence = packet.sequence === 0 ? 0 : successor(packet.sequence);
  }

  next(): Uint8Array {
    const random = this.#random;
    const sealed = seal(this.#packet(), this.#signer.serial, tokenBytes(this.#signer.token), this.#format);
    return pickWeighted<() => Uint8Array>(random, [
      [20, () => sealed],
      [2, () => flipped(random, sealed)],
      [1, () => sealed.subarray(0, integerBetween(random, 0, sealed.length))],
      [1, () => Buffer.concat([sealed, randomBytes(random, integerBetween(random, 1, 1200))])],
      [1, () => randomBytes(random, integerBetween(random, 0, 1500))],
    ])();
  }

  #packet(): Packet {
    const random = this.#random;
    if (oneIn(random, 5)) {
      const data = randomBytes(random, integerBetween(random, 0, 480));
      return { flags: integerBetween(random, 0, 15), sequence: this.#number(), data };
    }
    const isFirst = this.#rest.length === 0;
    if (isFirst) this.#rest = this.#message();
    const size = FRAGMENT_SIZE[this.#format].up;
    const data = this.#rest.subarray(0, size);
    this.#rest = oneIn(random, 10) ? new Uint8Array(0) : this.#rest.subarray(size);
    const flags = (isFirst ? FIRST : 0) | (this.#rest.length === 0 ? LAST : 0);
    return { flags, sequence: this.#number(), data };
  }

  /** A sequence number, mostly the expected one. */
  #number(): number {
    const random = this.#random;
    return pickWeighted(random, [
      [10, this.#sequence],
      [3, 0],
      [1, integerBetween(random, 0, 4095)],
      [1, 4095],
    ]);
  }

  #message(): Uint8Array {
    const random = this.#random;
    const valid = pick(random, this.#messages);
    return pickWeighted<() => Uint8Array>(random, [
      [4, () => valid],
      [6, () => flipped(random, valid)],
      [2, () => valid.subarray(0, integerBetween(random, 1, valid.length))],
      [1, () => Buffer.concat([valid, randomBytes(random, integerBetween(random, 1, 40))])],
      // Arrays and maps without an end, and a wrong length.
      [1, () => Buffer.concat([valid.subarray(0, 1), Buffer.alloc(integerBetween(random, 1, 3000), 0x9f)])],
      [1, () => Buffer.concat([valid.subarray(0, 1), Buffer.alloc(integerBetween(random, 1, 3000), 0xbf)])],
      [1, () => Buffer.concat([valid.subarray(0, 1), Buffer.from('9bffffffffffffffff', 'hex')])],
      [1, () => Buffer.concat([valid.subarray(0, 1), Buffer.from('5affffffff', 'hex'), randomBytes(random, 20)])],
      [1, () => Buffer.concat([Uint8Array.of(integerBetween(random, 0, 255)), valid.subarray(1)])],
      [1, () => Buffer.concat([valid, Buffer.alloc(17_000)])],
    ])();
  }
}

function flipped(random: Draws, bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  for (let n = integerBetween(random, 1, 4); n > 0 && copy.length > 0; n--) {
    const at = integerBetween(random, 0, copy.length - 1);
    copy[at] = (copy[at] ?? 0) ^ (1 << integerBetween(random, 0, 7));
  }
  return copy;
}
