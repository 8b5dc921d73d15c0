/**
 * The body of a data message in its encoded form, decoded on every read. SQLite and PostgreSQL store JSON text, so they decode
 * the body immediately. The memory store does not, because few messages of a simulated fleet are ever read.
 *
 * An encoded body never changes, so that a store may keep it without a copy.
 */
import { Arena } from '../../kernel/arena.js';
import type { Codec } from '../../protocol/codec.js';
import { checkBody, decodeBody, type JsonObject } from '../../protocol/decode.js';

/** Each block of the arena holds hundreds of bodies, which have similar lifetimes. */
const arena = new Arena(65_536);

export class EncodedBody {
  readonly #codec: Codec;
  // Block and offset instead of a subarray, because a subarray object is larger than most bodies.
  readonly #block: Uint8Array;
  readonly #offset: number;
  readonly #length: number;

  /**
   * Copies `bytes`.
   * @throws CborError if they cannot be decoded
   */
  constructor(codec: Codec, bytes: Uint8Array) {
    checkBody(bytes);
    const { block, offset } = arena.take(bytes.length);
    block.set(bytes, offset);
    this.#codec = codec;
    this.#block = block;
    this.#offset = offset;
    this.#length = bytes.length;
  }

  /** Returns a new copy of the decoded body; called by JSON.stringify. */
  toJSON(): JsonObject {
    return decodeBody(this.#codec, this.#block.subarray(this.#offset, this.#offset + this.#length));
  }
}
