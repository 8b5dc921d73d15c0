/** The codecs that devices have uploaded, compiled once each. */
import { type Codec, compileCodec, parseCodecDocument } from '../../protocol/codec.js';
import type { Store } from '../store/store.js';

export class Codecs {
  readonly #store: Store;
  readonly #known = new Map<string, Codec>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The codec with this hash; undefined when no device has uploaded it. */
  get(hash: string): Codec | undefined | Promise<Codec | undefined> {
    return this.#known.get(hash) ?? this.#load(hash);
  }

  async #load(hash: string): Promise<Codec | undefined> {
    const row = await this.#store.codec(hash);
    if (row === undefined) return undefined;
    const codec = compileCodec(parseCodecDocument(row.document));
    this.#known.set(hash, codec);
    return codec;
  }
}
