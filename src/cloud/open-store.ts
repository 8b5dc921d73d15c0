/** The stores by name. */
import { UsageError } from '../kernel/errors.js';
import { MemoryStore } from './store/memory/memory-store.js';
import type { MemoryTables } from './store/memory/tables.js';
import { isPostgresUrl, publicName } from './store/postgres/url.js';
import { SqlStore } from './store/sql/sql-store.js';
import { SqliteDriver } from './store/sqlite/driver.js';
import { openDatabase } from './store/sqlite/open.js';
import type { Store } from './store/store.js';

/**
 * Opens a store: `memory`, the address of a PostgreSQL database (`postgres://…`), or the path of an SQLite file, which is made
 * when there is none.
 * @param memory what `memory` is; left out: an empty one
 * @throws UsageError `bad-database` when the database cannot be used
 */
export async function openStore(spec: string, memory?: MemoryTables): Promise<Store> {
  if (spec === 'memory') return new MemoryStore(memory);
  if (spec.trim() === '') throw new UsageError('bad-database', '"" is no store: give "memory" or the path of a file');
  if (isPostgresUrl(spec)) {
    // Only now: loading its driver takes a tenth of a second, which every other command would pay as well.
    const { openPostgres } = await import('./store/postgres/open.js');
    return new SqlStore(await openPostgres(spec));
  }
  const { db, release } = openDatabase(spec);
  return new SqlStore(new SqliteDriver(db, release));
}

/** What a store is called in messages: the specification, without a password. */
export function storeName(spec: string): string {
  return isPostgresUrl(spec) ? publicName(spec) : spec;
}
