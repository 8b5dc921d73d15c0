/**
 * Copies the file of the SQLite store, also while a service writes to it.
 *
 * The copy is a snapshot, because a read transaction stays open while it is made. In WAL mode, that does not block writers.
 * (Without the transaction, SQLite's online backup starts over at every commit, so it never finishes while a service writes
 * often.)
 */
import { closeSync, existsSync, lstatSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { messageOf, UsageError } from '../../../kernel/errors.js';
import { createUnfinished } from '../../../kernel/private-file.js';
import { fileReason } from '../../../kernel/system-errors.js';
import { needReadable } from './access.js';
import { connect, isSqliteError } from './connect.js';
import { contentOf } from './migrations.js';
import { asUsageError } from './open.js';
import { storedProof } from './unlock.js';

/** Number of pages that are copied before the event loop runs again. */
const PAGES_AT_ONCE = 4096;

interface Copied {
  readonly bytes: number;
  /** Whether secrets are encrypted: false if only services of earlier versions, without encryption, have used the database. */
  readonly encrypted: boolean;
}

/**
 * Copies `path` to `target`, which must not exist. `target` is created when the copy is complete and has passed SQLite's check.
 * @param ended ends the copying: nothing is left of the copy
 * @throws UsageError `bad-database`, `target-exists`, `bad-target`; the reason of `ended`
 */
export async function backupDatabase(path: string, target: string, ended?: AbortSignal): Promise<Copied> {
  if (isTaken(target)) {
    throw new UsageError('target-exists', `"${target}" exists already`, 'use another name, or remove it');
  }
  const source = openToRead(path);
  let unfinished: string | undefined;
  try {
    unfinished = emptyBeside(target);
    const progress = () => {
      ended?.throwIfAborted();
      return PAGES_AT_ONCE;
    };
    await source.backup(unfinished, { progress }).catch((error: unknown) => {
      ended?.throwIfAborted();
      const why = messageOf(error);
      throw new UsageError('bad-target', `cannot write "${target}": ${why}`);
    });
    checkSoundness(unfinished);
    ended?.throwIfAborted();
    renameSync(unfinished, target);
    return { bytes: statSync(target).size, encrypted: storedProof(source) !== undefined };
  } catch (error) {
    // Also a damaged copy is the fault of the original.
    throw isSqliteError(error) ? asUsageError(path, error) : error;
  } finally {
    source.close();
    if (unfinished !== undefined) for (const end of ['', '-journal']) rmSync(unfinished + end, { force: true });
  }
}

/** Whether there is a file, or a link to a file that does not exist. */
export function isTaken(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Not reported here: the caller writes the file next, and reports why that fails.
    return false;
  }
}

/** The name of a new, empty file beside the target. @throws UsageError `bad-target` */
export function emptyBeside(target: string): string {
  try {
    const { name, file } = createUnfinished(target);
    closeSync(file);
    return name;
  } catch (error) {
    throw new UsageError('bad-target', `cannot write "${target}": ${fileReason(error, 'no such directory')}`);
  }
}

/** Opens the file and begins a read transaction. */
function openToRead(path: string): Database {
  needReadable(path);
  if (!existsSync(path)) throw new UsageError('bad-database', `file "${path}" does not exist`);
  let db: Database | undefined;
  try {
    // Not read-only, because SQLite must be able to recover the log of a killed process. This function writes nothing.
    db = connect(path, { fileMustExist: true });
    db.exec('BEGIN');
    if (contentOf(db, path) === 'nothing') throw new UsageError('bad-database', `"${path}" is empty`);
    return db;
  } catch (error) {
    db?.close();
    throw asUsageError(path, error);
  }
}

/** Checks the copy, because a damaged original gives a damaged copy. @throws UsageError `bad-database` */
function checkSoundness(path: string): void {
  const copy = connect(path, { fileMustExist: true });
  try {
    const found = copy.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok') throw new UsageError('bad-database', `the database is damaged, and so is its copy: ${found}`);
  } finally {
    copy.close();
  }
}
