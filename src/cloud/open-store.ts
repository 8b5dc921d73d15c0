/** Opens stores by name. */
import { UsageError } from '../kernel/errors.js';
import { MemoryStore } from './store/memory/memory-store.js';
import type { MemoryTables } from './store/memory/tables.js';
import { isPostgresUrl, publicName } from './store/postgres/url.js';
import { SqlStore } from './store/sql/sql-store.js';
import { SqliteDriver } from './store/sqlite/driver.js';
import { openDatabase } from './store/sqlite/open.js';
import type { Store } from './store/store.js';

/**
 * Opens a store: `memory`, the address of a PostgreSQL database (`postgres://…`), or the path of an SQLite file, which
 * is created if it does not exist.
 * @param memory tables of the store `memory`. Default: empty tables
 * @throws UsageError `bad-database` if the database cannot be used
 */
export async function openStore(spec: string, memory?: MemoryTables): Promise<Store> {
  if (spec === 'memory') return new MemoryStore(memory);
  if (spec.trim() === '')
    throw new UsageError('bad-database', 'invalid store "": expected "memory" or the path of a file');
  if (isPostgresUrl(spec)) {
    // Imported here, because loading the driver takes a tenth of a second.
    const { openPostgres } = await import('./store/postgres/open.js');
    return new SqlStore(await openPostgres(spec));
  }
  const { db, options } = openDatabase(spec);
  return new SqlStore(new SqliteDriver(db, options));
}

/** The name of a store in messages: the specification without a password. */
export function storeName(spec: string): string {
  return isPostgresUrl(spec) ? publicName(spec) : spec;
}
