/**
 * Opens the file of the SQLite store, or says in one sentence why it cannot be used.
 *
 * One process owns the file while it is open: sessions and transfers live in the memory of the service, and two services on
 * one file would answer the same device. SQLite's own exclusive mode would see to that, but it keeps readers out as well, and
 * with them backups of a live service. So ownership is a lock on an empty file beside it, `<path>-owner`; the operating
 * system drops the lock of a process that dies. The file stays: whoever removed it could remove the lock of another.
 */
import BetterSqlite, { type Database, SqliteError } from 'better-sqlite3';
import { UsageError } from '../../../kernel/errors.js';
import { WRITER_PRAGMAS } from './driver.js';
import { contentOf, migrate } from './migrations.js';

/** How long to wait, in ms, for another process that is just letting go of the file. It blocks the whole process. */
const LOCK_WAIT_MS = 1000;

interface OpenDatabase {
  readonly db: Database;
  /** Lets another process own the file. Close the database first. */
  release(): void;
}

/** Opens the file for a service, and brings it up to date. @throws UsageError `bad-database` */
export function openDatabase(path: string): OpenDatabase {
  let db: Database | undefined;
  let owner: Database | undefined;
  try {
    db = new BetterSqlite(path, { timeout: LOCK_WAIT_MS });
    // Before anything is written, be it beside it: somebody else's file is left as it is.
    contentOf(db, path);
    owner = new BetterSqlite(`${path}-owner`, { timeout: LOCK_WAIT_MS });
    owner.exec('BEGIN EXCLUSIVE');
    for (const pragma of WRITER_PRAGMAS) db.pragma(pragma);
    migrate(db, path);
    // Only now that the file is known to be ours: this is written into its header.
    db.pragma('journal_mode = WAL');
    const lock = owner;
    return { db, release: () => lock.close() };
  } catch (error) {
    db?.close();
    owner?.close();
    throw asUsageError(path, error);
  }
}

/** What is wrong with a file, in a sentence. */
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
