/** Locks that the operating system releases when the process ends, also if it is killed. Node itself cannot lock files. */
import { connect, isSqliteError } from './connect.js';

/** The connections that hold locks: one that is only garbage would be closed, and its lock released. */
const held = new Set<object>();

/**
 * Locks a file, which must be empty, and returns the function that releases it; undefined if another process, or this one, has
 * locked it. The file stays empty.
 * @param patience how long to wait for the lock, in ms; the wait blocks the whole process
 */
export function lockFile(path: string, patience = 0): (() => void) | undefined {
  const lock = connect(path, { timeout: patience });
  try {
    // Otherwise the lock of a killed process would leave an empty journal.
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
    held.add(lock);
    return () => {
      held.delete(lock);
      lock.close();
    };
  } catch (error) {
    lock.close();
    if (isSqliteError(error) && error.code.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
}
