/** The stores by name. */
import { UsageError } from '../../kernel/errors.js';
import { MemoryStore } from './memory.js';
import { SqliteStore } from './sqlite.js';
import { openDatabase } from './sqlite-open.js';
import type { Store } from './store.js';

/**
 * Opens a store: `memory`, or the path of an SQLite file, which is made when there is none.
 * @throws UsageError `bad-database` when the file cannot be used
 */
export async function openStore(spec: string): Promise<Store> {
  if (spec === 'memory') return new MemoryStore();
  if (spec.trim() === '') throw new UsageError('bad-database', '"" is no store: give "memory" or the path of a file');
  return new SqliteStore(openDatabase(spec));
}
