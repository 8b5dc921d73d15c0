/** Checks the database that a user names as a file or an address, before anything is opened. */

import { isPostgresUrl } from '../cloud/store/postgres/url.js';
import { databaseFile } from '../cloud/store/sqlite/file-name.js';
import { UsageError } from '../kernel/errors.js';
import { expandHome } from '../kernel/home-path.js';
import type { Host } from './host.js';

/** The address, or the file behind symbolic links. @throws UsageError `bad-database` for a name that is not that of a file */
export function checkDatabase(db: string): string {
  return isPostgresUrl(db) ? db : databaseFile(db);
}

/** The database that GHOSTFLEET_DB names, if it is set. @throws UsageError like {@link checkDatabase}, with the variable */
export function databaseIn(env: Host['env']): string | undefined {
  const { GHOSTFLEET_DB: given } = env;
  if (given === undefined) return undefined;
  try {
    return checkDatabase(expandHome(given, env));
  } catch (error) {
    throw error instanceof UsageError
      ? new UsageError(error.code, `GHOSTFLEET_DB: ${error.message}`, error.hint)
      : error;
  }
}
