/**
 * The images that devices can be updated to. What is told of one, and its bytes, are two records: lists need not carry
 * hundreds of kilobytes for every line.
 */
import { createHash } from 'node:crypto';
import type { UnixMillis } from '../../kernel/time.js';
import type { Change, Id, Page, RecordRow, Store } from '../store/store.js';

/** What is told of an image. */
export interface Image {
  /** The firmware identifier. */
  readonly id: Id;
  readonly spaceId: Id;
  readonly bundle: string | null;
  readonly name: string | null;
  /** What a device tells in its session when it runs this image. */
  readonly version: string;
  readonly size: number;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
  readonly createdAt: UnixMillis;
}

const IMAGES = 'firmware-image';
const CONTENTS = 'firmware-content';
/** Contents that are kept at hand: a fleet is updated to few images at a time. */
const MOST_AT_HAND = 4;

export class Images {
  readonly #store: Store;
  /** The last used one comes last. */
  readonly #atHand = new Map<Id, Uint8Array>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Completes the description of an image. */
  describe(content: Uint8Array, image: Omit<Image, 'size' | 'sha256'>): Image {
    return { ...image, size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  }

  /** Writes an image. */
  put(image: Image, content: Uint8Array): readonly Change[] {
    const { id, spaceId, createdAt, ...body } = image;
    const row = { id, spaceId, key: null, createdAt, dueAt: null };
    return [
      { kind: 'record.put', row: { ...row, family: IMAGES, body } },
      { kind: 'record.put', row: { ...row, family: CONTENTS, body: Buffer.from(content).toString('base64') } },
    ];
  }

  /** Oldest first. */
  async list(spaceId: Id, page: Page): Promise<readonly Image[]> {
    return (await this.#store.records(IMAGES, spaceId, page)).map(imageOf);
  }

  async find(spaceId: Id, id: Id): Promise<Image | undefined> {
    const row = await this.#store.record(IMAGES, spaceId, id);
    return row && imageOf(row);
  }

  async content(spaceId: Id, id: Id): Promise<Uint8Array | undefined> {
    let content = this.#atHand.get(id);
    if (content === undefined) {
      const row = await this.#store.record(CONTENTS, spaceId, id);
      if (row === undefined) return undefined;
      content = Buffer.from(String(row.body), 'base64');
    }
    this.#atHand.delete(id);
    this.#atHand.set(id, content);
    for (const oldest of this.#atHand.keys()) {
      if (this.#atHand.size <= MOST_AT_HAND) break;
      this.#atHand.delete(oldest);
    }
    return content;
  }

  async remove(id: Id): Promise<void> {
    this.#atHand.delete(id);
    await this.#store.commit([
      { kind: 'record.delete', family: IMAGES, id },
      { kind: 'record.delete', family: CONTENTS, id },
    ]);
  }
}

function imageOf({ id, spaceId, createdAt, body }: RecordRow): Image {
  // Because every record of this family was made by `add`.
  return { ...(body as Omit<Image, 'id' | 'spaceId' | 'createdAt'>), id, spaceId: spaceId ?? '', createdAt };
}
