/** Checks the database that a user names as a file or an address, before anything is opened. */
import { isPostgresUrl } from '../cloud/store/postgres/url.js';
import { databaseFile } from '../cloud/store/sqlite/file-name.js';
import { UsageError } from '../kernel/errors.js';

/**
 * The address, or the file behind symbolic links. Rejects a mistyped address, which would be taken for the path of an SQLite
 * file: an address may contain a password, and messages contain the path. Rejects names that are not those of files.
 * @throws UsageError `bad-database`, whose message does not contain an address
 */
export function checkDatabase(db: string): string {
  if (isPostgresUrl(db)) return db;
  if (/^[./\\]/.test(db) || !/:\/\/|^[^:]*:.*@/.test(db)) return databaseFile(db);
  throw new UsageError(
    'bad-database',
    'the database (hidden) is not the path of a file, and not the address of a PostgreSQL database',
    'expected postgres://user:password@host:5432/database; a path with these characters begins with "./" or "/"',
  );
}
