/** The files of a database. */
import { rmSync } from 'node:fs';

/**
 * Removes a database and the files beside it. The lock file `<path>-owner` stays: without it, a second service could open the
 * next database at this path while the first one still runs.
 */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-tail', '-key']) rmSync(path + suffix, { force: true });
}
