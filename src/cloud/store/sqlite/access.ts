/** Rights for the files of a database. Some belong to another user if that user, such as root by sudo, has used the database. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Denied, findDenied, rightsCommand } from '../../../kernel/denied.js';
import { UsageError } from '../../../kernel/errors.js';

/** The ends of the names of the files that SQLite opens. */
const OF_SQLITE = ['', '-wal', '-shm', '-journal'];

/**
 * @param more ends of further files that are needed
 * @throws UsageError `bad-database` if the rights do not permit to read the existing files of a database
 */
export function needReadable(path: string, more: readonly string[] = []): void {
  const error = refusal([...OF_SQLITE, ...more].map((end) => findDenied(path + end, 'read')));
  if (error) throw error;
}

/**
 * @param hasKey whether the key was given, so that the key file is not needed
 * @throws UsageError `bad-database` if the rights do not permit a service to use the existing files of a database
 */
export function needWritable(path: string, hasKey: boolean): void {
  const files = [...OF_SQLITE, '-owner', '-tail'].map((end) => findDenied(path + end, 'write'));
  const error = refusal([...files, hasKey ? undefined : findDenied(`${path}-key`, 'read')]);
  if (error) throw error;
}

/** Where a new database can be, such as in a container, whose working directory can often not be written to. */
export const OTHER_PLACE = 'name a file in a folder that this user may write to, such as /data/ghostfleet.db';

/** Why SQLite could not open or write its files; undefined if their rights, and those of the folder, permit it. */
export function findRefusal(path: string): UsageError | undefined {
  const folder = resolve(dirname(path));
  const error = refusal([...OF_SQLITE.map((end) => path + end), folder].map((file) => findDenied(file, 'write')));
  return error && !existsSync(path) ? new UsageError(error.code, error.message, OTHER_PLACE) : error;
}

function refusal(found: readonly (Denied | undefined)[]): UsageError | undefined {
  // A directory that cannot be entered is found for each file.
  const all = [...new Map(found.flatMap((each) => (each ? [[each.path, each] as const] : []))).values()];
  const [first, ...others] = all;
  if (first === undefined) return undefined;
  const also = others.length > 0 ? `; the same is true of ${others.map(({ path }) => `"${path}"`).join(', ')}` : '';
  const command = rightsCommand(all);
  const hint = command && `if the database is yours, \`${command}\` permits it`;
  return new UsageError('bad-database', `"${first.path}" ${first.why}${also}`, hint);
}
