/** Firmware images. Metadata and content are separate records: a list does not read hundreds of kilobytes each. */
import { createHash } from 'node:crypto';
import type { UnixMillis } from '../../kernel/time.js';
import type { Change, Id, Page, RecordRow, Store } from '../store/store.js';

export interface Image {
  /** The firmware identifier, by which devices and users request the image. */
  readonly id: Id;
  readonly spaceId: Id;
  readonly bundle: string | null;
  readonly name: string | null;
  /** Label of the image. It should be the `fw_version` that a device with this image reports, but this cannot be verified. */
  readonly version: string;
  readonly size: number;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
  readonly createdAt: UnixMillis;
}

/** Family of the records with the metadata. */
export const IMAGES = 'firmware-image';
const CONTENTS = 'firmware-content';
/** Maximum number of cached contents: a fleet is updated to few images at a time. */
const CACHE_SIZE = 4;

export class Images {
  readonly #store: Store;
  /** Cached contents, most recently used last. */
  readonly #cached = new Map<Id, Uint8Array>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Adds size and hash of the content to the metadata of an image. */
  describe(content: Uint8Array, image: Omit<Image, 'size' | 'sha256'>): Image {
    return { ...image, size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  }

  put(image: Image, content: Uint8Array): readonly Change[] {
    const { id, spaceId, createdAt, ...body } = image;
    const row = { id, spaceId, key: null, createdAt, dueAt: null };
    return [
      { kind: 'record.put', row: { ...row, family: IMAGES, body } },
      { kind: 'record.put', row: { ...row, family: CONTENTS, body: Buffer.from(content).toString('base64') } },
    ];
  }

  /** Images of a space, oldest first. */
  async list(spaceId: Id, page: Page): Promise<readonly Image[]> {
    return (await this.#store.records(IMAGES, spaceId, page)).map(imageOf);
  }

  async find(spaceId: Id, id: Id): Promise<Image | undefined> {
    const row = await this.#store.record(IMAGES, spaceId, id);
    return row && imageOf(row);
  }

  /** The bytes of an image; undefined if it was deleted. */
  async content(spaceId: Id, id: Id): Promise<Uint8Array | undefined> {
    let content = this.#cached.get(id);
    if (content === undefined) {
      const row = await this.#store.record(CONTENTS, spaceId, id);
      if (row === undefined) return undefined;
      content = Buffer.from(String(row.body), 'base64');
    }
    this.#cached.delete(id);
    this.#cached.set(id, content);
    for (const oldest of this.#cached.keys()) {
      if (this.#cached.size <= CACHE_SIZE) break;
      this.#cached.delete(oldest);
    }
    return content;
  }

  async remove(id: Id): Promise<void> {
    this.#cached.delete(id);
    await this.#store.commit([
      { kind: 'record.delete', family: IMAGES, id },
      { kind: 'record.delete', family: CONTENTS, id },
    ]);
  }
}

function imageOf({ id, spaceId, createdAt, body }: RecordRow): Image {
  return { ...(body as Omit<Image, 'id' | 'spaceId' | 'createdAt'>), id, spaceId: spaceId ?? '', createdAt };
}
