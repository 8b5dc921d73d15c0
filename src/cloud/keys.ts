/**
 * API keys. A key is shown once, when it is made; what is kept is its SHA-256, which is enough to recognise it and useless
 * to whoever reads the database. No salt and no slow hash: a key is 122 random bits, not a password.
 */
import { createHash } from 'node:crypto';
import { v4 } from 'uuid';
import { type Random, randomBytes } from '../kernel/random.js';
import type { UnixMillis } from '../kernel/time.js';
import type { Ids } from './context.js';
import type { Id, KeyRow } from './store/store.js';

/** What the store keeps of a key: lower-case hex SHA-256. */
export function hashKey(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

export interface NewKey {
  readonly spaceId: Id;
  readonly name: string;
  readonly now: UnixMillis;
  readonly ids: Ids;
}

/** A new key, a lower-case UUID (cloud API gaps, 2.2), with the row that keeps it. It is as secret as `random` is. */
export function issueKey(key: NewKey, random: Random): { readonly secret: string; readonly row: KeyRow } {
  const secret = v4({ random: randomBytes(random, 16) });
  return { secret, row: keyRow(key, secret) };
}

/** The row that keeps a key which the user has chosen. */
export function keyRow({ spaceId, name, now, ids }: NewKey, secret: string): KeyRow {
  return { id: ids.uuid(), spaceId, name, hash: hashKey(secret), createdAt: now };
}
