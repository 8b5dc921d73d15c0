import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import { keyInFile } from '../../../src/cloud/store/secrets/key.js';
import { backupDatabase } from '../../../src/cloud/store/sqlite/backup.js';
import { MIGRATIONS, migrate } from '../../../src/cloud/store/sqlite/migrations.js';
import { ghostfleet } from '../../support/host.js';
import { databaseFiles } from './database-files.js';
import { insert, message, SPACE } from './rows.js';

const { directory, newPath, furnished } = databaseFiles();

/** @param original the database that was copied to `path`; the copy has the same key */
const countOf = async (path: string, original = path): Promise<number> => {
  const store = await openStore(path, { secretsKey: keyInFile(`${original}-key`) });
  const rows = await store.messages(SPACE, { limit: 10_000 });
  await store.close();
  return rows.length;
};

describe('a backup', () => {
  it('that is ended leaves nothing behind', async () => {
    const { path, store } = await furnished(200);
    await store.close();
    const target = newPath();
    const ended = new AbortController();
    const copying = backupDatabase(path, target, ended.signal);
    ended.abort(new Error('enough'));
    await expect(copying).rejects.toThrow('enough');
    expect(readdirSync(dirname(target)).filter((name) => name.startsWith(basename(target)))).toEqual([]);
  });

  it('contains everything that was committed before it began, while the service continues to write', async () => {
    const { path, store } = await furnished(200);
    const target = newPath();
    let written = 200;
    let done = false;
    const writing = (async () => {
      while (!done) await store.commit([insert.message(message(++written))]);
    })();
    expect((await backupDatabase(path, target)).bytes).toBeGreaterThan(10_000);
    done = true;
    await writing;
    await store.close();
    const copied = await countOf(target, path);
    expect(copied).toBeGreaterThanOrEqual(200);
    expect(copied).toBeLessThanOrEqual(written);
    expect(await countOf(path)).toBe(written);
  });

  it('can be made of the database of a stopped service, and leaves no unfinished file', async () => {
    const { path, store } = await furnished(3);
    await store.close();
    const target = newPath();
    const { exit, out } = await ghostfleet(['backup', path, target]);
    expect([exit, out]).toEqual([
      0,
      expect.stringMatching(/: \d+ bytes, copied and verified\n.* has the key of .*--secrets-key-file.*\n$/),
    ]);
    expect(readdirSync(directory()).filter((file) => file.includes('unfinished'))).toEqual([]);
    expect(await countOf(target, path)).toBe(3);
  });

  it('is readable only by its owner, as is its database, even if others could read the database before', async () => {
    const { path, store } = await furnished(1);
    await store.close();
    chmodSync(path, 0o644);
    const again = await openStore(path);
    await again.commit([insert.message(message(2))]);
    const target = newPath();
    await backupDatabase(path, target);
    const modes = [path, `${path}-wal`, `${path}-shm`, `${path}-key`, `${path}-owner`, target].map(
      (file) => statSync(file).mode & 0o777,
    );
    await again.close();
    expect(modes).toEqual([0o600, 0o600, 0o600, 0o600, 0o600, 0o600]);
  });

  it('of a database of an earlier version has its secrets in clear, which the command reports; opening the backup encrypts them', async () => {
    const path = newPath();
    const db = new BetterSqlite(path);
    migrate(db, path, MIGRATIONS.slice(0, 8));
    db.exec(`INSERT INTO space VALUES ('${SPACE}', 'lab', 'team', 1);
      INSERT INTO record (family, id, space_id, created_at, body) VALUES ('variable', 'v', '${SPACE}', 1, '"SESAME"')`);
    db.close();
    const target = newPath();
    const { exit, out } = await ghostfleet(['backup', path, target]);
    expect([exit, out]).toEqual([0, expect.stringContaining(`${target} has its secrets in clear`)]);
    expect(readFileSync(target, 'latin1')).toContain('SESAME');
    const store = await openStore(target);
    expect(await store.record('variable', SPACE, 'v')).toMatchObject({ body: 'SESAME' });
    await store.close();
    expect(readFileSync(target, 'latin1')).not.toContain('SESAME');
  });

  it.each([
    ['in its schema', (bytes: Buffer) => bytes.toString('latin1').replaceAll('CREATE TABLE ', 'CREATE TABLE \u0001')],
    ['in its pages', (bytes: Buffer) => Buffer.from(bytes).fill(0, 8192, 40_960).toString('latin1')],
    ['at its end', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2).toString('latin1')],
  ])('of a database that is damaged %s is refused as such', async (_, damage) => {
    const { path, store } = await furnished(200);
    await store.close();
    writeFileSync(path, damage(readFileSync(path)), 'latin1');
    const target = newPath();
    await expect(backupDatabase(path, target)).rejects.toMatchObject({ name: 'UsageError', code: 'bad-database' });
    expect(existsSync(target)).toBe(false);
  });

  it('never overwrites a file', async () => {
    const { path, store } = await furnished(1);
    await expect(backupDatabase(path, path)).rejects.toThrow('exists already');
    await store.close();
    expect(await countOf(path)).toBe(1);
  });

  it('reports a source that it cannot copy and a target that it cannot write', async () => {
    const { path, store } = await furnished(0);
    await store.close();
    const text = newPath();
    writeFileSync(text, 'no database '.repeat(100));
    const missing = join(directory(), 'missing', 'x.db');
    const target = newPath();
    await expect(backupDatabase(newPath(), target)).rejects.toThrow('does not exist');
    await expect(backupDatabase(text, target)).rejects.toThrow('is not a database');
    await expect(backupDatabase(path, missing)).rejects.toThrow(/cannot write .*missing/);
    expect((await ghostfleet(['backup', 'postgres://user:pw@host/db', target])).err).toContain('pg_dump');
    expect(existsSync(target)).toBe(false);
  });
});
