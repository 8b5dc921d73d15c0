/** Checks the database that a user names as a file or an address, before anything is opened. */
import { isPostgresUrl } from '../cloud/store/postgres/url.js';
import { databaseFile } from '../cloud/store/sqlite/file-name.js';

/** The address, or the file behind symbolic links. @throws UsageError `bad-database` for a name that is not that of a file */
export function checkDatabase(db: string): string {
  return isPostgresUrl(db) ? db : databaseFile(db);
}
