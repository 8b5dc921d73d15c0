/** The codecs that devices have uploaded. Compiled codecs are cached. */
import { type Codec, type CodecDocument, CodecError, readCodec } from '../../protocol/codec.js';
import type { Change, CodecRow, DeviceRow, Id, RecordRow, Store } from '../store/store.js';
import { CodecCache } from './codec-cache.js';

/** Maximum size of the cache of titles, and of the set of unusable hashes. Each is cleared when it is full. */
const MANY = 1000;

/** Most new codecs taken from one device, which uploads a new one only after its application has changed. */
export const MOST_OF_DEVICE = 100;

/** Maximum number of new codecs that the store takes from the devices of one space. */
export const MOST_OF_SPACE = 2000;

/** Family of the records that count how many codecs a device or a space has added to the store. */
const COUNT = 'codec-count';

/** Maximum number of mistakes that are listed for a document, and of characters of each: they are stored with the message. */
const MOST_MISTAKES = 20;
const LONGEST_MISTAKE = 300;

/** Name and version from a codec document; both null if the document has mistakes. */
interface CodecTitle {
  readonly name: string | null;
  readonly version: number | null;
  readonly problems?: readonly string[];
}

export class Codecs {
  readonly #store: Store;
  readonly #cache: CodecCache;
  /**
   * Hashes for which no valid codec is stored, so that they are not read from the store again: a device whose decoder upload
   * was lost sends such a hash with every message. Filled only if no other service shares the store.
   */
  readonly #unusable = new Set<string>();
  /** Cached because a fleet uploads the same few codecs repeatedly. */
  readonly #titles = new Map<string, CodecTitle>();
  /** Number of codecs that this service has stored. */
  #stored = 0;

  constructor(store: Store, cache = new CodecCache()) {
    this.#store = store;
    this.#cache = cache;
  }

  /**
   * The codec with this hash; undefined if it has not been uploaded or is invalid.
   * @param deviceId the device that uses it
   */
  get(hash: string, deviceId: Id): Codec | undefined | Promise<Codec | undefined> {
    if (this.#unusable.has(hash)) return undefined;
    return this.#cache.get(hash) ?? this.#load(hash, deviceId);
  }

  /**
   * The title of a codec that a device uploads.
   * @param hash hash computed from the document
   */
  makeTitle(type: CodecDocument['type'], hash: string, document: Uint8Array): CodecTitle {
    const key = `${type} ${hash}`;
    let title = this.#titles.get(key);
    if (title === undefined) {
      title = readTitle(type, document);
      if (this.#titles.size >= MANY) this.#titles.clear();
      this.#titles.set(key, title);
    }
    return title;
  }

  /**
   * Changes that store an uploaded codec. For a codec that is new to the store, the list is empty if the device has already
   * added {@link MOST_OF_DEVICE} codecs, or if the devices of its space have added {@link MOST_OF_SPACE}. Such an upload is
   * acknowledged all the same, so that the device does not repeat it. Data of the device are then stored as raw bytes.
   */
  async prepareStoring({ id, spaceId, createdAt }: DeviceRow, row: CodecRow): Promise<readonly Change[]> {
    const put: Change = { kind: 'codec.put', row };
    if (this.#cache.get(row.hash) ?? (await this.#store.codec(row.hash))) return [put];
    const ofDevice = await this.#countStored({ id, spaceId, createdAt }, MOST_OF_DEVICE);
    const ofSpace = await this.#countStored({ id: spaceId, spaceId, createdAt }, MOST_OF_SPACE);
    return ofDevice && ofSpace ? [put, ofDevice, ofSpace] : [];
  }

  /** The change that counts one more codec of a device or a space; undefined if the limit is reached. */
  async #countStored(
    owner: Pick<RecordRow, 'id' | 'createdAt'> & { readonly spaceId: Id },
    most: number,
  ): Promise<Change | undefined> {
    const before = await this.#store.record(COUNT, owner.spaceId, owner.id);
    const count = (before?.body as { readonly count: number } | undefined)?.count ?? 0;
    if (count >= most) return undefined;
    const row: RecordRow = { family: COUNT, ...owner, key: null, dueAt: null, body: { count: count + 1 } };
    // The commit fails if another device of the space has uploaded a codec since the read. The upload is then processed again.
    return before ? { kind: 'record.change', row, was: before.body } : { kind: 'record.put', row };
  }

  /** Records that an uploaded codec has been stored. */
  stored(hash: string): void {
    this.#stored++;
    this.#unusable.delete(hash);
  }

  async #load(hash: string, deviceId: Id): Promise<Codec | undefined> {
    const storedBefore = this.#stored;
    const row = await this.#store.codec(hash);
    const codec = row && compileRow(row);
    if (codec) this.#cache.put(codec, deviceId);
    else if (this.#store.nodes === undefined && storedBefore === this.#stored) {
      if (this.#unusable.size >= MANY) this.#unusable.clear();
      this.#unusable.add(hash);
    }
    return codec;
  }
}

function compileRow({ document }: CodecRow): Codec | undefined {
  try {
    return readCodec(document);
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

/**
 * The title of a codec document. Of a document with mistakes, `problems` has the first of them, and the number of the others.
 * It is stored all the same: if it were rejected, a CHESTER would upload it again without end (wire W-41).
 */
export function readTitle(type: CodecDocument['type'], document: Uint8Array): CodecTitle {
  try {
    const { name, version } = readCodec(document, type).document;
    return { name, version };
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    const others = error.problems.length - MOST_MISTAKES;
    const problems = error.problems.slice(0, MOST_MISTAKES).map(shortenMistake);
    return { name: null, version: null, problems: others > 0 ? [...problems, `and ${others} more`] : problems };
  }
}

function shortenMistake(mistake: string): string {
  return mistake.length > LONGEST_MISTAKE ? `${mistake.slice(0, LONGEST_MISTAKE - 1).toWellFormed()}…` : mistake;
}
