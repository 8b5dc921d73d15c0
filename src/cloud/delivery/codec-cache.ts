/** Cache of compiled codecs, least recently used out: they take more memory than documents, and devices upload them. */
import type { Codec } from '../../protocol/codec.js';
import type { Id } from '../store/store.js';

/** Bytes of memory that a compiled codec takes for each byte of its document. Measured with documents of very short fields. */
const MEMORY_RATIO = 64;

interface CacheLimits {
  /** Maximum memory for all codecs, in bytes. */
  readonly bytes: number;
  /** Maximum number of cached codecs that were loaded for one device. A further codec replaces the oldest one of the device. */
  readonly perDevice: number;
}

const LIMITS: CacheLimits = { bytes: 64 * 1024 * 1024, perDevice: 8 };

interface Cached {
  readonly codec: Codec;
  /** The device for which the codec was loaded. */
  readonly loader: Id;
}

export class CodecCache {
  readonly #limits: CacheLimits;
  /** Codecs by hash, least recently used first. */
  readonly #cached = new Map<string, Cached>();
  /** Hashes by the device for which they were loaded. */
  readonly #loaded = new Map<Id, Set<string>>();
  #bytes = 0;

  constructor(limits: CacheLimits = LIMITS) {
    this.#limits = limits;
  }

  get(hash: string): Codec | undefined {
    const found = this.#cached.get(hash);
    if (found === undefined) return undefined;
    // Moved to the end: the first entry is the least recently used.
    this.#cached.delete(hash);
    this.#cached.set(hash, found);
    return found.codec;
  }

  put(codec: Codec, loader: Id): void {
    this.#remove(codec.hash);
    const own = this.#loaded.get(loader) ?? new Set();
    for (const hash of own) if (own.size >= this.#limits.perDevice) this.#remove(hash);
    this.#bytes += estimateMemory(codec);
    this.#cached.set(codec.hash, { codec, loader });
    this.#loaded.set(loader, own.add(codec.hash));
    for (const hash of this.#cached.keys()) {
      if (this.#bytes <= this.#limits.bytes) break;
      this.#remove(hash);
    }
  }

  #remove(hash: string): void {
    const found = this.#cached.get(hash);
    if (found === undefined) return;
    this.#cached.delete(hash);
    this.#bytes -= estimateMemory(found.codec);
    const own = this.#loaded.get(found.loader);
    own?.delete(hash);
    if (own?.size === 0) this.#loaded.delete(found.loader);
  }
}

function estimateMemory({ bytes }: Codec): number {
  return bytes.length * MEMORY_RATIO;
}
