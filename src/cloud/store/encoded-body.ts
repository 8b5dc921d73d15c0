/**
 * The body of a data message as it came, which is decoded whenever somebody looks at it. A store that keeps JSON text decodes
 * it at once; the store in memory does not, because of the messages of a simulated fleet hardly anybody reads one.
 *
 * It never changes, so that a store may keep it as it is.
 */
import { Arena } from '../../kernel/arena.js';
import type { Codec } from '../../protocol/codec.js';
import { checkBody, decodeBody, type JsonObject } from '../../protocol/decode.js';

/** Bodies come by the thousand, are a few hundred bytes large, and grow old together. */
const arena = new Arena(65_536);

export class EncodedBody {
  readonly #codec: Codec;
  // Where the bytes are, because an array of a piece of a block is larger than most bodies.
  readonly #block: Uint8Array;
  readonly #offset: number;
  readonly #length: number;

  /** Copies `bytes`. @throws CborError when they are no body that can be decoded */
  constructor(codec: Codec, bytes: Uint8Array) {
    checkBody(bytes);
    const { block, offset } = arena.take(bytes.length);
    block.set(bytes, offset);
    this.#codec = codec;
    this.#block = block;
    this.#offset = offset;
    this.#length = bytes.length;
  }

  /** A fresh copy of the decoded body: what JSON.stringify makes its text of. */
  toJSON(): JsonObject {
    return decodeBody(this.#codec, this.#block.subarray(this.#offset, this.#offset + this.#length));
  }
}
