/** Opens the file of the SQLite store, or says in one sentence why it cannot be used. */
import BetterSqlite, { type Database, SqliteError } from 'better-sqlite3';
import { UsageError } from '../../kernel/errors.js';
import { migrate } from './migrations.js';

/** How long to wait, in ms, for another process that is just letting go of the file. It blocks the whole process. */
const LOCK_WAIT_MS = 1000;

/** @throws UsageError `bad-database` */
export function openDatabase(path: string): Database {
  let db: Database | undefined;
  try {
    db = new BetterSqlite(path, { timeout: LOCK_WAIT_MS });
    // One process owns the file while it is open: sessions and transfers live in the memory of the service, and two
    // services on one file would answer the same device. The operating system drops the lock of a process that dies.
    db.pragma('locking_mode = EXCLUSIVE');
    // Not NORMAL: in WAL mode that may lose the last commits when the machine loses power.
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    db.pragma('cache_size = -32000');
    migrate(db, path);
    // Only now that the file is known to be ours: this is written into its header.
    db.pragma('journal_mode = WAL');
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof UsageError) throw error;
    throw new UsageError('bad-database', `"${path}" ${complaint(error)}`);
  }
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
