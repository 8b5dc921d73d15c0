/** The codecs that devices have uploaded, compiled once each. */
import { type Codec, CodecError, compileCodec, parseCodecDocument } from '../../protocol/codec.js';
import type { CodecRow, Store } from '../store/store.js';

/** Unusable hashes, and titles, that are remembered; when there are more, all are looked up again. */
const MANY = 1000;

/** What a codec says of itself; both null when it cannot be read. */
interface CodecTitle {
  readonly name: string | null;
  readonly version: number | null;
}

export class Codecs {
  readonly #store: Store;
  readonly #known = new Map<string, Codec>();
  /**
   * Hashes without a codec, or with one that makes no sense: a device whose decoder has not come through names it with every
   * message. Kept only while this service alone stores codecs.
   */
  readonly #unusable = new Set<string>();
  /** A fleet uploads the same few codecs again and again. */
  readonly #titles = new Map<string, CodecTitle>();
  /** Codecs that this service has stored. */
  #stored = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The codec with this hash; undefined when no device has uploaded it, or when it makes no sense. */
  get(hash: string): Codec | undefined | Promise<Codec | undefined> {
    if (this.#unusable.has(hash)) return undefined;
    return this.#known.get(hash) ?? this.#load(hash);
  }

  /**
   * The title of a codec that a device uploads.
   * @param hash of the document, as computed from it
   */
  titleOf(hash: string, document: Uint8Array): CodecTitle {
    let title = this.#titles.get(hash);
    if (title === undefined) {
      title = readTitle(document);
      if (this.#titles.size >= MANY) this.#titles.clear();
      this.#titles.set(hash, title);
    }
    return title;
  }

  /** A device has uploaded the codec with this hash, and it is stored. */
  stored(hash: string): void {
    this.#stored++;
    this.#unusable.delete(hash);
  }

  async #load(hash: string): Promise<Codec | undefined> {
    const storedBefore = this.#stored;
    const row = await this.#store.codec(hash);
    const codec = row && compiled(row);
    if (codec) this.#known.set(hash, codec);
    else if (this.#store.nodes === undefined && storedBefore === this.#stored) {
      if (this.#unusable.size >= MANY) this.#unusable.clear();
      this.#unusable.add(hash);
    }
    return codec;
  }
}

function compiled({ document }: CodecRow): Codec | undefined {
  try {
    return compileCodec(parseCodecDocument(document), document);
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

/** A codec that cannot be read is kept all the same: refused, its device would repeat it for ever (quirk 14). */
function readTitle(document: Uint8Array): CodecTitle {
  try {
    const { name, version } = parseCodecDocument(document);
    return { name, version };
  } catch (error) {
    if (error instanceof CodecError) return { name: null, version: null };
    throw error;
  }
}
