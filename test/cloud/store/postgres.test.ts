import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeName } from '../../../src/cloud/open-store.js';
import { POSTGRES } from '../../../src/cloud/store/postgres/driver.js';
import { migratePostgres, POSTGRES_MIGRATIONS } from '../../../src/cloud/store/postgres/migrations.js';
import type { Statement } from '../../../src/cloud/store/sql/dialect.js';
import { messageList } from '../../../src/cloud/store/sql/queries.js';
import { type Store, StoreUnavailable } from '../../../src/cloud/store/store.js';
import { UsageError } from '../../../src/kernel/errors.js';
import { storeContract } from '../../contracts/store/index.js';
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
import { until } from '../../support/until.js';
import { device, furnish, idAt, insert, key, message, SPACE, space, T0 } from './rows.js';

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

  it('rejects either the deletion of a space or an insertion into it by another service at the same time', async () => {
    const url = await emptyDatabase();
    const [a, b] = [await openShared(url), await openShared(url)];
    const outcomes = new Set<string>();
    for (let n = 0; n < 30; n++) {
      const spaceId = idAt(T0, 100_000 + n);
      await a.commit([insert.space(space({ id: spaceId }))]);
      const [inserted, deleted] = await Promise.allSettled([
        a.commit([insert.device(device(n, { spaceId })), insert.key(key(n, { spaceId }))]),
        b.commit([{ kind: 'space.delete', id: spaceId, families: [] }]),
      ]);
      const isGone = (await a.space(spaceId))?.type === 'deleted';
      const left = [await a.countDevices(spaceId, {}), await a.keyByHash(`hash-${n}`)].filter(Boolean).length;
      expect([isGone, left]).toEqual(deleted.status === 'fulfilled' ? [true, 0] : [false, 2]);
      expect(inserted.status).not.toBe(deleted.status);
      for (const fate of [inserted, deleted]) if (fate.status === 'rejected') outcomes.add(fate.reason.field);
    }
    for (const field of outcomes) expect(['space', 'space-devices']).toContain(field);
    await Promise.all([a.close(), b.close()]);
  });

  it('writes many concurrent commits in the order of the calls, and settles each by its own result', async () => {
    const store = await openShared(await emptyDatabase());
    await furnish(store);
    // More than fit into one transaction. Every hundredth message has the id of the one before it, so its commit is rejected.
    const results = await Promise.allSettled(
      Array.from({ length: 1200 }, (_, n) =>
        store.commit([insert.message(message(n % 100 === 99 ? n - 1 : n, { body: { turn: n } }))]),
      ),
    );
    const rejected = results.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []));
    expect(rejected).toEqual(Array.from({ length: 12 }, (_, n) => n * 100 + 99));
    expect(await store.messages(SPACE, { limit: 2000 })).toHaveLength(1188);
    await store.close();
  });

  it('sends few statements for a batch in which most commits conflict', async () => {
    const url = await newDatabase();
    const store = await openShared(url);
    await furnish(store);
    await query(
      url,
      `CREATE SEQUENCE attempts;
       CREATE FUNCTION count_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN PERFORM nextval('attempts'); RETURN NEW; END $$;
       CREATE TRIGGER attempt BEFORE INSERT ON message FOR EACH ROW EXECUTE FUNCTION count_attempt()`,
    );
    const results = await Promise.allSettled(
      Array.from({ length: 300 }, (_, n) => store.commit([insert.message(message(n % 100))])),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
    // A transaction for each conflict would be 20,000.
    expect(Number((await query<{ count: string }>(url, "SELECT nextval('attempts') AS count"))[0]?.count)).toBeLessThan(
      1000,
    );
    await store.close();
  });

  it('sets what it needs, also if the database has stricter isolation, a short limit of locks and fewer digits', async () => {
    const url = await newSeparateDatabase();
    const name = new URL(url).pathname.slice(1);
    for (const setting of [
      'default_transaction_isolation = serializable',
      'lock_timeout = 1',
      'extra_float_digits = -15',
    ]) {
      await query(url, `ALTER DATABASE "${name}" SET ${setting}`);
    }
    const [a, b] = [await openShared(url), await openShared(url)];
    await furnish(a, [device(1)]);
    const rename = (n: number) => ({ kind: 'device.change', id: device(1).id, change: { name: `new ${n}` } }) as const;
    const commits = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? a : b).commit([rename(n)]));
    expect((await Promise.allSettled(commits)).filter(({ status }) => status === 'rejected')).toEqual([]);
    await Promise.all([a.close(), b.close()]);
  });

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

  it('retries after a deadlock with another service', async () => {
    const url = await emptyDatabase();
    const store = await openShared(url);
    await furnish(store, [device(1), device(2), device(3)]);
    await connected(url, (gate) =>
      connected(url, async (rival) => {
        // The session of the store looks for a deadlock after it has waited for 50 ms, the rival only after an hour. The store
        // begins to wait last, so it is the session that finds the deadlock.
        await rival.query("SET deadlock_timeout = '1h'");
        await gate.query('BEGIN');
        await touch(gate, 3);
        await rival.query('BEGIN');
        await touch(rival, 2);
        const commit = store.commit(
          [1, 3, 2].map((n) => ({ kind: 'device.change', id: device(n).id, change: { name: `new ${n}` } }) as const),
        );
        const storePid = await sessionThatWaitsFor(url, await pidOf(gate));
        const touched = touch(rival, 1);
        await sessionThatWaitsFor(url, storePid);
        await gate.query('COMMIT');
        await touched;
        await rival.query('COMMIT');
        await commit;
      }),
    );
    const rows = await Promise.all([1, 2, 3].map((n) => store.device(SPACE, device(n).id)));
    expect(rows.map((row) => [row?.name, row?.lastSeen])).toEqual([
      ['new 1', 1],
      ['new 2', 1],
      ['new 3', 1],
    ]);
    await store.close();
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

  it('finds the latest messages of a silent device without reading those of others', async () => {
    const url = await newDatabase();
    const store = await openShared(url);
    await furnish(store, [device(1), device(2)]);
    // Device 1 has a third of all messages, but none of the later ones.
    await query(
      url,
      `INSERT INTO message (id, space_id, device_id, created_at, type, direction, body, down_attempt)
       SELECT lpad(to_hex(n), 12, '0'), '${SPACE}', CASE WHEN n < 10000 THEN '${device(1).id}' ELSE '${device(2).id}' END,
       n, 'data', 'up', '{}', 0 FROM generate_series(1, 30000) n; ANALYZE message`,
    );
    const list = { limit: 20, deviceId: device(1).id };
    const between = { ...list, createdAfter: 1, createdBefore: 1e12 };
    for (const asked of [list, { ...list, types: ['data'] }, { ...list, types: ['data', 'stats'] }, between]) {
      const plan = await planOf(url, messageList(POSTGRES, SPACE, asked));
      expect(plan).toContain('message_of_device');
      expect(plan).not.toMatch(/Seq Scan on message|Sort/);
    }
    const ofSpace = await planOf(url, messageList(POSTGRES, SPACE, { limit: 20 }));
    expect(ofSpace).toContain('message_of_space');
    expect(ofSpace).not.toMatch(/Seq Scan on message|Sort/);
    await store.close();
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

  it.each(['12#34', 'pa#ss', '12?34', 'pa/ss', '12/34', '1@2/3', '100%', '#12', 'a?b=c'])(
    'with the password %s, which is not encoded, is refused without a part of it, and with what to write',
    async (password) => {
      const failure = await openShared(`postgres://me:${password}@127.0.0.1:1/x`).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: 'bad-database',
        message: 'the address of the PostgreSQL database cannot be read',
        hint: expect.stringContaining('write %23 for "#", %2F for "/", %3F for "?"'),
      });
    },
  );

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

/** The two plans that the database may use for a prepared query: the plan for its values, and the generic plan. */
async function planOf(url: string, { text, values }: Statement): Promise<string> {
  let count = 0;
  const numbered = text.replace(/\?/g, () => `$${++count}`);
  const literals = values.map((value) =>
    Array.isArray(value) ? `'{${value.join(',')}}'` : typeof value === 'number' ? String(value) : `'${value}'`,
  );
  return connected(url, async (client) => {
    const plans: string[] = [];
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await client.query(`SET plan_cache_mode = ${mode}; PREPARE ${mode} AS ${numbered}`);
      const { rows } = await client.query<Record<string, string>>(`EXPLAIN EXECUTE ${mode} (${literals.join(', ')})`);
      plans.push(...rows.map((row) => row['QUERY PLAN'] ?? ''));
    }
    return plans.join('\n');
  });
}

function touch(client: Client, n: number): Promise<unknown> {
  return client.query('UPDATE device SET last_seen = 1 WHERE id = $1', [device(n).id]);
}

async function pidOf(client: Client): Promise<number> {
  return (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;
}

/** Process id of the session that waits for a lock of session `pid`, as soon as one waits. */
async function sessionThatWaitsFor(url: string, pid: number): Promise<number> {
  let waiting: readonly { pid: number }[] = [];
  await until(async () => {
    waiting = await query(url, `SELECT pid FROM pg_stat_activity WHERE ${pid} = ANY(pg_blocking_pids(pid))`);
    return waiting.length > 0;
  });
  return waiting[0]?.pid ?? 0;
}
