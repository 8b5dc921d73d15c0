/**
 * Positions in the journal as readers get them: encrypted, because the numbers of the entries would reveal how many events all
 * spaces have. A position belongs to one space, and to one edition of the journal: an unbroken part of it (journal.ts).
 */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { Id } from '../store/store.js';

/** A place in the journal, between two entries. */
export interface Position {
  readonly edition: string;
  /** Number of the entry before this place. */
  readonly seq: number;
}

/** The cipher encrypts one block of this many bytes. */
const BLOCK = 16;
/** The first 6 bytes of the block are the number of the entry. The other bytes identify the space of the position. */
const NUMBER = 6;
const CIPHER = 'aes-128-ecb';

/** The position as the id of an event: 32 hex digits. */
export function positionText({ edition, seq }: Position, spaceId: Id): string {
  const block = Buffer.alloc(BLOCK);
  block.writeUIntBE(seq, 0, NUMBER);
  markOf(spaceId).copy(block, NUMBER);
  const cipher = createCipheriv(CIPHER, keyOf(edition), null).setAutoPadding(false);
  return Buffer.concat([cipher.update(block), cipher.final()]).toString('hex');
}

/** Reads a position; undefined if the text is not a position of this edition and space. */
export function positionIn(text: string, edition: string, spaceId: Id): Position | undefined {
  if (!/^[0-9a-f]{32}$/.test(text)) return undefined;
  const decipher = createDecipheriv(CIPHER, keyOf(edition), null).setAutoPadding(false);
  const block = Buffer.concat([decipher.update(Buffer.from(text, 'hex')), decipher.final()]);
  if (!block.subarray(NUMBER).equals(markOf(spaceId))) return undefined;
  return { edition, seq: block.readUIntBE(0, NUMBER) };
}

/** The encryption key. It is secret: the name of an edition is random, and the API never returns it. */
function keyOf(edition: string): Buffer {
  return createHash('sha256').update(edition).digest().subarray(0, BLOCK);
}

function markOf(spaceId: Id): Buffer {
  return createHash('sha256')
    .update(spaceId)
    .digest()
    .subarray(0, BLOCK - NUMBER);
}
