/**
 * Opens the file of the SQLite store.
 *
 * One process owns the file while it is open. A service keeps sessions and transfers in its memory, so two services on one file
 * would both answer a device. SQLite's exclusive mode would also block readers, and with them backups of a running service. So
 * the owner locks an empty file beside it, `<path>-owner`; the operating system releases the lock when the process ends. The
 * lock file is never removed, because another process may have locked it by then.
 */
import BetterSqlite, { type Database, SqliteError } from 'better-sqlite3';
import { UsageError } from '../../../kernel/errors.js';
import { WRITER_PRAGMAS } from './driver.js';
import { contentOf, migrate } from './migrations.js';

/** Longest wait, in ms, for a process that is just closing the file. It blocks the whole process. */
const LOCK_WAIT_MS = 1000;

interface OpenDatabase {
  readonly db: Database;
  /** Releases the ownership of the file. Close the database first. */
  release(): void;
}

/** Opens the file for a service, and runs the missing steps of the schema. @throws UsageError `bad-database` */
export function openDatabase(path: string): OpenDatabase {
  let db: Database | undefined;
  let owner: Database | undefined;
  try {
    db = new BetterSqlite(path, { timeout: LOCK_WAIT_MS });
    // Before the first write, also of the lock file: the file of another program must stay unchanged.
    contentOf(db, path);
    owner = new BetterSqlite(`${path}-owner`, { timeout: LOCK_WAIT_MS });
    owner.exec('BEGIN EXCLUSIVE');
    for (const pragma of WRITER_PRAGMAS) db.pragma(pragma);
    migrate(db, path);
    // Not earlier, because this changes the header of the file, which must be ours.
    db.pragma('journal_mode = WAL');
    const lock = owner;
    return { db, release: () => lock.close() };
  } catch (error) {
    db?.close();
    owner?.close();
    throw asUsageError(path, error);
  }
}

/** The error as a message about the file. */
export function asUsageError(path: string, error: unknown): UsageError {
  return error instanceof UsageError ? error : new UsageError('bad-database', `"${path}" ${complaint(error)}`);
}

function complaint(error: unknown): string {
  const code = error instanceof SqliteError ? error.code : '';
  const message = error instanceof Error ? error.message : String(error);
  if (code === 'SQLITE_NOTADB') return 'is not a database';
  if (code.startsWith('SQLITE_CORRUPT')) return 'is a damaged database';
  if (code === 'SQLITE_BUSY') return 'is in use by another process';
  if (code.startsWith('SQLITE_READONLY')) return 'cannot be written to';
  if (/directory does not exist/i.test(message)) return 'cannot be opened: its directory does not exist';
  return `cannot be opened as a database: ${message}`;
}
