/**
 * Replaces the key of an SQLite file while no service runs on it.
 *
 * One transaction encrypts everything with the new key, so the database always has exactly one key. A new random key is stored
 * in three steps: it is written to `<path>-key-next`, the transaction ends, and the file is renamed to `<path>-key`. After a
 * crash, the next start of a service completes the last step.
 */
import { rmSync } from 'node:fs';
import { UsageError } from '../../../kernel/errors.js';
import { shownCommand } from '../../../kernel/web-address.js';
import { createKeyFile, moveKeyFile, type NamedKey } from '../secrets/key.js';
import { asUsageError, openDatabase } from './open.js';
import { forgetOld, keyPath, nextKeyPath, reseal } from './unlock.js';

interface RotationOptions {
  /** The present key. Default: the key in the file beside the database. */
  readonly key: NamedKey | undefined;
  /** The new key. Default: a random key, which is written to the file beside the database. */
  readonly next: NamedKey | undefined;
  /** Called for each statement with the number of statements so far, and with `done` before the key file is replaced. */
  readonly progress?: (statements: number | 'done') => void;
}

export interface Rotated {
  readonly rows: number;
  readonly keyId: string;
  /** The key file beside the database; undefined if the new key was given. */
  readonly file: string | undefined;
}

/** @throws UsageError `bad-database`, `no-new-key`, `same-secrets-key`, and the errors of `findKey` in unlock.ts */
export function rotateDatabase(path: string, { key, next, progress }: RotationOptions): Rotated {
  const { db, key: present, options } = openDatabase(path, key, 'rotation');
  try {
    const [damage] = options.soundness?.damage ?? [];
    if (damage !== undefined)
      throw new UsageError('bad-database', damage, `\`${shownCommand(['ghostfleet', 'doctor', path])}\` says more`);
    const replacement = next ?? nextKey(path, present.file);
    if (replacement.vault.keyId === present.vault.keyId) {
      throw new UsageError('same-secrets-key', `${replacement.source} is already the key of "${path}"`);
    }
    const rows = reseal(db, present.vault, replacement.vault, progress);
    progress?.('done');
    if (next === undefined) moveKeyFile(nextKeyPath(path), keyPath(path));
    forgetOld(db);
    return { rows, keyId: replacement.vault.keyId, file: next === undefined ? keyPath(path) : undefined };
  } catch (error) {
    throw asUsageError(path, error);
  } finally {
    db.close();
    options.release?.();
  }
}

/**
 * Creates the file with the next key of a database. If an interrupted rotation has left such a file, its key was never used,
 * and the file is replaced.
 * @param file the file with the present key; undefined if the present key was given
 * @throws UsageError `no-new-key` if the present key was given
 */
function nextKey(path: string, file: string | undefined): NamedKey {
  if (file === undefined) {
    throw new UsageError(
      'no-new-key',
      'the present key was given, so the new one must be given, too',
      'add --new-key-file',
    );
  }
  rmSync(nextKeyPath(path), { force: true });
  return createKeyFile(nextKeyPath(path));
}
