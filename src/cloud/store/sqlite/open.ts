/**
 * Opens the file of the SQLite store.
 *
 * One process owns the file while it is open. A service keeps sessions and transfers in its memory, so two services on one file
 * would both answer a device. SQLite's exclusive mode would also block readers, and with them backups of a running service. So
 * the owner locks an empty file beside the database, `<path>-owner`; the operating system releases the lock when the process
 * ends. A service does not remove the lock file when it ends, because another process may have locked it by then.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { messageOf, UsageError } from '../../../kernel/errors.js';
import { makePrivate } from '../../../kernel/private-file.js';
import { shownCommand } from '../../../kernel/web-address.js';
import type { NamedKey } from '../secrets/key.js';
import { Soundness } from '../soundness.js';
import { findRefusal, needWritable, OTHER_PLACE } from './access.js';
import { connect, isSqliteError, needSqlite } from './connect.js';
import { type SqliteOptions, WRITER_PRAGMAS } from './driver.js';
import { lockFile } from './file-lock.js';
import { databaseFile } from './file-name.js';
import { markOfRun, removeMark } from './files.js';
import { contentOf, migrate } from './migrations.js';
import { readTail, type Tail, tailPath } from './tail.mjs';
import { encrypt, type FoundKey, findKey } from './unlock.js';

/** Longest wait, in ms, for a process that is just closing the file. The wait blocks the whole process. */
const LOCK_WAIT_MS = 1000;

interface OpenDatabase {
  readonly db: Database;
  readonly key: FoundKey;
  /** For the driver. `release` must be called after the database was closed. */
  readonly options: SqliteOptions;
}

/**
 * Opens the file for a service, runs the missing steps of the schema, and encrypts secrets that are not encrypted yet. If the
 * last commits of the file are missing, this is reported as damage.
 * @param given key of the secrets. Default: the key in the file beside the database
 * @param use `run`: the service is that of a run; `rotation`: the key is to be replaced, and an empty file is an error
 * @throws UsageError `bad-database`, also if the contents of the file were lost; `wrong-secrets-key` and other errors of the
 * key
 */
export function openDatabase(
  name: string,
  given?: NamedKey,
  use: 'service' | 'run' | 'rotation' = 'service',
): OpenDatabase {
  const path = databaseFile(name);
  let db: Database | undefined;
  let release: (() => void) | undefined;
  let accepted = false;
  try {
    needSqlite();
    needWritable(path, given !== undefined);
    // SQLite gives the log and its index, beside the file, the same permissions.
    makePrivate(path);
    db = connect(path, { timeout: LOCK_WAIT_MS });
    // Checked before anything is written, even the lock file: the file of another program must stay unchanged.
    const existed = contentOf(db, path) === 'ours';
    // The key file beside it may be that of a database that is still to be restored.
    if (!existed && use === 'rotation') throw new UsageError('bad-database', `"${path}" is empty`);
    const tail = readTail(path);
    if (!existed && tail !== undefined && tail.sequence > 0) throw emptied(path, tail);
    makePrivate(`${path}-owner`);
    release = lockFile(`${path}-owner`, LOCK_WAIT_MS);
    if (release === undefined) throw new UsageError('bad-database', `"${path}" ${IN_USE}`);
    // Checked before the first write, so that the file stays unchanged with a wrong key.
    const key = findKey(db, path, given);
    accepted = true;
    if (use !== 'run') removeMark(path);
    for (const pragma of WRITER_PRAGMAS) db.pragma(pragma);
    migrate(db, path);
    if (use === 'run' && !existed) markOfRun(path, lineageOf(db));
    // Only after the checks, because this changes the header of the file.
    db.pragma('journal_mode = WAL');
    const soundness = new Soundness();
    const loss = tail && lossOf(db, path, tail);
    if (loss !== undefined) soundness.report(loss);
    encrypt(db, key.vault);
    return { db, key, options: { release, soundness, checksPages: existed } };
  } catch (error) {
    if (accepted) db?.close();
    else if (db) closeUnchanged(db);
    release?.();
    throw asUsageError(path, error);
  }
}

/**
 * Closes a connection that has only read, without changing the file. When the last connection closes, SQLite moves the log of a
 * crashed process into the file, but a read-only connection does not do that. So a read-only connection is opened, and closed
 * last.
 */
function closeUnchanged(db: Database): void {
  if (!(statSync(`${db.name}-wal`, { throwIfNoEntry: false })?.size ?? 0)) {
    db.close();
    return;
  }
  let last: Database | undefined;
  try {
    last = connect(db.name, { readonly: true });
    // After its first read, this connection holds a lock, so `db` is not the last one.
    last.pragma('user_version');
  } catch {
    // A file that cannot be read as a database has no log.
  } finally {
    db.close();
    last?.close();
  }
}

function lineageOf(db: Database): string {
  return db.prepare<[], Tail>('SELECT lineage FROM soundness').get()?.lineage ?? '';
}

/** Describes the loss of commits that the tail file beside the database shows; undefined without a loss. */
export function lossOf(db: Database, path: string, tail: Tail): string | undefined {
  const now = db.prepare<[], Tail>('SELECT lineage, sequence FROM soundness').get();
  if (now?.lineage !== tail.lineage) return `"${path}" is not the database that "${tailPath(path)}" belongs to`;
  const lost = tail.sequence - now.sequence;
  return lost > 0 ? `the last ${lost} of ${tail.sequence} commits are missing in "${path}"` : undefined;
}

/** A service must not treat a file that has lost its contents as a new database. */
function emptied(path: string, { sequence }: Tail): UsageError {
  return new UsageError(
    'bad-database',
    `"${path}" is missing or empty, but "${tailPath(path)}" says that it had ${sequence} commits`,
    `restore the file from a backup; to begin with an empty database, remove "${tailPath(path)}"`,
  );
}

/** Converts an error to a message about the file. @param namesDoctor whether the hint for a damaged file names `doctor` */
export function asUsageError(path: string, error: unknown, namesDoctor = true): UsageError {
  if (error instanceof UsageError) return error;
  const refusal = isRefused(error) ? findRefusal(path) : undefined;
  if (refusal !== undefined) return refusal;
  const why = complaint(error, path);
  const hint =
    why === DAMAGED && namesDoctor
      ? `\`${shownCommand(['ghostfleet', 'doctor', path])}\` says what is lost and what can be saved`
      : why === READ_ONLY
        ? existsSync(path)
          ? 'to read the database, copy it and the files beside it to another folder'
          : OTHER_PLACE
        : undefined;
  return new UsageError('bad-database', `"${path}" ${why}`, hint);
}

const DAMAGED = 'is a damaged database';
const READ_ONLY = 'cannot be opened, because the file system is read-only';
const IN_USE = 'is in use by another process';

function complaint(error: unknown, path: string): string {
  const code = isSqliteError(error) ? error.code : '';
  const message = messageOf(error);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return 'is a directory, not the file of a database';
  if (code === 'SQLITE_NOTADB') return 'is not a database';
  if (code.startsWith('SQLITE_CORRUPT')) return DAMAGED;
  if (code === 'SQLITE_FULL') return 'cannot be written to: the disk is full';
  if (code.startsWith('SQLITE_BUSY')) return IN_USE;
  if (/^SQLITE_(CANTOPEN|READONLY)/.test(code) && isReadOnly(path)) return READ_ONLY;
  if (code.startsWith('SQLITE_READONLY')) return 'cannot be written to';
  if (NO_DIRECTORY.test(message)) return 'cannot be opened: its directory does not exist';
  return `cannot be opened as a database: ${message}`;
}

const NO_DIRECTORY = /directory does not exist/i;

/** Whether the rights of the files can be the reason of the error. */
function isRefused(error: unknown): boolean {
  if (!isSqliteError(error)) return NO_DIRECTORY.test(messageOf(error));
  return /^SQLITE_(CANTOPEN|READONLY|IOERR|PERM)/.test(error.code);
}

function isReadOnly(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}
