/**
 * Copies the file of the SQLite store, also while a service writes to it.
 *
 * The copy is the state of one moment: a reading transaction is held open meanwhile, which in WAL mode stops no writer. (The
 * plain online backup would start over with every commit of the service, and a busy one would never let it finish.)
 */
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import BetterSqlite, { type Database } from 'better-sqlite3';
import { UsageError } from '../../../kernel/errors.js';
import { contentOf } from './migrations.js';
import { asUsageError } from './open.js';

/** How many pages are copied in a row; in between, the process can be interrupted. */
const PAGES_AT_ONCE = 4096;

/**
 * Copies `path` to `target`, which must not exist: it appears when it is complete and found to be sound. Resolves with its
 * size in bytes.
 * @throws UsageError `bad-database`, `target-exists`, `bad-target`
 */
export async function backupDatabase(path: string, target: string): Promise<number> {
  if (existsSync(target)) {
    throw new UsageError('target-exists', `"${target}" exists already`, 'give another name, or remove it');
  }
  const unfinished = `${target}.unfinished`;
  const source = openToRead(path);
  try {
    await source.backup(unfinished, { progress: () => PAGES_AT_ONCE }).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new UsageError('bad-target', `"${target}" cannot be written: ${why}`);
    });
    checkSoundness(unfinished);
    renameSync(unfinished, target);
    return statSync(target).size;
  } finally {
    source.close();
    rmSync(unfinished, { force: true });
  }
}

/** Opens the file with a reading transaction begun. */
function openToRead(path: string): Database {
  if (!existsSync(path)) throw new UsageError('bad-database', `there is no file "${path}"`);
  let db: Database | undefined;
  try {
    // Not read-only: then the leftovers of a process that was killed could not be taken in. Nothing is written.
    db = new BetterSqlite(path, { fileMustExist: true });
    db.exec('BEGIN');
    if (contentOf(db, path) === 'nothing') throw new UsageError('bad-database', `"${path}" is empty`);
    return db;
  } catch (error) {
    db?.close();
    throw asUsageError(path, error);
  }
}

/** A copy that cannot be read is none: better to learn that today. */
function checkSoundness(path: string): void {
  const copy = new BetterSqlite(path, { fileMustExist: true });
  try {
    const found = copy.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok') throw new UsageError('bad-database', `the copy is damaged, and so is its original: ${found}`);
  } finally {
    copy.close();
  }
}
