/** The PostgreSQL store with many concurrent commits and many messages, and addresses that are not encoded. */
import pg, { type Client } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { POSTGRES } from '../../../src/cloud/store/postgres/driver.js';
import type { Statement } from '../../../src/cloud/store/sql/dialect.js';
import { messageList } from '../../../src/cloud/store/sql/queries.js';
import { type Change, StoreUnavailable } from '../../../src/cloud/store/store.js';
import {
  connected,
  newDatabase,
  newSeparateDatabase,
  openShared,
  query,
  reusedDatabase,
} from '../../support/postgres/databases.js';
import { until } from '../../support/until.js';
import { device, furnish, idAt, insert, key, message, SPACE, space, T0, tag } from './rows.js';

const emptyDatabase = await reusedDatabase();

describe('the PostgreSQL store', () => {
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

  it('writes again soon after another service has stopped within a transaction', async () => {
    const url = await emptyDatabase();
    const [hung, other] = [await openShared(url), await openShared(url)];
    await furnish(other);
    const change = { kind: 'space.change', id: SPACE, change: { name: 'new' } } as const;
    const held = holdBefore('COMMIT');
    const lost = hung.commit([change]);
    await held.begun;
    const written = () =>
      other.commit([change]).then(
        () => true,
        () => false,
      );
    await until(written);
    held.fail();
    await expect(lost).rejects.toThrow('gone');
    await Promise.all([hung.close(), other.close()]);
  });

  it('stores an uplink once if two services receive it at the same time', async () => {
    const url = await emptyDatabase();
    const [a, b] = [await openShared(url), await openShared(url)];
    await furnish(a);
    const insertion = (n: number) =>
      ({ kind: 'message.insert', row: message(n, { fingerprint: 'same' }), newSince: T0 }) as const;
    const held = holdBefore('COMMIT');
    const first = a.commit([insertion(1)]);
    await held.begun;
    const second = b.commit([insertion(2)]).catch((error: unknown) => error);
    const isWaiting = async () => (await query(url, 'SELECT 1 FROM pg_locks WHERE NOT granted')).length > 0;
    await Promise.race([second, until(isWaiting)]);
    held.goOn();
    await first;
    expect(await second).toMatchObject({ field: 'fingerprint' });
    expect(await query(url, 'SELECT id FROM message')).toEqual([{ id: message(1).id }]);
    await Promise.all([a.close(), b.close()]);
  });

  it('writes the other commits of a transaction if one of them takes too long', async () => {
    const url = await emptyDatabase();
    const store = await openShared(url);
    await furnish(store, [device(1)]);
    await connected(url, async (rival) => {
      await rival.query('BEGIN');
      await touch(rival, 1);
      const rename = { kind: 'device.change', id: device(1).id, change: { name: 'new' } } as const;
      const results = await Promise.allSettled([
        store.commit([insert.tag(tag(1))]),
        store.commit([rename]),
        store.commit([insert.tag(tag(2))]),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(results[1]).toMatchObject({ reason: { code: 'store-slow' } });
      await rival.query('ROLLBACK');
    });
    expect(await store.tags(SPACE, { limit: 10 })).toHaveLength(2);
    await store.close();
  });

  it('gets its turn after another service has stopped within its own', async () => {
    const url = await emptyDatabase();
    const [hung, other] = [await openShared(url), await openShared(url)];
    let end = () => {};
    const stopped = new Promise<void>((resolve) => {
      end = resolve;
    });
    let has = false;
    const turn = hung.nodes?.inTurn('work', () => {
      has = true;
      return stopped;
    });
    await until(() => has);
    await other.nodes?.inTurn('work', async () => {});
    end();
    await expect(turn).rejects.toThrow(StoreUnavailable);
    await Promise.all([hung.close(), other.close()]);
  });

  it('retries after a deadlock with another service', async () => {
    const url = await emptyDatabase();
    const store = await openShared(url);
    await furnish(store);
    await store.commit([1, 2, 3].map((n) => insert.tag(tag(n))));
    const touch = (client: Client, n: number) =>
      client.query("UPDATE tag SET color = '#111111' WHERE id = $1", [tag(n).id]);
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
          [1, 3, 2].map((n) => ({ kind: 'tag.change', id: tag(n).id, change: { name: `new ${n}` } }) as const),
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
    const rows = await Promise.all([1, 2, 3].map((n) => store.tag(SPACE, tag(n).id)));
    expect(rows.map((row) => [row?.name, row?.color])).toEqual([
      ['new 1', '#111111'],
      ['new 2', '#111111'],
      ['new 3', '#111111'],
    ]);
    await store.close();
  });

  it.each<[string, (n: number) => Change]>([
    ['changes', (n) => ({ kind: 'device.change', id: device(n).id, change: { label: { a: 'b' } } })],
    ['changes of tags', (n) => ({ kind: 'device.change', id: device(n).id, change: { tagIds: [] } })],
    ['deletions', (n) => ({ kind: 'device.delete', id: device(n).id, at: T0 })],
    ['records', (n) => ({ kind: 'device.need', id: device(n).id })],
    ['messages', (n) => insert.message(message(n, { deviceId: device(n).id }))],
  ])('locks devices in the order of their ids, so that services do not wait for each other: %s', async (_, change) => {
    const url = await emptyDatabase();
    const [store, other] = [await openShared(url), await openShared(url)];
    await furnish(store, [device(1), device(2)]);
    await connected(url, async (rival) => {
      await rival.query('BEGIN');
      await touch(rival, 1);
      const commits = [2, 1].map((n) => store.commit([change(n)]));
      await sessionThatWaitsFor(url, await pidOf(rival));
      const isFree = await rival.query('SELECT 1 FROM device WHERE id = $1 FOR UPDATE SKIP LOCKED', [device(2).id]);
      await rival.query('COMMIT');
      await Promise.all(commits);
      expect(isFree.rowCount).toBe(1);
    });
    await Promise.all([store.close(), other.close()]);
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

describe('opening a PostgreSQL database that cannot be used', () => {
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

/** The next statement with this text is sent only when the test says so, as if its service had stopped. */
function holdBefore(text: string): { readonly begun: Promise<void>; goOn(): void; fail(): void } {
  let [note, goOn, fail] = [() => {}, () => {}, () => {}];
  const begun = new Promise<void>((resolve) => {
    note = resolve;
  });
  const send = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
    if (args[0] !== text) return Reflect.apply(send, this, args);
    spy.mockRestore();
    note();
    return new Promise((resolve, reject) => {
      goOn = () => resolve(Reflect.apply(send, this, args));
      fail = () => reject(new Error('gone'));
    });
  } as never);
  return { begun, goOn: () => goOn(), fail: () => fail() };
}
