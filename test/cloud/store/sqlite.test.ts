import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import { Vault } from '../../../src/cloud/store/secrets/vault.js';
import { statementsOf } from '../../../src/cloud/store/sql/changes.js';
import { deviceCount, devicesById, devicesSorted, messageList } from '../../../src/cloud/store/sql/queries.js';
import { SqlStore } from '../../../src/cloud/store/sql/sql-store.js';
import { SQLITE, SqliteDriver, type SqliteOptions } from '../../../src/cloud/store/sqlite/driver.js';
import { MIGRATIONS, migrate } from '../../../src/cloud/store/sqlite/migrations.js';
import { ConflictError, type Id, type Store } from '../../../src/cloud/store/store.js';
import { UsageError } from '../../../src/kernel/errors.js';
import { storeContract } from '../../contracts/store/index.js';
import { bundled } from '../../support/bundled.js';
import { databaseFiles } from './database-files.js';
import { device, downlink, furnish, insert, key, message, SPACE, tag } from './rows.js';
import { updateFile } from './update-file.js';

const VAULT = new Vault(new Uint8Array(32));
const { directory, newPath } = databaseFiles();

/** Deletes all rows of a database, except those of the tables `soundness` and `vault`. */
function clearDatabase(db: BetterSqlite.Database): void {
  db.pragma('foreign_keys = OFF');
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").pluck();
  for (const name of tables.all()) if (name !== 'soundness' && name !== 'vault') db.exec(`DELETE FROM "${name}"`);
}

// One store for all tests of the contract, because each store starts a thread.
let contractStore: Store | undefined;
let cleaner: BetterSqlite.Database;
storeContract(
  'sqlite',
  async () => {
    if (contractStore) clearDatabase(cleaner);
    else {
      const path = newPath();
      contractStore = await openStore(path);
      cleaner = new BetterSqlite(path);
    }
    return contractStore;
  },
  () => {},
);
afterAll(async () => {
  cleaner.close();
  await contractStore?.close();
});

describe('the SQLite store', () => {
  it('has all its rows after it was closed and opened again', async () => {
    const path = newPath();
    const before = await openStore(path);
    await furnish(before, []);
    const tagged = device(1, { tagIds: [tag(2).id, tag(1).id] });
    await before.commit([insert.tag(tag(1)), insert.tag(tag(2)), insert.device(tagged), insert.key(key(1))]);
    const row = { hash: '00112233445566aa', document: Uint8Array.of(1) };
    await before.commit([insert.message(downlink(1)), { kind: 'codec.put', row }]);
    await before.close();

    const after = await openStore(path);
    expect(await after.device(SPACE, tagged.id)).toEqual(tagged);
    expect(await after.pendingDownlinks(tagged.id)).toEqual([downlink(1)]);
    expect(await after.keyByHash('hash-1')).toEqual(key(1));
    expect(await after.codec(row.hash)).toEqual(row);
    await after.close();
  });

  it('reports that another program holds a lock on its file, and works again after that', async () => {
    const { store, path } = openWithDatabase({ pragmas: ['busy_timeout = 0'] });
    await furnish(store);
    const other = new BetterSqlite(path);
    other.exec('BEGIN IMMEDIATE');
    await expect(store.commit([insert.message(message(1))])).rejects.toMatchObject({
      ...{ code: 'store-slow', message: 'another program holds a lock on the file of the database' },
    });
    other.close();
    await store.commit([insert.message(message(1))]);
    expect(await store.messages(SPACE, { limit: 9 })).toHaveLength(1);
    await store.close();
  });

  it('writes waiting commits when it is closed, and rejects later ones', async () => {
    const path = newPath();
    const store = await openStore(path);
    await furnish(store);
    const last = store.commit([insert.message(message(1))]);
    await store.close();
    await last;
    await expect(store.commit([insert.message(message(2))])).rejects.toThrow('the store is closed');
    const again = await openStore(path);
    expect((await again.messages(SPACE, { limit: 9 })).map((row) => row.id)).toEqual([message(1).id]);
    await again.close();
  });

  it('has every message of a resolved commit after its process was killed', async () => {
    const path = newPath();
    const child = fork(bundled(new URL('./commit-until-killed.ts', import.meta.url)), [path], { execArgv: [] });
    const safe: string[] = [];
    child.on('message', (id) => {
      safe.push(String(id));
      if (safe.length === 300) child.kill('SIGKILL');
    });
    await once(child, 'close');
    expect(safe.length).toBeGreaterThanOrEqual(300);

    const store = await openStore(path);
    const found = new Set((await store.messages(SPACE, { limit: 1e6 })).map((row) => row.id));
    expect(safe.filter((id) => !found.has(id))).toEqual([]);
    await store.close();
  });

  it('puts the commits of one turn into one transaction, and those that arrive meanwhile into the next one', async () => {
    const { store, path } = openWithDatabase();
    await furnish(store);
    const before = transactionsIn(path);
    const first = [1, 2, 3, 4, 5].map((n) => store.commit([insert.message(message(n))]));
    await new Promise((resolve) => setImmediate(resolve));
    const second = [6, 7, 8].map((n) => store.commit([insert.message(message(n))]));
    await Promise.all([...first, ...second]);
    expect(transactionsIn(path) - before).toBeLessThanOrEqual(2);
    await store.close();
  });

  it('settles each of many commits by its own result, however they are distributed over transactions', async () => {
    const { store } = openWithDatabase();
    await furnish(store);
    const commits = Array.from({ length: 1000 }, (_, index) => {
      const n = index + 1;
      const rest = n % 100 === 0 ? [insert.device(device(9, { serial: device(1).serial }))] : [];
      return store.commit([insert.message(message(n)), ...rest]);
    });
    const closing = store.close();
    const refused = (await Promise.allSettled(commits)).flatMap(({ status }, index) =>
      status === 'rejected' ? [index + 1] : [],
    );
    expect(refused).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]);
    await closing;
  });

  it('writes the other commits of a transaction if one is rejected', async () => {
    const { store } = openWithDatabase();
    await furnish(store, []);
    const [a, b] = [device(1), device(2, { serial: device(1).serial })];
    const results = await Promise.allSettled([
      store.commit([insert.device(a)]),
      store.commit([insert.tag(tag(1)), insert.device(b)]),
      store.commit([insert.tag(tag(2))]),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await store.tags(SPACE, { limit: 9 })).toEqual([tag(2)]);
    await store.close();
  });

  it('rejects all commits of a failed transaction, and continues', async () => {
    const { store, db } = openWithDatabase();
    await furnish(store);
    // SQLite rolls a transaction back when the disk is full. Here, a trigger rolls it back.
    db.exec(`CREATE TRIGGER boom BEFORE INSERT ON message WHEN NEW.type = 'boom'
      BEGIN SELECT RAISE(ROLLBACK, 'no space left'); END`);
    const results = await Promise.allSettled([
      store.commit([insert.message(message(1))]),
      store.commit([insert.message(message(2, { type: 'boom' }))]),
      store.commit([insert.message(message(3))]),
    ]);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected']);
    await store.commit([insert.message(message(4))]);
    expect((await store.messages(SPACE, { limit: 9 })).map((row) => row.id)).toEqual([message(4).id]);
    await store.close();
  });

  it('neither scans nor sorts for a list sorted by id', async () => {
    const { store, db } = openWithDatabase();
    const page = { limit: 20 };
    const everything = { ...page, types: ['a', 'b'], direction: 'up', createdAfter: 1, createdBefore: 2 } as const;
    const queries = [
      messageList(SQLITE, SPACE, page),
      messageList(SQLITE, SPACE, { ...page, deviceId: device(1).id, types: ['data'] }),
      messageList(SQLITE, SPACE, { ...everything, tagId: tag(1).id, after: message(1).id }),
      messageList(SQLITE, SPACE, { ...everything, deviceId: device(1).id }),
      devicesById(SQLITE, SPACE, { ...page, sortBy: 'id', order: 'desc', name: 'x', tagIds: [tag(1).id] }),
    ];
    for (const { text, values } of queries) {
      const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`).all(...values);
      const steps = plan.map((step) => step.detail).filter((detail) => !detail.includes('json_each'));
      expect(steps.filter((detail) => /^SCAN|TEMP B-TREE FOR (?!json)/.test(detail))).toEqual([]);
    }
    await store.close();
  });

  it('searches for copies of a message by fingerprint, not among all messages of the device', async () => {
    const { store, db } = openWithDatabase();
    const row = { ...message(1), fingerprint: 'feed' };
    const [statement] = statementsOf({ kind: 'message.insert', row, newSince: 1 }, SQLITE, VAULT);
    const { text = '', values = [] } = statement ?? {};
    const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`).all(...values);
    const steps = plan.map((step) => step.detail).join('\n');
    expect(steps).toMatch(/SEARCH message USING INDEX message_print \(print=\?\)/);
    expect(steps).toMatch(/SEARCH message USING COVERING INDEX message_of_device \(device_id=\? AND id>\?\)/);
    await store.close();
  });

  it('uses the same text of a query for all values and numbers of values', () => {
    const sorted = { limit: 5, sortBy: 'name', order: 'asc' } as const;
    expect(messageList(SQLITE, SPACE, { limit: 1, types: ['a', 'b'] }).text).toBe(
      messageList(SQLITE, SPACE, { limit: 2, types: ['a', 'b', 'c'], after: message(1).id }).text,
    );
    expect(devicesSorted(SQLITE, SPACE, { ...sorted, tagIds: ['a'] }).text).toBe(
      devicesSorted(SQLITE, SPACE, { ...sorted, tagIds: ['a', 'b'], tagLogic: 'all' }).text,
    );
    expect(deviceCount(SQLITE, SPACE, { name: 'a' }).text).toBe(deviceCount(SQLITE, SPACE, { name: 'b' }).text);
  });
});

describe('opening a database that cannot be used', () => {
  const refusal = async (path: string): Promise<string> => {
    const error = await openStore(path).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(UsageError);
    const { code, message: sentence } = error as UsageError;
    expect(code).toBe('bad-database');
    expect(sentence).not.toContain('\n');
    return sentence.replaceAll(directory(), '');
  };

  it('reports a file that is not a database', async () => {
    const path = newPath();
    writeFileSync(path, 'once upon a time there was a text that is longer than a header. '.repeat(80));
    expect(await refusal(path)).toMatch(/^"\/\d+\.db" is not a database$/);
  });

  it('reports a damaged database', async () => {
    const path = newPath();
    const store = await openStore(path);
    await furnish(store);
    await store.close();
    truncateSync(path, 6000);
    expect(await refusal(path)).toMatch(/is a damaged database$/);
  });

  it('reports a path that is a directory, a missing directory, and an empty path', async () => {
    expect(await refusal(directory())).toMatch(/is a directory, not the file of a database$/);
    expect(await refusal(join(directory(), 'missing', 'x.db'))).toMatch(/its directory does not exist$/);
    expect(await refusal(' ')).toBe('" " is not the path of a database file: it is empty');
  });

  it('refuses a file in which a view stands in place of a table: its query could be endless', async () => {
    const { store, path } = openWithDatabase({});
    await store.close();
    const other = new BetterSqlite(path);
    other.exec('CREATE VIEW daily AS SELECT 1');
    other.exec('ALTER TABLE message RENAME TO kept; CREATE VIEW message AS SELECT * FROM kept');
    other.close();
    expect(await refusal(path)).toMatch(/has a view "message" in place of this table of ghostfleet$/);
  });

  it('does not change the database of another program', async () => {
    const path = newPath();
    const other = new BetterSqlite(path);
    other.exec('CREATE TABLE recipe (name TEXT); CREATE TABLE device (id TEXT)');
    other.close();
    const before = readFileSync(path);
    expect(await refusal(path)).toMatch(/is the database of another program$/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('rejects a database that a newer version wrote', async () => {
    const path = newPath();
    const db = new BetterSqlite(path);
    migrate(db, path, [...MIGRATIONS, 'CREATE TABLE later (x)']);
    db.close();
    const known = MIGRATIONS.length;
    expect(await refusal(path)).toContain(`newer version: its schema is ${known + 1}, this version knows ${known}`);
  });

  it('rejects a database that is in use', async () => {
    const path = newPath();
    const store = await openStore(path);
    expect(await refusal(path)).toMatch(/is in use by another process$/);
    await store.close();
    await (await openStore(path)).close();
  });
});

describe('migrations', () => {
  const newest = MIGRATIONS.length;
  it.each([1, Math.round(newest / 2), newest])('update a file of version %i', (version) =>
    updateFile(newPath(), version),
  );

  it('fold the names of devices for the name filter', async () => {
    const path = newPath();
    const db = new BetterSqlite(path);
    migrate(db, path, MIGRATIONS.slice(0, 11));
    db.exec(`INSERT INTO space (id, name, type, created_at) VALUES ('${SPACE}', 'lab', 'team', 1);
      INSERT INTO device (id, space_id, name, name_folded, serial, token, label, created_at)
      VALUES ('${device(1).id}', '${SPACE}', 'ΟΔΟΣ', 'οδος', 4, 't', '{}', 1)`);
    db.close();
    const store = await openStore(path);
    expect(await store.countDevices(SPACE, { name: 'ΟΔΟΣ' })).toBe(1);
    await store.close();
  });

  it('keep devices that share a claim token, which no further device gets', async () => {
    const path = newPath();
    const db = new BetterSqlite(path);
    migrate(db, path, MIGRATIONS.slice(0, 5));
    db.exec(`INSERT INTO space (id, name, type, created_at) VALUES ('${SPACE}', 'lab', 'team', 1)`);
    const [first, second, third] = [device(1), device(2, { token: device(1).token }), device(3)];
    const old = db.prepare(
      "INSERT INTO device (id, space_id, name, name_folded, serial, token, label, created_at) VALUES (?, ?, '', '', ?, ?, '{}', 1)",
    );
    for (const { id, serial, token } of [first, second, third]) old.run(id, SPACE, serial, token);
    db.close();
    const store = await openStore(path);
    const taken = new ConflictError('token');
    for (const { token } of [first, third]) {
      await expect(store.commit([insert.device(device(4, { token }))])).rejects.toEqual(taken);
    }
    const change = (id: Id, token: string) => store.commit([{ kind: 'device.change', id, change: { token } }]);
    await change(second.id, 'e'.repeat(32));
    await expect(change(first.id, 'e'.repeat(32))).rejects.toEqual(taken);
    expect((await store.deviceBySerial(first.serial))?.token).toBe(first.token);
    await store.close();
  });

  it('run only the missing steps', async () => {
    const path = newPath();
    const store = await openStore(path);
    await furnish(store);
    await store.close();
    const db = new BetterSqlite(path);
    migrate(db, path, [...MIGRATIONS, 'CREATE TABLE later (x)']);
    expect(db.prepare('SELECT count(*) AS count FROM device').get()).toEqual({ count: 1 });
    expect(db.prepare('SELECT count(*) AS count FROM later').get()).toEqual({ count: 0 });
    expect(db.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length + 1);
    db.close();
  });

  it('change nothing if a step fails', () => {
    const path = newPath();
    const db = new BetterSqlite(path);
    expect(() => migrate(db, path, [...MIGRATIONS, 'CREATE TABLE half (x)', 'no SQL'])).toThrow();
    expect(db.prepare('SELECT count(*) AS count FROM sqlite_schema').get()).toEqual({ count: 0 });
    expect(db.pragma('user_version', { simple: true })).toBe(0);
    db.close();
  });
});

/** A store, the database under it, and the path of the database. */
function openWithDatabase(options: SqliteOptions = {}) {
  const path = newPath();
  const db = new BetterSqlite(path);
  db.pragma('journal_mode = WAL');
  db.pragma('foreign_keys = ON');
  migrate(db, path);
  return { store: new SqlStore(new SqliteDriver(db, options), VAULT), db, path };
}

/**
 * Number of transactions in the write-ahead log. Only the last frame of a transaction contains the size of the database; in
 * the other frames the size is 0.
 */
function transactionsIn(path: string): number {
  const log = readFileSync(`${path}-wal`);
  const frame = 24 + log.readUInt32BE(8);
  let count = 0;
  for (let at = 32; at + frame <= log.length; at += frame) if (log.readUInt32BE(at + 4) > 0) count++;
  return count;
}
