import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, openSync, readFileSync, renameSync, rmSync, truncateSync, writeSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import { SqlStore } from '../../../src/cloud/store/sql/sql-store.js';
import { SqliteDriver } from '../../../src/cloud/store/sqlite/driver.js';
import { openDatabase } from '../../../src/cloud/store/sqlite/open.js';
import { StoreUnavailable } from '../../../src/cloud/store/store.js';
import { bundled } from '../../support/bundled.js';
import { until } from '../../support/until.js';
import { databaseFiles } from './database-files.js';
import { furnish, insert, message, record, SPACE } from './rows.js';

const { directory, newPath, furnished } = databaseFiles();

/** The files as a killed process would leave them. */
function asKilled(path: string): string {
  const copy = newPath();
  for (const suffix of ['', '-wal', '-tail', '-key']) copyFileSync(path + suffix, copy + suffix);
  return copy;
}

const damaged = expect.objectContaining({ name: 'StoreUnavailable', code: 'store-damaged' });

describe('the end of the write-ahead log', () => {
  it('is complete after a kill', async () => {
    const { path, store } = await furnished(3);
    const again = await openStore(asKilled(path));
    expect(again.soundness?.damage).toEqual([]);
    await again.commit([insert.message(message(4))]);
    await Promise.all([store.close(), again.close()]);
  });

  it('is reported as missing if it was lost: the other rows can be read, and nothing is written', async () => {
    const { path, store } = await furnished(3);
    const before = asKilled(path);
    await store.commit([insert.message(message(4))]);
    await store.commit([insert.message(message(5))]);
    copyFileSync(`${path}-tail`, `${before}-tail`);
    await store.close();

    const after = await openStore(before);
    const [what = ''] = after.soundness?.damage ?? [];
    expect(what.replace(directory(), '')).toMatch(/^the last 2 of \d+ commits are missing in "\/\d+\.db"$/);
    expect(await after.messages(SPACE, { limit: 9 })).toHaveLength(3);
    await expect(after.commit([insert.message(message(6))])).rejects.toEqual(damaged);
    await after.close();
  });

  it('is reported as missing if the whole database file is empty or missing: the store does not open', async () => {
    const { path, store } = await furnished(1);
    await store.close();
    for (const empty of [() => truncateSync(path, 0), () => rmSync(path)]) {
      empty();
      await expect(openStore(path)).rejects.toThrow(/is missing or empty, but ".*-tail" says that it had \d+ commits/);
    }
  });

  it('is not reported as missing in a copy without a tail file', async () => {
    const { path, store } = await furnished(2);
    await store.close();
    rmSync(`${path}-tail`);
    const again = await openStore(path);
    await again.commit([insert.message(message(3))]);
    expect(again.soundness?.damage).toEqual([]);
    expect(readFileSync(`${path}-tail`)).toHaveLength(28);
    await again.close();
  });
});

describe('the files of a running service', () => {
  const changes: readonly (readonly [string, (path: string) => void])[] = [
    ['removed log', (path) => rmSync(`${path}-wal`)],
    ['shortened log', (path) => truncateSync(`${path}-wal`, 0)],
    ['removed database', (path) => rmSync(path)],
    [
      'replaced database',
      (path) => {
        copyFileSync(path, `${path}.copy`);
        renameSync(`${path}.copy`, path);
      },
    ],
  ];

  it.each(changes)('are watched: no commit is acknowledged after a %s', async (_, change) => {
    const { path, store } = await furnished(1);
    change(path);
    await expect(store.commit([insert.message(message(2))])).rejects.toEqual(damaged);
    expect(store.soundness?.damage).toEqual([
      expect.stringMatching(/was (removed or replaced|shortened) while the service/),
    ]);
    await expect(store.commit([])).rejects.toEqual(damaged);
    await store.close();
  });
});

describe('damaged contents', () => {
  /** Changes the database without the store. */
  const alter = (path: string, sql: string) => {
    const db = new BetterSqlite(path);
    db.exec(sql);
    db.close();
  };

  it('are found by the checksum of a message when it is read', async () => {
    const { path, store } = await furnished(2);
    alter(path, `UPDATE message SET body = replace(body, '"', ' ') WHERE id = '${message(2).id}'`);
    expect(await store.message(SPACE, message(1).id)).toBeDefined();
    await expect(store.message(SPACE, message(2).id)).rejects.toEqual(damaged);
    expect(store.soundness?.damage).toEqual([
      `the stored body of message ${message(2).id} does not match its checksum`,
    ]);
    await expect(store.commit([])).rejects.toEqual(damaged);
    await store.close();
  });

  it('are found by the checksum of a record, even if the store has changed the record before', async () => {
    const { path, store } = await furnished(0);
    const { dueAt, ...row } = record(1);
    await store.commit([insert.record({ ...row, dueAt })]);
    await store.commit([{ kind: 'record.change', row: { ...row, dueAt, body: { b: 2 } }, was: row.body }]);
    expect((await store.record(row.family, SPACE, row.id))?.body).toEqual({ b: 2 });
    alter(path, `UPDATE record SET body = '{"b":3}'`);
    await expect(store.record(row.family, SPACE, row.id)).rejects.toEqual(damaged);
    await store.close();
  });

  it('are found by the check of the pages after the start', async () => {
    const { path, store } = await furnished(40);
    await store.close();
    // The page belongs to an index that no read of this test needs.
    const db = new BetterSqlite(path);
    const { page } = db
      .prepare<[], { page: number }>("SELECT rootpage AS page FROM sqlite_schema WHERE name = 'timeline_of_message'")
      .get() ?? { page: 0 };
    const size = Number(db.pragma('page_size', { simple: true }));
    db.close();
    writeSync(openSync(path, 'r+'), Buffer.alloc(64, 0xaa), 0, 64, (page - 1) * size);

    const again = await openStore(path);
    await until(() => (again.soundness?.damage.length ?? 0) > 0);
    await expect(again.commit([])).rejects.toEqual(damaged);
    await again.close();
  });
});

describe('a full disk', () => {
  it('makes the store reject a commit that does not fit, but not a smaller one', async () => {
    const path = newPath();
    const { db, key, options } = openDatabase(path);
    const pages = Number(db.pragma('page_count', { simple: true }));
    const store = new SqlStore(
      new SqliteDriver(db, { ...options, pragmas: [`max_page_count = ${pages + 8}`] }),
      key.vault,
    );
    await furnish(store);
    const large = { ...message(1), body: { text: 'x'.repeat(100_000) } };
    await expect(store.commit([insert.message(large)])).rejects.toEqual(
      new StoreUnavailable(expect.anything(), 'store-full'),
    );
    await store.commit([insert.message(message(2))]);
    expect(store.soundness.damage).toEqual([]);
    await store.close();
  });

  it('is also reported if a file reaches the size limit of the process, for which SQLite reports an error of the disk', () => {
    const path = newPath();
    const program = [process.execPath, bundled(new URL('./commit-until-full.ts', import.meta.url)), path];
    const { stdout } = spawnSync('sh', ['-c', 'ulimit -f 2000; exec "$@"', 'sh', ...program], { encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual({ code: 'store-full', damage: [] });
    expect(existsSync(`${path}-trial`)).toBe(false);
  });
});
