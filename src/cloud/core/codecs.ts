/** The codecs that devices have uploaded, compiled once each. */
import { type Codec, CodecError, compileCodec, parseCodecDocument } from '../../protocol/codec.js';
import type { Store } from '../store/store.js';

export class Codecs {
  readonly #store: Store;
  readonly #known = new Map<string, Codec>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The codec with this hash; undefined when no device has uploaded it, or when it makes no sense. */
  get(hash: string): Codec | undefined | Promise<Codec | undefined> {
    return this.#known.get(hash) ?? this.#load(hash);
  }

  async #load(hash: string): Promise<Codec | undefined> {
    const row = await this.#store.codec(hash);
    if (row === undefined) return undefined;
    try {
      const codec = compileCodec(parseCodecDocument(row.document), row.document);
      this.#known.set(hash, codec);
      return codec;
    } catch (error) {
      if (error instanceof CodecError) return undefined;
      throw error;
    }
  }
}
