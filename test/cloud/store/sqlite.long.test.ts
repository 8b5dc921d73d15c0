/** SQLite files of every earlier version, and of versions with a damaged header. */
import { readFileSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import { MIGRATIONS, migrate } from '../../../src/cloud/store/sqlite/migrations.js';
import { ConflictError } from '../../../src/cloud/store/store.js';
import type { UsageError } from '../../../src/kernel/errors.js';
import { databaseFiles } from './database-files.js';
import { device, insert, SPACE } from './rows.js';
import { updateFile } from './update-file.js';

const { newPath } = databaseFiles();

describe('opening a database that cannot be used', () => {
  it.each([
    ['the present version', MIGRATIONS.length, 0],
    ['an earlier version', 4, 0],
    ['a version with another user_version', 9, 3],
  ])('names the remedy for a database without its application_id, of %s', async (_, version, kept) => {
    const path = newPath();
    const db = new BetterSqlite(path);
    migrate(db, path, MIGRATIONS.slice(0, version));
    db.pragma('application_id = 0');
    db.pragma(`user_version = ${kept}`);
    db.close();
    const before = readFileSync(path);
    const error = await openStore(path).then(
      () => undefined,
      (reason: UsageError) => reason,
    );
    expect(error?.message).toContain('is a database of ghostfleet without its application_id');
    expect(readFileSync(path).equals(before)).toBe(true);
    const [, remedy = ''] = /^to set them again, run sqlite3 \S+ '(.*)'$/.exec(error?.hint ?? '') ?? [];
    const mended = new BetterSqlite(path);
    mended.exec(remedy);
    mended.close();
    await (await openStore(path)).close();
  });
});

describe('migrations', () => {
  it.each(MIGRATIONS.map((_, n) => n + 1))('update a file of version %i', (version) => updateFile(newPath(), version));

  it.each(['is deleted', 'gets a new token'])(
    'keep a shared claim token from others if its first owner %s',
    async (fate) => {
      const path = newPath();
      const db = new BetterSqlite(path);
      migrate(db, path, MIGRATIONS.slice(0, 5));
      db.exec(`INSERT INTO space (id, name, type, created_at) VALUES ('${SPACE}', 'lab', 'team', 1)`);
      const { token } = device(1);
      const old = db.prepare(
        "INSERT INTO device (id, space_id, name, name_folded, serial, token, label, created_at) VALUES (?, ?, '', '', ?, ?, '{}', 1)",
      );
      for (const n of [1, 2]) old.run(device(n).id, SPACE, n, token);
      db.close();
      const store = await openStore(path);
      const { id } = device(1);
      await store.commit([
        fate === 'is deleted'
          ? { kind: 'device.delete', id, at: 1 }
          : { kind: 'device.change', id, change: { token: 'e'.repeat(32) } },
      ]);
      const again = () => store.commit([insert.device(device(3, { token }))]);
      await expect(again()).rejects.toEqual(new ConflictError('token'));
      await store.commit([{ kind: 'device.delete', id: device(2).id, at: 1 }]);
      await again();
      await store.close();
    },
  );
});
