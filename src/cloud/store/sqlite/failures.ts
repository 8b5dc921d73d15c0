/** What the errors of SQLite mean for a service. */
import type { Soundness } from '../soundness.js';
import { StoreUnavailable } from '../store.js';

/**
 * Codes of errors after which the file cannot be trusted. A failed sync is one of them: the operating system may have
 * dropped the data, and a second sync would succeed without them.
 */
const DAMAGE = /^(DAMAGED|SQLITE_CORRUPT|SQLITE_NOTADB|SQLITE_IOERR_(FSYNC|DIR_FSYNC|READ|SHORT_READ|CORRUPTFS|DATA))/;

/** Codes of errors of the disk that may pass. */
const OUTAGE = /^SQLITE_(IOERR|CANTOPEN|READONLY|BUSY|NOMEM)/;

/** The error for callers of the store. Reports damage to `soundness`. */
export function storeFailure(error: unknown, soundness: Soundness): Error {
  // Because SQLite's errors have a code.
  const { code = '', message = String(error) } = error as { readonly code?: string; readonly message?: string };
  if (DAMAGE.test(code)) {
    soundness.report(message);
    return new StoreUnavailable(error, 'store-damaged');
  }
  if (code === 'SQLITE_FULL') return new StoreUnavailable(error, 'store-full');
  if (OUTAGE.test(code)) return new StoreUnavailable(error);
  return error instanceof Error ? error : new Error(message);
}
