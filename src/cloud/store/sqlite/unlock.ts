/**
 * Finds the key of an SQLite file and encrypts secrets that are not encrypted yet.
 *
 * If no key is given, the key is in a file beside the database: `<path>-key`. The key file is created with a new database, and
 * for the database of an earlier version without encryption. If the key file is missing later, the database is not opened,
 * because a new key could not decrypt it.
 */
import type { Database } from 'better-sqlite3';
import { UsageError } from '../../../kernel/errors.js';
import { makePrivate } from '../../../kernel/private-file.js';
import {
  createKeyFile,
  fits,
  type KeyProof,
  keyInFileIfAny,
  moveKeyFile,
  type NamedKey,
  needFitting,
  proofOf,
} from '../secrets/key.js';
import type { Vault } from '../secrets/vault.js';
import { type Resealing, resealing } from '../sql/resealing.js';

export function keyPath(path: string): string {
  return `${path}-key`;
}

/** Path of the file with the new key while a key is being replaced (rotate.ts). */
export function nextKeyPath(path: string): string {
  return `${path}-key-next`;
}

/** Hint for a user who has copied a database. */
export function sameKey(path: string, copy: string): string {
  return `${copy} has the key of ${path}: start it with --secrets-key-file, or with a copy of the key as ${keyPath(copy)}`;
}

export interface FoundKey extends NamedKey {
  /** The file beside the database; undefined if the key was given. */
  readonly file: string | undefined;
}

/**
 * Finds the key, before anything is written to the database.
 * @param given the key that was given; undefined: the file beside the database
 * @throws UsageError `wrong-secrets-key`, `missing-secrets-key`, `bad-secrets-key`
 */
export function findKey(db: Database, path: string, given: NamedKey | undefined): FoundKey {
  const stored = storedProof(db);
  if (given) {
    if (stored) needFitting(given, stored, path);
    return { ...given, file: undefined };
  }
  const file = keyPath(path);
  const found = (stored && finishedRotation(path, stored)) ?? keyInFileIfAny(file);
  if (found) {
    if (stored) needFitting(found, stored, path);
    makePrivate(file);
    return { ...found, file };
  }
  if (stored === undefined) return { ...createKeyFile(file), file };
  throw new UsageError(
    'missing-secrets-key',
    `"${path}" is encrypted with the key ${stored.keyId}, and its key file "${file}" does not exist`,
    'restore the key file, or give the key with --secrets-key-file or GHOSTFLEET_SECRETS_KEY',
  );
}

/** Completes a rotation that stopped before renaming the key file. The key, or undefined if encrypted with another. */
function finishedRotation(path: string, stored: KeyProof): NamedKey | undefined {
  const next = keyInFileIfAny(nextKeyPath(path));
  if (next === undefined || !fits(next.vault, stored)) return undefined;
  moveKeyFile(nextKeyPath(path), keyPath(path));
  return keyInFileIfAny(keyPath(path));
}

/** Whether the file has the key of the database; false for a damaged file. */
export function isKeyFile(file: string, proof: KeyProof): boolean {
  try {
    const key = keyInFileIfAny(file);
    return key !== undefined && fits(key.vault, proof);
  } catch {
    return false;
  }
}

/** The proof of the key that the database stores; undefined before the database is encrypted. */
export function storedProof(db: Database): KeyProof | undefined {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'vault'").get();
  if (table === undefined) return undefined;
  return db.prepare<[], KeyProof>('SELECT key_id AS keyId, proof FROM vault').get();
}

/** Encrypts the secrets if they are not encrypted yet, and then overwrites the remains of earlier values. */
export function encrypt(db: Database, vault: Vault): void {
  if (storedProof(db) === undefined) reseal(db, undefined, vault);
  forgetOld(db);
}

/**
 * Encrypts all secrets with another key, in one transaction: a process that ends in the middle leaves everything as it was.
 * @param progress called for each statement with the number of statements so far
 * @returns the number of rows that were rewritten
 */
export function reseal(
  db: Database,
  from: Vault | undefined,
  to: Vault,
  progress?: (statements: number) => void,
): number {
  const { keyId, proof } = proofOf(to);
  return db
    .transaction(() => {
      const changed = executed(db, resealing({ from, to, database: db.name }), progress);
      db.exec('DELETE FROM vault');
      const insert = db.prepare('INSERT INTO vault (key_id, proof, has_old) VALUES (?, ?, ?)');
      insert.run(keyId, proof, changed > 0 ? 1 : 0);
      return changed;
    })
    .immediate();
}

function executed(db: Database, steps: Resealing, progress: ((statements: number) => void) | undefined): number {
  let count = 0;
  let step = steps.next();
  while (!step.done) {
    const { text, values } = step.value;
    const statement = db.prepare<unknown[], unknown>(text);
    const rows = statement.reader ? statement.all(...values) : [];
    if (!statement.reader) statement.run(...values);
    progress?.(++count);
    step = steps.next(rows);
  }
  return step.value;
}

/** Overwrites the remains of earlier values in free pages and in the log. Repeated at the next start if it was interrupted. */
export function forgetOld(db: Database): void {
  const { hasOld } = db.prepare<[], { hasOld: number }>('SELECT has_old AS hasOld FROM vault').get() ?? {};
  if (hasOld !== 1) return;
  db.exec('VACUUM');
  // The cast is safe because the pragma returns one such row. `busy` is 1 if, for example, a backup runs at the same time.
  const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as readonly { readonly busy: number }[];
  if (result?.busy === 0) db.exec('UPDATE vault SET has_old = 0');
}
