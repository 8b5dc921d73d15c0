/** Maps the errors of PostgreSQL to errors for callers of the store. */
import { DatabaseError } from 'pg';
import { StoreUnavailable } from '../store.js';

/**
 * Converts errors of the connection or the server to StoreUnavailable; returns other errors unchanged. Code 57014 is the
 * timeout of a statement, 55P03 that of a lock, 25P03 and 57P05 those of an idle connection, 53100 a full disk; XX001 and XX002
 * are damaged pages; 28 and 3D reject a connection; 25006 is a server that only reads, such as a standby; 26000 and 42P05 are
 * prepared statements that a connection pooler has mixed up.
 */
export function asOutage(error: unknown): unknown {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  if (!(error instanceof DatabaseError)) {
    if (/^E[A-Z_]+$/.test(code)) return new StoreUnavailable(error);
    // Also the wait for a free connection, while all wait for a lock.
    if (/timeout/i.test(message)) return new StoreUnavailable(error, 'store-slow');
    return /connection|connect/i.test(message) ? new StoreUnavailable(error) : error;
  }
  if (code === '57014' || code === '55P03') return new StoreUnavailable(error, 'store-slow');
  if (code === '53100') return new StoreUnavailable(error, 'store-full');
  if (code === '25006') return new StoreUnavailable(error, 'store-read-only');
  if (/^XX00[12]/.test(code)) return new StoreUnavailable(error, 'store-damaged');
  return /^(08|25P03|26000|28|3D|42P05|53|57P)/.test(code) ? new StoreUnavailable(error) : error;
}
