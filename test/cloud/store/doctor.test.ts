import { copyFileSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import { keyInFile } from '../../../src/cloud/store/secrets/key.js';
import { ghostfleet } from '../../support/host.js';
import { databaseFiles } from './database-files.js';
import { furnish, insert, message, record, SPACE } from './rows.js';

const { directory, newPath } = databaseFiles();

const MESSAGES = 60;

/** The database of a stopped service. It contains one record, and 60 messages with a kilobyte of text each. */
async function furnished(): Promise<string> {
  const path = newPath();
  const store = await openStore(path);
  await furnish(store);
  const body = { text: 'x'.repeat(1000) };
  const rows = Array.from({ length: MESSAGES }, (_, index) => insert.message(message(index + 1, { body })));
  await store.commit([...rows, insert.record(record(1))]);
  await store.close();
  return path;
}

const examine = async (...words: string[]) => {
  const { exit, out } = await ghostfleet(['doctor', ...words]);
  return { exit, out: out.replaceAll(directory(), '') };
};

describe('ghostfleet doctor', () => {
  it('says that a sound file is sound', async () => {
    const { exit, out } = await examine(await furnished());
    expect(out).toMatch(
      /pages {2}sound\nend {4}complete: commit \d+\nkey {4}[0-9a-f]{8}, in .*-key\nrows .* 60 message, .* 1 record, .*\nsound\n$/,
    );
    expect(exit).toBe(0);
  });

  it('lists the messages with altered bodies, and saves all other rows without changing the file', async () => {
    const path = await furnished();
    const db = new BetterSqlite(path);
    db.exec(`UPDATE message SET body = '{}' WHERE id = '${message(7).id}'`);
    db.close();
    const before = readFileSync(path);
    const found = await examine(path);
    expect(found.out).toContain(`lost   altered rows of message: ${message(7).id}\ndamaged\n`);
    expect(found.exit).toBe(2);

    const copy = newPath();
    expect(await examine(path, '--save', copy)).toMatchObject({
      exit: 0,
      out: expect.stringContaining(' 59 message,'),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
    const store = await openStore(copy, { secretsKey: keyInFile(`${path}-key`) });
    expect(await store.message(SPACE, message(7).id)).toBeUndefined();
    expect(await store.record('variable', SPACE, record(1).id)).toEqual(record(1));
    await store.commit([insert.message(message(MESSAGES + 1))]);
    expect(store.soundness?.damage).toEqual([]);
    await store.close();
  });

  it('says how many rows of a large table it has saved so far', async () => {
    const path = await furnished();
    const db = new BetterSqlite(path);
    const columns = db.prepare<[], { name: string }>("SELECT name FROM pragma_table_info('space')").all();
    const names = columns.map(({ name }) => name).join(', ');
    const values = columns.map(({ name }) => (name === 'id' ? `'x' || i` : name)).join(', ');
    const count = 'WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)';
    db.exec(`INSERT INTO space (${names}) ${count} SELECT ${values} FROM n, (SELECT * FROM space LIMIT 1)`);
    db.close();
    const { err, out } = await ghostfleet(['doctor', path, '--save', newPath()]);
    expect(out).toMatch(/saved to .* 20002 space/);
    expect(err).toBe('20000 space copied so far\n');
  });

  it('saves the rows around pages that cannot be read', async () => {
    const path = await furnished();
    const db = new BetterSqlite(path);
    const pageOf = db.prepare<[number], { page: number }>(
      "SELECT pageno AS page FROM dbstat WHERE name = 'message' AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET ?",
    );
    const pages = [3, 7].map((nth) => pageOf.get(nth)?.page ?? 0);
    db.close();
    const file = openSync(path, 'r+');
    for (const page of pages) writeSync(file, Buffer.alloc(64, 0xaa), 0, 64, (page - 1) * 4096);

    const copy = newPath();
    const { out } = await examine(path, '--save', copy);
    const [, unreadable] = /at most (\d+) of the rows of message/.exec(out) ?? [];
    const [, saved] = /saved to .* (\d+) message,/.exec(out) ?? [];
    expect(Number(unreadable)).toBeGreaterThanOrEqual(4);
    expect(Number(saved) + Number(unreadable)).toBe(MESSAGES);
    const store = await openStore(copy, { secretsKey: keyInFile(`${path}-key`) });
    expect(await store.messages(SPACE, { limit: 99 })).toHaveLength(Number(saved));
    await store.close();
  });

  it('says how many commits are missing at the end', async () => {
    const path = await furnished();
    const earlier = newPath();
    copyFileSync(path, earlier);
    const store = await openStore(path);
    await store.commit([insert.message(message(MESSAGES + 1))]);
    await store.close();
    copyFileSync(`${path}-tail`, `${earlier}-tail`);
    const { exit, out } = await examine(earlier);
    expect(out).toMatch(/end {4}the last 1 of \d+ commits are missing/);
    expect(exit).toBe(2);
  });

  it('rejects a missing database, and a target that exists', async () => {
    const path = await furnished();
    expect((await ghostfleet(['doctor', path, '--save', path])).err).toContain('exists already');
    const missing = join(directory(), 'missing.db');
    expect((await ghostfleet(['doctor', missing])).err).toBe(
      `ghostfleet: no such database: the file "${missing}" does not exist\nwithout a file, doctor checks this machine\n`,
    );
    expect((await ghostfleet(['doctor', directory()])).err).toContain('is a directory, not a database');
    writeFileSync(missing, '');
    expect((await ghostfleet(['doctor', missing])).err).toContain(`"${missing}" is missing or empty\nrestore it`);
    rmSync(path);
    expect((await ghostfleet(['doctor', path])).err).toMatch(/is missing or empty; .* says that it had \d+ commits/);
  });
});
