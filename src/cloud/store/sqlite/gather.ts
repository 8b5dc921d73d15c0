/**
 * Merges the databases of a run that was divided into parts (ADR 18) into the first one. Each part has a service with its own
 * devices, so a device, its messages and its timelines occur in one database only. Tags are merged by name. Other rows, such as
 * spaces and API keys, may occur in several databases: a row of the first database is kept, and its copies are ignored.
 */
import { copyFileSync, existsSync, rmSync, statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { v4 as randomId } from 'uuid';
import { UsageError } from '../../../kernel/errors.js';
import { createKeyFile } from '../secrets/key.js';
import { connect } from './connect.js';
import { removeDatabase } from './files.js';
import { contentOf } from './migrations.js';
import { asUsageError } from './open.js';
import { keyPath } from './unlock.js';

/**
 * Paths for the databases of the parts. The first path is `path` itself. The other databases get a copy of the key of the first
 * one, because their encrypted values are later moved without being decrypted.
 * @throws UsageError `old-database` if the first database exists, `bad-secrets-key` if the key cannot be written
 */
export function pathsOfParts(path: string, parts: number): readonly string[] {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new UsageError('old-database', `the database ${path} has been used before: a run requires a new one`);
  }
  const others = Array.from({ length: parts - 1 }, (_, i) => `${path}-part-${i + 2}`);
  if (!existsSync(keyPath(path))) createKeyFile(keyPath(path));
  for (const other of others) {
    remove(other);
    copyFileSync(keyPath(path), keyPath(other));
  }
  return [path, ...others];
}

/**
 * Moves the rows of all databases into the first one. Call it when their services have ended. A service that was stopped
 * immediately may have left no database.
 * @throws UsageError `bad-database`
 */
export function gatherDatabases([path = '', ...others]: readonly string[]): void {
  try {
    const db = connect(path);
    try {
      const isEmpty = contentOf(db, path) === 'nothing';
      for (const other of others) if (!isEmpty && existsSync(other)) add(db, other);
    } finally {
      db.close();
    }
  } catch (error) {
    throw asUsageError(path, error);
  } finally {
    discardDatabases([path, ...others]);
  }
}

/** Removes all databases but the first one. */
export function discardDatabases([, ...others]: readonly string[]): void {
  for (const other of others) remove(other);
}

/** Tables whose rows belong to one device each, so databases share none. `SELECT *`: all have the same schema. */
const OF_DEVICES = ['device', 'message'] as const;
/** Tables with rows that several databases may have. */
const SHARED = ['space', 'api_key', 'codec', 'record'] as const;

function add(db: Database, other: string): void {
  db.prepare('ATTACH ? AS part').run(other);
  try {
    if (db.prepare("SELECT 1 FROM part.sqlite_schema WHERE name = 'event'").get() === undefined) return;
    db.transaction(() => {
      for (const table of SHARED) db.exec(`INSERT OR IGNORE INTO ${table} SELECT * FROM part.${table}`);
      const tags = addTags(db);
      for (const table of OF_DEVICES) db.exec(`INSERT INTO ${table} SELECT * FROM part.${table}`);
      addDeviceTags(db, tags);
      // Each database counts these numbers from 1, so the rows get new numbers.
      copyWithoutNumber(db, 'timeline', ['message_id', 'at', 'what', 'detail'], 'position');
      copyWithoutNumber(db, 'event', ['space_id', 'device_id', 'at', 'kind', 'ref', 'detail'], 'seq');
    }).immediate();
  } finally {
    db.exec('DETACH part');
  }
}

function copyWithoutNumber(db: Database, table: string, columns: readonly string[], number: string): void {
  const list = columns.join(', ');
  db.exec(`INSERT INTO ${table} (${list}) SELECT ${list} FROM part.${table} ORDER BY ${number}`);
}

/** Identifies tags by name, because ids differ between databases. Returns the id in `db` by the id in the part. */
function addTags(db: Database): ReadonlyMap<string, string> {
  const known = db.prepare<[string, string], { id: string }>('SELECT id FROM main.tag WHERE space_id = ? AND name = ?');
  const taken = db.prepare('SELECT 1 FROM main.tag WHERE id = ?');
  const copy = db.prepare(
    `INSERT INTO main.tag (id, space_id, name, color, access_type, created_at)
     SELECT ?, space_id, name, color, access_type, created_at FROM part.tag WHERE id = ?`,
  );
  const tags = db.prepare<[], { id: string; space: string; name: string }>(
    'SELECT id, space_id AS space, name FROM part.tag ORDER BY id',
  );
  return new Map(
    tags.all().map(({ id, space, name }) => {
      const same = known.get(space, name)?.id;
      const own = same ?? (taken.get(id) === undefined ? id : randomId());
      if (same === undefined) copy.run(own, id);
      return [id, own];
    }),
  );
}

function addDeviceTags(db: Database, tags: ReadonlyMap<string, string>): void {
  const rows = db.prepare<[], { device: string; tag: string; position: number }>(
    'SELECT device_id AS device, tag_id AS tag, position FROM part.device_tag',
  );
  const insert = db.prepare('INSERT INTO main.device_tag (device_id, tag_id, position) VALUES (?, ?, ?)');
  for (const { device, tag, position } of rows.all()) insert.run(device, tags.get(tag), position);
}

/** Removes a database and its lock file. This is safe, because the thread that used the database has ended. */
function remove(path: string): void {
  removeDatabase(path);
  rmSync(`${path}-owner`, { force: true });
}
