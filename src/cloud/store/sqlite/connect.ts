/** Opens SQLite files. Other files of `src/` do not, because better-sqlite3 or its native part may be missing. */
import { createRequire } from 'node:module';
import type BetterSqlite from 'better-sqlite3';
import type { Database, Options } from 'better-sqlite3';
import { isError, messageOf, UsageError } from '../../../kernel/errors.js';
import { codeOf } from '../../../kernel/system-errors.js';
import { shownCommand } from '../../../kernel/web-address.js';

const load = createRequire(import.meta.url);

/**
 * @throws UsageError `no-sqlite` if the native part of better-sqlite3 cannot be loaded
 * @throws SqliteError, TypeError as better-sqlite3 does
 */
export function connect(path: string, options?: Options): Database {
  try {
    const Sqlite: typeof BetterSqlite = load('better-sqlite3');
    return new Sqlite(path, options);
  } catch (error) {
    throw nativePartMissing(error) ?? error;
  }
}

/** Whether SQLite itself has reported an error. Its `code` is for example SQLITE_BUSY. */
export function isSqliteError(error: unknown): error is Error & { readonly code: string } {
  return isError(error) && error.name === 'SqliteError';
}

/** @throws UsageError `no-sqlite`, before a file is created */
export function needSqlite(): void {
  connect(':memory:').close();
}

/** Why SQLite cannot be used, in one line; undefined if it can. */
export function findNativeFailure(): string | undefined {
  try {
    needSqlite();
    return undefined;
  } catch (error) {
    return messageOf(error).split('\n', 1)[0];
  }
}

function nativePartMissing(error: unknown): UsageError | undefined {
  const why = complaint(error);
  if (why === undefined) return undefined;
  if (why === ABSENT) {
    return new UsageError('no-sqlite', `SQLite files need better-sqlite3, which ${why}`, `\`${INSTALL}\` shows why`);
  }
  const [folder] = load.resolve('better-sqlite3').split(/[\\/]node_modules[\\/]better-sqlite3[\\/]/);
  return new UsageError(
    'no-sqlite',
    `the native part of better-sqlite3, which SQLite files need, ${why}`,
    `\`${shownCommand(['npm', 'rebuild', 'better-sqlite3', '--prefix', folder ?? '.'])}\` installs it`,
  );
}

/** npm leaves an optional package out, without a message, if its native part can neither be fetched nor built. */
const ABSENT = 'was not installed, because its native part could neither be fetched nor built';
const INSTALL = 'npm install better-sqlite3@12';

/** Undefined for other errors than those of loading. */
function complaint(error: unknown): string | undefined {
  if (!isError(error)) return undefined;
  const message = messageOf(error);
  if (codeOf(error) === 'MODULE_NOT_FOUND' && message.startsWith("Cannot find module 'better-sqlite3'")) return ABSENT;
  if (message.startsWith('Could not locate the bindings file')) {
    return 'was not installed, as after `npm ci --ignore-scripts`';
  }
  if (message.includes('NODE_MODULE_VERSION')) return 'was built for another version of Node';
  return codeOf(error) === 'ERR_DLOPEN_FAILED'
    ? `cannot be loaded on this machine: ${message.split('\n')[0]}`
    : undefined;
}
