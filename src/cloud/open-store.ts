/** Opens stores by name, and replaces the keys with which their secrets are encrypted. */
import { UsageError } from '../kernel/errors.js';
import { exists } from '../kernel/write-files.js';
import { MemoryStore } from './store/memory/memory-store.js';
import type { MemoryTables } from './store/memory/tables.js';
import { isPostgresUrl, publicName } from './store/postgres/url.js';
import type { NamedKey } from './store/secrets/key.js';
import { SqlStore } from './store/sql/sql-store.js';
import { SqliteDriver } from './store/sqlite/driver.js';
import { openDatabase } from './store/sqlite/open.js';
import { type Rotated, rotateDatabase } from './store/sqlite/rotate.js';
import type { Store } from './store/store.js';

interface StoreOptions {
  /** Tables of the store `memory`. Default: empty tables. */
  readonly memory?: MemoryTables | undefined;
  /** Key with which secrets are encrypted. Default: for SQLite, the key in the file beside the database. */
  readonly secretsKey?: NamedKey | undefined;
  /** Whether the service is that of a run, so that no other one uses the database. Default: false. */
  readonly alone?: boolean | undefined;
}

/**
 * Opens a store: `memory`, the address of a PostgreSQL database (`postgres://…`), or the path of an SQLite file, which is
 * created if it does not exist, with a key file beside it.
 * @throws UsageError `bad-database` if the database cannot be used. For a problem with the key: `wrong-secrets-key`,
 *   `missing-secrets-key`, or `no-secrets-key` (PostgreSQL without a key)
 */
export async function openStore(spec: string, { memory, secretsKey, alone }: StoreOptions = {}): Promise<Store> {
  if (spec === 'memory') return new MemoryStore(memory);
  if (isPostgresUrl(spec)) {
    // Imported here, because loading the driver takes a tenth of a second.
    const { openPostgres } = await import('./store/postgres/open.js');
    const driver = await openPostgres(spec, secretsKey, alone);
    // The cast is safe because `openPostgres` throws without a key.
    return new SqlStore(driver, (secretsKey as NamedKey).vault);
  }
  const { db, key, options } = openDatabase(spec, secretsKey, alone ? 'run' : 'service');
  return new SqlStore(new SqliteDriver(db, options), key.vault, key.file);
}

/** The name of a store in messages: the specification without a password. */
export function storeName(spec: string): string {
  return isPostgresUrl(spec) ? publicName(spec) : spec;
}

/**
 * Replaces the key of a database while no service runs on it.
 * @throws UsageError `bad-database`, `wrong-secrets-key`, `no-secrets-key`, `no-new-key`, `same-secrets-key`, `database-in-use`
 */
export async function rotateKey(
  spec: string,
  { key, next }: { readonly key: NamedKey | undefined; readonly next: NamedKey | undefined },
): Promise<Rotated> {
  if (!isPostgresUrl(spec)) {
    if (exists(spec)) return rotateDatabase(spec, { key, next });
    throw new UsageError('bad-database', `file "${spec}" does not exist`);
  }
  if (next === undefined) {
    throw new UsageError('no-new-key', `a new key for "${publicName(spec)}" is missing`, 'add --new-key-file');
  }
  const { rotatePostgres } = await import('./store/postgres/open.js');
  return { rows: await rotatePostgres(spec, key, next), keyId: next.vault.keyId, file: undefined };
}
