/**
 * The body of a data message in its encoded form, decoded on every read. SQLite and PostgreSQL store JSON text, so they decode
 * the body immediately. The memory store does not, because few messages of a simulated fleet are ever read.
 */
import type { Codec } from '../../protocol/codec.js';
import { checkBody, decodeBody, type JsonObject } from '../../protocol/decode.js';

export class EncodedBody {
  readonly codec: Codec;
  /** Must not change before a commit with this body has resolved; a store copies them. */
  readonly bytes: Uint8Array;

  /** @throws CborError if the bytes cannot be decoded */
  constructor(codec: Codec, bytes: Uint8Array) {
    checkBody(bytes);
    this.codec = codec;
    this.bytes = bytes;
  }

  /** Returns a new copy of the decoded body; called by JSON.stringify. */
  toJSON(): JsonObject {
    return decodeBody(this.codec, this.bytes);
  }
}
