/** The key of the secrets in a PostgreSQL database, and the migrations of its tables. */
import { describe, expect, it } from 'vitest';
import { openStore, rotateKey } from '../../../src/cloud/open-store.js';
import { migratePostgres, POSTGRES_MIGRATIONS } from '../../../src/cloud/store/postgres/migrations.js';
import { keyFrom } from '../../../src/cloud/store/secrets/key.js';
import { ConflictError } from '../../../src/cloud/store/store.js';
import { connected, newDatabase, openShared, query, TEST_KEY } from '../../support/postgres/databases.js';
import { harvest, plant, SECRETS } from './planted.js';
import { device, downlink, insert, message, SPACE } from './rows.js';

describe('the key of a PostgreSQL database', () => {
  const dump = async (url: string) => {
    const tables = ['device', 'message', 'record', 'vault'];
    const rows = await Promise.all(tables.map((table) => query(url, `SELECT * FROM ${table}`)));
    return JSON.stringify(rows);
  };

  it('encrypts the secrets of the database, and every further service needs the same key', async () => {
    const url = await newDatabase();
    await expect(openStore(url)).rejects.toMatchObject({ code: 'no-secrets-key' });
    const store = await openShared(url);
    await plant(store);
    const other = await openShared(url);
    expect(await harvest(other)).toEqual(await harvest(store));
    await Promise.all([store.close(), other.close()]);
    const text = await dump(url);
    expect(Object.values(SECRETS).filter((secret) => text.includes(secret))).toEqual([]);
    const wrong = keyFrom('0'.repeat(64), 'the file "x"');
    await expect(openStore(url, { secretsKey: wrong })).rejects.toMatchObject({ code: 'wrong-secrets-key' });
    expect(await dump(url)).toBe(text);
    const version = POSTGRES_MIGRATIONS.length - 1;
    await query(url, `UPDATE ghostfleet_schema SET version = ${version}`);
    await expect(openStore(url, { secretsKey: wrong })).rejects.toMatchObject({ code: 'wrong-secrets-key' });
    expect(await query(url, 'SELECT version FROM ghostfleet_schema')).toEqual([{ version }]);
  });

  it('is needed in the table "vault": values that are encrypted already stay as they are without it', async () => {
    const url = await newDatabase();
    const store = await openShared(url);
    await plant(store);
    await store.close();
    await query(url, 'DELETE FROM vault');
    const before = await dump(url);
    await expect(openShared(url)).rejects.toMatchObject({ code: 'bad-database' });
    expect(await dump(url)).toBe(before);
  });

  it('of an empty database is not replaced: this is an error, and creates no tables', async () => {
    const url = await newDatabase();
    const next = keyFrom('6'.repeat(64), 'the next key');
    await expect(rotateKey(url, { key: TEST_KEY, next })).rejects.toMatchObject({ code: 'bad-database' });
    expect(await query(url, 'SELECT tablename FROM pg_tables WHERE schemaname = current_schema()')).toEqual([]);
  });

  it('can be replaced only while no service uses the database', async () => {
    const url = await newDatabase();
    const store = await openShared(url);
    await plant(store);
    const before = await harvest(store);
    const next = keyFrom('7'.repeat(64), 'the file "y"');
    await expect(rotateKey(url, { key: TEST_KEY, next })).rejects.toMatchObject({ code: 'database-in-use' });
    await store.close();
    expect(await rotateKey(url, { key: TEST_KEY, next })).toMatchObject({ rows: 7, file: undefined });
    await expect(openShared(url)).rejects.toMatchObject({ code: 'wrong-secrets-key' });
    const again = await openStore(url, { secretsKey: next });
    expect(await harvest(again)).toEqual(before);
    await again.close();
  });
});

describe('PostgreSQL migrations', () => {
  it.each(POSTGRES_MIGRATIONS.map((_, n) => n + 1))('update a database of version %i', async (version) => {
    const url = await newDatabase();
    await connected(url, (client) => migratePostgres(client, 'x', POSTGRES_MIGRATIONS.slice(0, version)));
    await query(
      url,
      `INSERT INTO space VALUES ('${SPACE}', 'lab', 'team', 1);
       INSERT INTO device (id, space_id, name, name_folded, serial, token, label, created_at)
       VALUES ('${device(1).id}', '${SPACE}', 'Old', 'old', 4, 't', '{}', 1);
       INSERT INTO message (id, space_id, device_id, created_at, type, direction, body, down_state, down_attempt)
       VALUES ('${message(1).id}', '${SPACE}', '${device(1).id}', 1, 'shell', 'down', '["x"]', 'pending', 0)`,
    );
    const store = await openShared(url);
    expect((await store.deviceBySerial(4))?.name).toBe('Old');
    expect(await store.pendingDownlinks(device(1).id)).toMatchObject([{ body: ['x'] }]);
    await store.commit([insert.message(downlink(2))]);
    expect(await store.countPending()).toBe(2);
    await store.close();
  });

  it('fold the names of devices for the name filter', async () => {
    const url = await newDatabase();
    await connected(url, (client) => migratePostgres(client, 'x', POSTGRES_MIGRATIONS.slice(0, 9)));
    await query(
      url,
      `INSERT INTO space VALUES ('${SPACE}', 'lab', 'team', 1);
       INSERT INTO device (id, space_id, name, name_folded, serial, token, label, created_at)
       VALUES ('${device(1).id}', '${SPACE}', 'ΟΔΟΣ', 'οδος', 4, 't', '{}', 1)`,
    );
    const store = await openShared(url);
    expect(await store.countDevices(SPACE, { name: 'ΟΔΟΣ' })).toBe(1);
    await store.close();
  });

  it('keep devices that share a claim token, which no further device gets', async () => {
    const url = await newDatabase();
    await connected(url, (client) => migratePostgres(client, 'x', POSTGRES_MIGRATIONS.slice(0, 3)));
    const old = (n: number) => `INSERT INTO device (id, space_id, name, name_folded, serial, token, label, created_at)
      VALUES ('${device(n).id}', '${SPACE}', '', '', ${n}, '${device(1).token}', '{}', 1);`;
    await query(url, `INSERT INTO space VALUES ('${SPACE}', 'lab', 'team', 1); ${old(1)} ${old(2)}`);
    const store = await openShared(url);
    const taken = new ConflictError('token');
    await expect(store.commit([insert.device(device(3, { token: device(1).token }))])).rejects.toEqual(taken);
    const change = (n: number) =>
      store.commit([{ kind: 'device.change', id: device(n).id, change: { token: 'e'.repeat(32) } }]);
    await change(2);
    await expect(change(1)).rejects.toEqual(taken);
    expect((await store.deviceBySerial(1))?.token).toBe(device(1).token);
    await store.close();
  });

  it('keep a shared claim token reserved for its second owner if the first one is deleted', async () => {
    const url = await newDatabase();
    await connected(url, (client) => migratePostgres(client, 'x', POSTGRES_MIGRATIONS.slice(0, 3)));
    const { token } = device(1);
    const old = (n: number) => `INSERT INTO device (id, space_id, name, name_folded, serial, token, label, created_at)
      VALUES ('${device(n).id}', '${SPACE}', '', '', ${n}, '${token}', '{}', 1);`;
    await query(url, `INSERT INTO space VALUES ('${SPACE}', 'lab', 'team', 1); ${old(1)} ${old(2)}`);
    const store = await openShared(url);
    await store.commit([{ kind: 'device.delete', id: device(1).id, at: 1 }]);
    const again = () => store.commit([insert.device(device(3, { token }))]);
    await expect(again()).rejects.toEqual(new ConflictError('token'));
    await store.commit([{ kind: 'device.delete', id: device(2).id, at: 1 }]);
    await again();
    await store.close();
  });

  it('run once if several services start concurrently', async () => {
    const url = await newDatabase();
    const stores = await Promise.all(Array.from({ length: 6 }, () => openShared(url)));
    expect(await query(url, 'SELECT version FROM ghostfleet_schema')).toEqual([
      { version: POSTGRES_MIGRATIONS.length },
    ]);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('change nothing if a step fails', async () => {
    const url = await newDatabase();
    await connected(url, async (client) => {
      await expect(migratePostgres(client, 'x', [...POSTGRES_MIGRATIONS, 'no SQL'])).rejects.toThrow('syntax error');
    });
    expect(await query(url, 'SELECT 1 FROM pg_class WHERE relnamespace = current_schema()::regnamespace')).toEqual([]);
  });
});
