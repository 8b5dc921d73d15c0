/** Opens SQLite files. Other files of `src/` do not, because the native part of better-sqlite3 may be missing. */
import { createRequire } from 'node:module';
import BetterSqlite, { type Database, type Options } from 'better-sqlite3';
import { messageOf, UsageError } from '../../../kernel/errors.js';
import { codeOf } from '../../../kernel/system-errors.js';
import { shownCommand } from '../../../kernel/web-address.js';

/**
 * @throws UsageError `no-sqlite` if the native part of better-sqlite3 cannot be loaded
 * @throws SqliteError, TypeError as better-sqlite3 does
 */
export function connect(path: string, options?: Options): Database {
  try {
    return new BetterSqlite(path, options);
  } catch (error) {
    throw nativePartMissing(error) ?? error;
  }
}

/** Why SQLite cannot be used, in one line; undefined if it can. */
export function findNativeFailure(): string | undefined {
  try {
    connect(':memory:').close();
    return undefined;
  } catch (error) {
    return messageOf(error).split('\n', 1)[0];
  }
}

function nativePartMissing(error: unknown): UsageError | undefined {
  const why = complaint(error);
  if (why === undefined) return undefined;
  const [folder] = createRequire(import.meta.url)
    .resolve('better-sqlite3')
    .split(/[\\/]node_modules[\\/]better-sqlite3[\\/]/);
  return new UsageError(
    'no-sqlite',
    `the native part of better-sqlite3, which SQLite files need, ${why}`,
    `\`${shownCommand(['npm', 'rebuild', 'better-sqlite3', '--prefix', folder ?? '.'])}\` installs it`,
  );
}

/** Undefined for other errors than those of loading. */
function complaint(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const message = messageOf(error);
  if (message.startsWith('Could not locate the bindings file')) {
    return 'was not installed, as after `npm ci --ignore-scripts`';
  }
  if (message.includes('NODE_MODULE_VERSION')) return 'was built for another version of Node';
  return codeOf(error) === 'ERR_DLOPEN_FAILED'
    ? `cannot be loaded on this machine: ${message.split('\n')[0]}`
    : undefined;
}
