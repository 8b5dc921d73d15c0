/**
 * Keys for the secrets of a store: reads them from texts and files, and compares them with the proof that a database stores.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { findDenied } from '../../../kernel/denied.js';
import { entropy } from '../../../kernel/entropy.js';
import { UsageError } from '../../../kernel/errors.js';
import { createUnfinished } from '../../../kernel/private-file.js';
import { randomBytes } from '../../../kernel/random.js';
import { fileReason } from '../../../kernel/system-errors.js';
import { isSpecial } from '../../../kernel/write-files.js';
import { KEY_SIZE, UnreadableSecret, Vault } from './vault.js';

/** A key, with the name of its source for messages, such as `the file "x"`. */
export interface NamedKey {
  readonly vault: Vault;
  readonly source: string;
}

/** The id of the key of a database and a proof of the key: the database stores both in place of the key. */
export interface KeyProof {
  readonly keyId: string;
  /** A known text, encrypted. */
  readonly proof: string;
}

const PLACE = 'vault/proof';
const KNOWN = 'ghostfleet';

export function proofOf(vault: Vault): KeyProof {
  return { keyId: vault.keyId, proof: vault.seal(PLACE, KNOWN) };
}

/** Whether this is the key of the database. */
export function fits(vault: Vault, { keyId, proof }: KeyProof): boolean {
  if (vault.keyId !== keyId) return false;
  try {
    return vault.open(PLACE, proof) === KNOWN;
  } catch (error) {
    if (error instanceof UnreadableSecret) return false;
    throw error;
  }
}

/**
 * @param database name of the database, for the message
 * @throws UsageError `wrong-secrets-key` if the database has another key
 */
export function needFitting({ vault, source }: NamedKey, stored: KeyProof, database: string): void {
  if (fits(vault, stored)) return;
  throw new UsageError(
    'wrong-secrets-key',
    `"${database}" is encrypted with the key ${stored.keyId}, and ${source} is the key ${vault.keyId}`,
    'give the key of this database; `ghostfleet secrets rotate` replaces a key',
  );
}

/** Reads 64 hexadecimal digits. @throws UsageError `bad-secrets-key`; its message does not contain the text */
export function keyFrom(text: string, source: string): NamedKey {
  const digits = text.trim();
  if (!/^[0-9a-f]{64}$/i.test(digits)) {
    const found = digits === '' ? 'is empty' : `has ${digits.length} characters`;
    throw new UsageError(
      'bad-secrets-key',
      `${source} ${found}; a key is written as ${2 * KEY_SIZE} hexadecimal digits`,
      'restore the key of the database; for a new database, make one with `openssl rand -hex 32`',
    );
  }
  return { vault: new Vault(Buffer.from(digits, 'hex')), source };
}

/** A new key. @param source its name for messages */
export function randomKey(source: string): NamedKey {
  return { vault: new Vault(randomBytes(entropy, KEY_SIZE)), source };
}

/** @throws UsageError `bad-secrets-key` */
export function keyInFile(path: string): NamedKey {
  const key = keyInFileIfAny(path);
  if (key === undefined) throw new UsageError('bad-secrets-key', `the key file "${path}" does not exist`);
  return key;
}

/** Undefined if the file does not exist. @throws UsageError `bad-secrets-key` */
export function keyInFileIfAny(path: string): NamedKey | undefined {
  let text: string;
  // Reading a named pipe would wait for its writer, and no signal would end the wait.
  if (isSpecial(path)) throw new UsageError('bad-secrets-key', `the key file "${path}" is not a regular file`);
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    const why = findDenied(path, 'read')?.why ?? `cannot be read: ${fileReason(error, '')}`;
    throw new UsageError('bad-secrets-key', `the key file "${path}" ${why}`);
  }
  return keyFrom(text, `the file "${path}"`);
}

/**
 * Creates a file with a new key. Only the owner of the file may read it. The file is on disk when the function returns, so
 * before the key is used.
 * @throws UsageError `bad-secrets-key` if the file exists or cannot be written
 */
export function createKeyFile(path: string): NamedKey {
  if (existsSync(path)) throw new UsageError('bad-secrets-key', `the key file "${path}" exists already`);
  try {
    const { name, file } = createUnfinished(path);
    try {
      writeSync(file, `${Buffer.from(randomBytes(entropy, KEY_SIZE)).toString('hex')}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    moveKeyFile(name, path);
  } catch (error) {
    const why = fileReason(error, 'no such directory');
    throw new UsageError('bad-secrets-key', `the key file "${path}" cannot be created: ${why}`);
  }
  return keyInFile(path);
}

/** Renames a file of a key. The new name is on disk when the function returns. */
export function moveKeyFile(from: string, to: string): void {
  renameSync(from, to);
  const directory = openSync(dirname(to), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
