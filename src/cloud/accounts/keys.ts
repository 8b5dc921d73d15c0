/**
 * API keys. The secret of a key is shown once, when the key is created. The store keeps only the SHA-256 of the secret: the
 * service can compare a secret with this hash, but a reader of the database cannot compute the secret. A salt and a slow hash
 * function are not needed, because a generated secret has 122 random bits.
 *
 * The store has two entries for a key: a row that maps the hash to the key, and a record of the family `key` with the same id
 * that holds its permissions.
 */

import { hash } from 'node:crypto';
import { v4 } from 'uuid';
import { append } from '../../kernel/append.js';
import { type Random, randomBytes } from '../../kernel/random.js';
import type { UnixMillis } from '../../kernel/time.js';
import { everyRecord } from '../store/records.js';
import type { Change, Id, Page, RecordRow, Store } from '../store/store.js';

export interface ApiKey {
  readonly id: Id;
  readonly spaceId: Id;
  readonly name: string;
  /** First characters of the secret, by which users distinguish their keys. */
  readonly prefix: string;
  /** The key sees only devices with one of these tags; null: the whole space. Ids of deleted tags remain in the list. */
  readonly tagIds: readonly Id[] | null;
  /** `read`: the key may only read. */
  readonly access: 'write' | 'read';
  readonly createdAt: UnixMillis;
  /** When the key becomes invalid. Absent: never. */
  readonly expiresAt?: UnixMillis | undefined;
  /** The key that created this key, or an ancestor if that was deleted. Absent: a login or the service created it. */
  readonly parentId?: Id;
  /** How many keys it has created. Absent: none. */
  readonly created?: number;
  /** Set for the key of a console's session. Keys made with it may expire later: its user operates the service. */
  readonly isSession?: true;
  /** Set for the key that the operator chose by an option of the service. */
  readonly isGiven?: true;
  /** Set if the given key, or a key with this mark, has created the key and was deleted since, or was rotated to be this key. */
  readonly isOfGiven?: true;
}

export function isExpired({ expiresAt }: ApiKey, now: UnixMillis): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** A new secret: a lower-case random UUID (cloud C-3). It is as unpredictable as `random`. */
export function newSecret(random: Random): string {
  return v4({ random: randomBytes(random, 16) });
}

/** The hash of a key or token that the store keeps: SHA-256 in lower-case hex. */
export function hashKey(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** The visible prefix of a secret: a quarter of it, at most 8 characters. A secret of fewer than 16 characters has none. */
export function prefixOf(secret: string): string {
  return secret.length < 16 ? '' : secret.slice(0, Math.min(8, Math.floor(secret.length / 4)));
}

/** Changes that store a new key with its secret. */
export function putKey(key: ApiKey, secret: string): readonly Change[] {
  const { id, spaceId, name, createdAt } = key;
  return [
    { kind: 'key.put', row: { id, spaceId, name, hash: hashKey(secret), createdAt } },
    { kind: 'record.put', row: rowOf({ ...key, prefix: prefixOf(secret) }) },
  ];
}

/** Changes the record of a key. The commit fails if the record has changed since `before` was read. The secret is kept. */
export function changeKey(before: ApiKey, after: ApiKey): Change {
  return { kind: 'record.change', row: rowOf(after), was: rowOf(before).body };
}

/** Replaces the secret of a key. The commit fails if the key's record has changed since it was read. */
export function rotateKey(key: ApiKey, secret: string): readonly Change[] {
  const { isGiven, ...others } = key;
  const mark = isGiven && ({ isOfGiven: true } as const);
  return [
    { kind: 'key.change', id: key.id, hash: hashKey(secret) },
    changeKey(key, { ...others, ...mark, prefix: prefixOf(secret) }),
  ];
}

export function deleteKey(id: Id): readonly Change[] {
  return [
    { kind: 'key.delete', id },
    { kind: 'record.delete', family: 'key', id },
    { kind: 'record.delete', family: 'key-use', id },
  ];
}

/** A key with its descendants: the keys that were created with it, the keys that were created with those, and so on. */
export async function withDescendants(store: Store, key: ApiKey): Promise<readonly ApiKey[]> {
  return familyOf([key], await everyKey(store, key.spaceId));
}

/** These keys with their descendants, each once. @param all keys of their space */
export function familyOf(keys: readonly ApiKey[], all: readonly ApiKey[]): readonly ApiKey[] {
  const children = new Map<Id, ApiKey[]>();
  for (const each of all) {
    if (each.parentId === undefined) continue;
    append(children, each.parentId, each);
  }
  const family = new Set(keys);
  for (const { id } of family) for (const child of children.get(id) ?? []) family.add(child);
  return [...family];
}

/**
 * Changes that give the children of a key, which is being deleted, to its own parent: they still end with that key.
 * @param all keys of its space
 */
export function adopt(key: ApiKey, all: readonly ApiKey[]): readonly Change[] {
  const { parentId } = key;
  const mark = (key.isGiven || key.isOfGiven) && ({ isOfGiven: true } as const);
  return all
    .filter((each) => each.parentId === key.id)
    .map((child) => {
      const { parentId: _, ...others } = child;
      return changeKey(child, { ...others, ...mark, ...(parentId !== undefined && { parentId }) });
    });
}

/** The key with this secret; undefined if it does not exist or was deleted. */
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

/** All keys of a space, oldest first. */
export async function everyKey(store: Store, spaceId: Id): Promise<readonly ApiKey[]> {
  const all: ApiKey[] = [];
  for await (const row of everyRecord(store, 'key', spaceId)) all.push(toKey(row));
  return all;
}

/** Stores the time at which a key was used. The time has its own record, so that the write cannot restore a deleted key. */
export function putKeyUse({ id, spaceId }: ApiKey, at: UnixMillis): Change {
  return {
    kind: 'record.put',
    row: { family: 'key-use', id, spaceId, key: null, createdAt: at, dueAt: null, body: null },
  };
}

/** Time of the key's last use, with a precision of one minute; null if it was never used. */
export async function lastUseOf(store: Store, { id, spaceId }: ApiKey): Promise<UnixMillis | null> {
  return (await store.record('key-use', spaceId, id))?.createdAt ?? null;
}

function rowOf({ id, spaceId, createdAt, ...body }: ApiKey): RecordRow {
  return { family: 'key', id, spaceId, key: null, createdAt, dueAt: null, body };
}

function toKey({ id, spaceId, createdAt, body }: RecordRow): ApiKey {
  // The types are certain: `rowOf` made the record, and a key always belongs to a space.
  return { id, spaceId: spaceId as Id, createdAt, ...(body as Omit<ApiKey, 'id' | 'spaceId' | 'createdAt'>) };
}
