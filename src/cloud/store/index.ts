/** The stores by name. */
import { UsageError } from '../../kernel/errors.js';
import { MemoryStore } from './memory/memory-store.js';
import type { MemoryTables } from './memory/tables.js';
import { isPostgresUrl, publicName } from './postgres/url.js';
import { SqlStore } from './sql/sql-store.js';
import { SqliteDriver } from './sqlite/driver.js';
import { openDatabase } from './sqlite/open.js';
import type { Store } from './store.js';

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
    const { openPostgres } = await import('./postgres/open.js');
    return new SqlStore(await openPostgres(spec));
  }
  const { db, release } = openDatabase(spec);
  return new SqlStore(new SqliteDriver(db, release));
}

/** What a store is called in messages: the specification, without a password. */
export function storeName(spec: string): string {
  return isPostgresUrl(spec) ? publicName(spec) : spec;
}
