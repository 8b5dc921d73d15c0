/**
 * API keys. A key is shown once, when it is made; what is kept is its SHA-256, which is enough to recognise it and useless
 * to whoever reads the database. No salt and no slow hash: a key is 122 random bits, not a password.
 *
 * A key is two things in the store: the row by which a request is recognised, and a record of the family `key` with the same
 * id that says what the key may do.
 */
import { createHash } from 'node:crypto';
import { v4 } from 'uuid';
import { type Random, randomBytes } from '../../kernel/random.js';
import type { UnixMillis } from '../../kernel/time.js';
import type { Change, Id, Page, RecordRow, Store } from '../store/store.js';

/** What is known of a key. */
export interface ApiKey {
  readonly id: Id;
  readonly spaceId: Id;
  readonly name: string;
  /** First characters of the secret, by which people tell their keys apart. */
  readonly prefix: string;
  /** The key sees only devices with one of these tags. Null: the whole space. A tag that is deleted stays in here. */
  readonly tagIds: readonly Id[] | null;
  /** `read`: it changes nothing. */
  readonly access: 'write' | 'read';
  readonly createdAt: UnixMillis;
}

/** A new secret: a lower-case UUID (cloud API gaps, 2.2), as secret as `random` is. */
export function newSecret(random: Random): string {
  return v4({ random: randomBytes(random, 16) });
}

/** What the store keeps of a key or token: lower-case hex SHA-256. */
export function hashKey(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** What is shown of a secret; of one that somebody chose, and that may be short, nothing. */
export function prefixOf(secret: string): string {
  return secret.length >= 32 ? secret.slice(0, 8) : '';
}

/** Writes a new key that opens with `secret`. */
export function putKey(key: ApiKey, secret: string): readonly Change[] {
  const { id, spaceId, name, createdAt } = key;
  return [
    { kind: 'key.put', row: { id, spaceId, name, hash: hashKey(secret), createdAt } },
    { kind: 'record.put', row: rowOf({ ...key, prefix: prefixOf(secret) }) },
  ];
}

/** Changes what a key may do, unless that has changed since `before` was read; its secret stays. */
export function changeKey(before: ApiKey, after: ApiKey): Change {
  return { kind: 'record.change', row: rowOf(after), was: rowOf(before).body };
}

/** Gives a key another secret, unless it has changed since it was read. */
export function rotateKey(key: ApiKey, secret: string): readonly Change[] {
  return [
    { kind: 'key.change', id: key.id, hash: hashKey(secret) },
    changeKey(key, { ...key, prefix: prefixOf(secret) }),
  ];
}

export function deleteKey(id: Id): readonly Change[] {
  return [
    { kind: 'key.delete', id },
    { kind: 'record.delete', family: 'key', id },
    { kind: 'record.delete', family: 'key-use', id },
  ];
}

/** The key with this secret; undefined when there is none (any more). */
export async function keyWithSecret(store: Store, secret: string): Promise<ApiKey | undefined> {
  const row = await store.keyByHash(hashKey(secret));
  return row && findKey(store, row.spaceId, row.id);
}

export async function findKey(store: Store, spaceId: Id, id: Id): Promise<ApiKey | undefined> {
  const row = await store.record('key', spaceId, id);
  return row && toKey(row);
}

/** Keys of a space, oldest first. */
export async function listKeys(store: Store, spaceId: Id, page: Page): Promise<readonly ApiKey[]> {
  return (await store.records('key', spaceId, page)).map(toKey);
}

/** Notes that a key was used. A record of its own, so that it cannot bring back a key that is being deleted. */
export function putKeyUse({ id, spaceId }: ApiKey, at: UnixMillis): Change {
  return {
    kind: 'record.put',
    row: { family: 'key-use', id, spaceId, key: null, createdAt: at, dueAt: null, body: null },
  };
}

/** When the key was last used, to the minute; null: never. */
export async function lastUseOf(store: Store, { id, spaceId }: ApiKey): Promise<UnixMillis | null> {
  return (await store.record('key-use', spaceId, id))?.createdAt ?? null;
}

function rowOf({ id, spaceId, createdAt, ...body }: ApiKey): RecordRow {
  return { family: 'key', id, spaceId, key: null, createdAt, dueAt: null, body };
}

function toKey({ id, spaceId, createdAt, body }: RecordRow): ApiKey {
  // Because these records are made by `rowOf`, and a key always belongs to a space.
  return { id, spaceId: spaceId as Id, createdAt, ...(body as Omit<ApiKey, 'id' | 'spaceId' | 'createdAt'>) };
}
