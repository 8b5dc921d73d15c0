/** The option `--store` of a run: where the embedded cloud keeps its data. */
import { isPostgresUrl } from '../cloud/store/postgres/url.js';
import { UsageError } from '../kernel/errors.js';
import { databaseIn } from '../library/run-files.js';
import type { RunOptions } from '../runner/run.js';
import { checkOption } from './command.js';
import type { Host } from './host.js';
import { findSecretsKey, SECRETS_KEY } from './secrets-key.js';

/** The option for yargs. Messages never contain its value, because it may contain a password. */
export const STORE = checkOption(
  {
    describe: `where the embedded cloud keeps its data: memory, sqlite (requires --out), or an empty PostgreSQL database as postgres://… (requires ${SECRETS_KEY}) (default: memory)`,
    secret: true,
  },
  'store',
  'memory, sqlite or postgres://…',
  (text) => (text === 'memory' || text === 'sqlite' || isPostgresUrl(text) ? text : undefined),
);

interface StoreFlags {
  readonly store: string | undefined;
  readonly out: string | undefined;
}

/** @throws UsageError if SQLite has no directory */
export function checkStore({ store, out }: StoreFlags): void {
  if (store === 'sqlite' && out === undefined) {
    throw new UsageError('bad-flags', '--store sqlite requires --out, the directory for the database');
  }
}

/**
 * The database of the run.
 * @param out the directory of `--out`, from which the database of an earlier run is removed
 * @throws UsageError if PostgreSQL has no key
 */
export function chooseStore(
  { store = 'memory' }: StoreFlags,
  out: string | undefined,
  { env }: Host,
): Pick<RunOptions, 'db' | 'secretsKey'> {
  if (store === 'sqlite' && out !== undefined) return { db: databaseIn(out) };
  if (!isPostgresUrl(store)) return { db: 'memory' };
  const secretsKey = findSecretsKey(undefined, env);
  if (secretsKey === undefined) {
    throw new UsageError(
      'no-secrets-key',
      `--store with PostgreSQL requires ${SECRETS_KEY}: another service opens the database with the same key`,
      'make one with `openssl rand -hex 32`',
    );
  }
  return { db: store, secretsKey };
}
