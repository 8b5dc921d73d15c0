import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeName } from '../../../src/cloud/open-store.js';
import { migratePostgres, POSTGRES_MIGRATIONS } from '../../../src/cloud/store/postgres/migrations.js';
import { ConflictError, type Store, StoreUnavailable } from '../../../src/cloud/store/store.js';
import { UsageError } from '../../../src/kernel/errors.js';
import { storeContract } from '../../contracts/store/index.js';
import { keepAliveTimers } from '../../support/keep-alive.js';
import {
  connected,
  newDatabase,
  newSeparateDatabase,
  openShared,
  query,
  reusedDatabase,
  sharedServer,
} from '../../support/postgres/databases.js';
import { type PostgresServer, startPostgres } from '../../support/postgres/server.js';
import { relayTo } from '../../support/relay.js';
import { until } from '../../support/until.js';
import { device, downlink, furnish, insert, message, SPACE, space } from './rows.js';

const server = await sharedServer();

const emptyDatabase = await reusedDatabase();

// One store for all tests of the contract, because each store opens several connections.
let contractStore: Store | undefined;
storeContract(
  'postgres',
  async () => {
    const url = await emptyDatabase();
    contractStore ??= await openShared(url);
    return contractStore;
  },
  () => {},
);
afterAll(() => contractStore?.close());

describe('the PostgreSQL store', () => {
  it('puts the commits of one turn into one transaction', async () => {
    const url = await emptyDatabase();
    const store = await openShared(url);
    await furnish(store);
    await Promise.all([1, 2, 3, 4, 5].map((n) => store.commit([insert.message(message(n))])));
    await store.commit([insert.message(message(6))]);
    const [row] = await query<{ count: string }>(url, 'SELECT count(DISTINCT xmin::text) FROM message');
    expect(row?.count).toBe('2');
    await store.close();
  });

  it.each([downlink(1), message(1)])(
    'waits for the deletion of a device by another service before it stores a message',
    async (row) => {
      const url = await emptyDatabase();
      const store = await openShared(url);
      await furnish(store);
      await connected(url, async (other) => {
        await other.query('BEGIN');
        await other.query("UPDATE device SET deleted_at = 1, token = ''");
        const late = expect(store.commit([insert.message(row)])).rejects.toEqual(new ConflictError('device'));
        await until(async () => {
          const blocked = 'SELECT pid FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))';
          return (await other.query(blocked)).rows.length > 0;
        });
        await other.query('COMMIT');
        await late;
      });
      await store.close();
    },
  );

  it('rejects all commits of a failed transaction, and continues', async () => {
    const url = await newDatabase();
    const store = await openShared(url);
    await furnish(store);
    await query(
      url,
      `CREATE FUNCTION boom() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END $$;
       CREATE TRIGGER boom BEFORE INSERT ON message FOR EACH ROW WHEN (NEW.type = 'boom') EXECUTE FUNCTION boom()`,
    );
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

  it('locks the devices of a batch in the order of their ids, so that two services do not wait for each other', async () => {
    const url = await emptyDatabase();
    const store = await openShared(url);
    await furnish(store, [device(1), device(2)]);
    await connected(url, async (other) => {
      const lock = (n: number) =>
        other.query('SELECT 1 FROM device WHERE id = $1 FOR NO KEY UPDATE NOWAIT', [device(n).id]);
      await other.query('BEGIN');
      await lock(1);
      const commits = [2, 1].map((n) => store.commit([insert.message(message(n, { deviceId: device(n).id }))]));
      await until(async () => {
        const blocked = 'SELECT pid FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))';
        return (await other.query(blocked)).rows.length > 0;
      });
      await lock(2);
      await other.query('COMMIT');
      await Promise.all(commits);
    });
    await store.close();
  });

  it.each(['rejected', 'not answered'])('uses no connection whose settings are %s', async (how) => {
    const url = await newDatabase();
    const wire = await relayTo(url);
    const store = await openShared(wire.url);
    const lock = '1734765433, hashtext(current_schema())';
    await connected(url, async (other) => {
      await other.query(`SELECT pg_advisory_lock(${lock})`);
      const early = expect(store.commit([insert.space(space())])).rejects.toMatchObject({ code: 'store-slow' });
      await until(async () => {
        const blocked = 'SELECT pid FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))';
        return (await other.query(blocked)).rows.length > 0;
      });
      if (how === 'not answered') wire.hang();
      await early;
      wire.recover();
      await other.query(`SELECT pg_advisory_unlock(${lock})`);
      await store.commit([insert.space(space())]);
      const users = await other.query<{ name: string }>(
        `SELECT application_name AS name FROM pg_stat_activity JOIN pg_locks USING (pid)
         WHERE classid = 1734765433 AND objid = (hashtext(current_schema())::bigint & 4294967295)::oid`,
      );
      expect(users.rows).toEqual([{ name: expect.stringMatching(/^ghostfleet-\d+$/) }]);
    });
    await store.close();
    await wire.close();
  });

  it('waits for the disk even if the database is configured not to wait', async () => {
    const url = await newDatabase();
    const store = await openShared(url);
    await furnish(store);
    await query(
      url,
      `CREATE TABLE seen (setting text);
       CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN INSERT INTO seen SELECT current_setting('synchronous_commit'); RETURN NEW; END $$;
       CREATE TRIGGER look BEFORE INSERT ON message FOR EACH ROW EXECUTE FUNCTION look()`,
    );
    await store.commit([insert.message(message(1))]);
    expect(await query(url, 'SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'off' }]);
    expect(await query(url, 'SELECT setting FROM seen')).toEqual([{ setting: 'on' }]);
    await store.close();
  });

  it.runIf(process.platform === 'linux')('asks a silent server every 30 s whether it is still there', async () => {
    const store = await openShared(await emptyDatabase());
    await furnish(store);
    const timers = keepAliveTimers(Number(new URL(server).port), 'other');
    expect(timers.length).toBeGreaterThan(0);
    expect(Math.max(...timers)).toBeLessThanOrEqual(30);
    await store.close();
  });

  it('writes waiting commits when it is closed, and rejects later ones', async () => {
    const url = await emptyDatabase();
    const store = await openShared(url);
    await furnish(store);
    const last = store.commit([insert.message(message(1))]);
    await store.close();
    await last;
    await expect(store.commit([insert.message(message(2))])).rejects.toThrow('the store is closed');
    expect(await query(url, 'SELECT id FROM message')).toEqual([{ id: message(1).id }]);
  });
});

describe('a PostgreSQL server that goes down', () => {
  let own: PostgresServer;
  beforeAll(async () => {
    own = await startPostgres({ durable: true });
  });
  afterAll(() => own.stop());

  it('still has every message of a resolved commit, and the store continues when the server is back', async () => {
    const store = await openShared(own.url);
    await furnish(store);
    const safe: string[] = [];
    const failures: unknown[] = [];
    const write = (n: number) =>
      store.commit([insert.message(message(n))]).then(
        () => safe.push(message(n).id),
        (error) => failures.push(error),
      );
    const crash = until(() => safe.length > 100).then(() => own.crash());
    let n = 0;
    for (; failures.length === 0; n++) {
      void write(n);
      if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await crash;
    expect(safe.length).toBeGreaterThan(100);
    expect(failures.every((failure) => failure instanceof StoreUnavailable)).toBe(true);
    await until(() =>
      store.commit([insert.message(message(1e6))]).then(
        () => true,
        () => false,
      ),
    );
    const found = new Set((await store.messages(SPACE, { limit: 1e6 })).map((row) => row.id));
    expect(safe.filter((id) => !found.has(id))).toEqual([]);
    await store.close();
  });
});

describe('opening a PostgreSQL database that cannot be used', () => {
  const refusal = async (url: string): Promise<string> => {
    const error: unknown = await openShared(url).then(
      (store) => store.close(),
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(UsageError);
    const { code, message: sentence, hint = '' } = error as UsageError;
    expect(code).toBe('bad-database');
    expect(`${sentence} ${hint}`).not.toMatch(/secret|\n/);
    return sentence.replace(/:\d+\//, ':PORT/');
  };
  const changed = (change: (url: URL) => void): string => {
    const url = new URL(server);
    change(url);
    return url.href;
  };

  it('fails with the reason, without the password', async () => {
    const unused = changed((url) => {
      url.port = '1';
    });
    expect(await refusal(unused)).toBe(
      '"postgres://tester@127.0.0.1:PORT/postgres" cannot be reached: connection refused',
    );
    const wrong = changed((url) => {
      url.password = 'another secret';
    });
    expect(await refusal(wrong)).toBe('"postgres://tester@127.0.0.1:PORT/postgres" rejects the password');
    const missing = changed((url) => {
      url.pathname = '/missing';
    });
    expect(await refusal(missing)).toBe(
      '"postgres://tester@127.0.0.1:PORT/missing" does not exist: create the database',
    );
    const unknown = changed((url) => {
      url.hostname = 'host.invalid';
    });
    expect(await refusal(unknown)).toMatch(/cannot be reached: unknown host$/);
    expect(await refusal('postgres://user:secret@host:port/x')).toBe(
      'the address of the PostgreSQL database cannot be read',
    );
    expect(await refusal(`${server}?sslmode=verify-full`)).toMatch(/does not support encrypted connections$/);
    expect(await refusal(`${server}?sslrootcert=/nowhere.pem`)).toMatch(
      /the file "\/nowhere.pem" of its address cannot be read \(ENOENT\)$/,
    );
    expect(await refusal(`${server}?sslmode=sometimes`)).toBe(
      '"sslmode=sometimes" in the address is not known; use one of disable, no-verify, verify-full',
    );
    expect(await refusal(`${server}?options=${encodeURIComponent('-c search_path=nowhere')}`)).toMatch(
      /has no schema to create tables in$/,
    );
  });

  it('names the tables that belong to another user, and what to do', async () => {
    const url = await newSeparateDatabase();
    await (await openShared(url)).close();
    const { pathname } = new URL(url);
    await query(url, `CREATE ROLE restored LOGIN PASSWORD 'r'; GRANT CREATE, USAGE ON SCHEMA public TO restored`);
    const other = changed((address) => {
      Object.assign(address, { pathname, username: 'restored', password: 'r' });
    });
    const failure = () => openShared(other).catch((error: unknown) => error);
    expect(await failure()).toMatchObject({
      message: expect.stringMatching(/contains tables of another user: permission denied for table \w+$/),
      hint: expect.stringContaining('REASSIGN OWNED'),
    });
    await query(url, 'GRANT ALL ON ALL TABLES IN SCHEMA public TO restored');
    expect(await failure()).toMatchObject({ message: expect.stringMatching(/permission denied for sequence \w+$/) });
  });

  it('does not change the tables of another program', async () => {
    const url = await newDatabase();
    await query(url, 'CREATE TABLE device (recipe text)');
    expect(await refusal(url)).toMatch(/is used by another program: relation "device" already exists$/);
    expect(await query(url, "SELECT to_regclass('space') AS space")).toEqual([{ space: null }]);
  });

  it('rejects a database that a newer version wrote', async () => {
    const url = await newDatabase();
    await connected(url, (client) => migratePostgres(client, 'x', [...POSTGRES_MIGRATIONS, 'CREATE TABLE later ()']));
    const known = POSTGRES_MIGRATIONS.length;
    expect(await refusal(url)).toContain(`newer version: its schema is ${known + 1}, this version knows ${known}`);
  });

  it('rejects a database whose encoding lacks characters', async () => {
    await query(server, "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    const latin = changed((url) => {
      url.pathname = '/latin';
    });
    expect(await refusal(latin)).toMatch(/has the encoding LATIN1; it must be UTF8$/);
  });

  it('is reported with the name of the database, which does not contain the password', () => {
    expect(storeName('postgresql://me:secret@db/fleet?sslpassword=secret')).toBe('postgresql://me@db/fleet');
    expect(storeName('fleet.db')).toBe('fleet.db');
  });
});
