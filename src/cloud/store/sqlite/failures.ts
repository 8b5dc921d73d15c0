/** Maps the errors of SQLite to errors for callers of the store. */

import { closeSync, rmSync, statSync, writeSync } from 'node:fs';
import { isError } from '../../../kernel/errors.js';
import { createNew } from '../../../kernel/private-file.js';
import type { Soundness } from '../soundness.js';
import { StoreUnavailable } from '../store.js';

/** An error in a form that can be sent between threads. */
export interface PlainError {
  readonly code: string;
  readonly message: string;
}

/** Codes after which the file cannot be trusted. After a failed sync, a second one may succeed without the lost data. */
const DAMAGE = /^(DAMAGED|SQLITE_CORRUPT|SQLITE_NOTADB|SQLITE_IOERR_(FSYNC|DIR_FSYNC|READ|SHORT_READ|CORRUPTFS|DATA))/;

/** Codes of errors that may be temporary. */
const OUTAGE = /^SQLITE_(IOERR|CANTOPEN|READONLY|NOMEM)/;

/** Codes of a wait for a lock that took too long. PROTOCOL: the lock is that of the log or its index. */
const LOCKED = /^SQLITE_(BUSY|PROTOCOL)/;
const LOCKED_MESSAGE = 'another program holds a lock on the file of the database';

/** Bytes that `mayGrow` writes to a trial file: more than SQLite writes at once. */
const TRIAL_SIZE = 65_536;

/** Codes of the operating system for a file that may not grow: no space, a quota, a limit of the size of files. */
const NO_ROOM = /^(ENOSPC|EDQUOT|EFBIG)$/;

/**
 * The error for callers of the store. Reports damage to `soundness`.
 * @param path of the database
 */
export function storeFailure(error: unknown, soundness: Soundness, path: string): Error {
  const { code = '', message = String(error) } = error as { readonly code?: string; readonly message?: string };
  if (DAMAGE.test(code)) {
    soundness.report(message);
    return new StoreUnavailable(error, 'store-damaged');
  }
  const isFull = code === 'SQLITE_FULL' || (code === 'SQLITE_IOERR_WRITE' && !mayGrow(path));
  if (isFull) return new StoreUnavailable(error, 'store-full');
  // DBMOVED: the file is not in its place.
  if (code.startsWith('SQLITE_READONLY') && code !== 'SQLITE_READONLY_DBMOVED')
    return new StoreUnavailable(error, 'store-read-only');
  if (LOCKED.test(code)) return new StoreUnavailable(error, 'store-slow', LOCKED_MESSAGE);
  if (OUTAGE.test(code)) return new StoreUnavailable(error);
  return isError(error) ? error : new Error(message);
}

/** Whether the database could grow: SQLite has no code for quotas and size limits. Writes to a file of its own. */
function mayGrow(path: string): boolean {
  const trial = `${path}-trial`;
  try {
    const sizes = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
    const file = createNew(trial);
    try {
      writeSync(file, Buffer.alloc(TRIAL_SIZE), 0, TRIAL_SIZE, Math.max(...sizes));
    } finally {
      closeSync(file);
    }
    return true;
  } catch (error) {
    return !NO_ROOM.test((error as NodeJS.ErrnoException).code ?? '');
  } finally {
    rmSync(trial, { force: true });
  }
}
