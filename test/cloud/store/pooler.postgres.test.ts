/** PostgreSQL behind a connection pooler, and what the server's log would contain. Needs PgBouncer: `npm run border`. */
import { afterEach, describe, expect, it } from 'vitest';
import { startBouncer } from '../../../scripts/border/pgbouncer.js';
import { programAt } from '../../../scripts/border/programs.js';
import type { Store } from '../../../src/cloud/store/store.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { connected, newSeparateDatabase, openShared, query } from '../../support/postgres/databases.js';
import { until } from '../../support/until.js';
import { device, furnish, insert, message, SPACE, T0 } from './rows.js';

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function behind(...[mode, more]: [Parameters<typeof startBouncer>[1], string?]): Promise<string> {
  const bouncer = await startBouncer(await newSeparateDatabase(), mode, more);
  ending.push(() => bouncer.stop());
  return bouncer.url;
}

async function opened(url: string): Promise<Store> {
  const store = await openShared(url);
  ending.push(() => store.close());
  return store;
}

describe.skipIf(programAt('pgbouncer') === undefined)('PgBouncer (skipped where it is not installed)', () => {
  it('in session mode, with its default settings, serves two services that hear of each other', async () => {
    const url = await behind('session', 'default_pool_size = 30');
    const [a, b] = [await opened(url), await opened(url)];
    await furnish(a);
    const heard: string[] = [];
    b.nodes?.listen(new RealClock(), (news) => heard.push(news.kind));
    await until(() => heard.includes('missed'));
    await a.commit([{ kind: 'device.change', id: device(1).id, change: { name: 'new' } }]);
    await until(() => heard.includes('changed'));
    await a.commit([insert.message(message(1))]);
    expect(await b.messages(SPACE, { limit: 10 })).toHaveLength(1);
  });

  it.each([
    ['transaction', undefined],
    ['transaction', 'server_round_robin = 1'],
    ['transaction', 'ignore_startup_parameters = statement_timeout,options'],
    ['statement', undefined],
  ] as const)('in %s mode (%s) is refused at the start, with the reason', async (mode, more) => {
    const url = await behind(mode, more);
    // Other clients have left connections that the pooler may give out in turns.
    await Promise.all([1, 2, 3].map(() => query(url, 'SELECT pg_sleep(0.02)')));
    await expect(openShared(url)).rejects.toMatchObject({
      code: 'transaction-pooling',
      message: expect.stringContaining('is a connection pooler that shares connections between transactions'),
      hint: expect.stringContaining('pool_mode = session'),
    });
  });
});

describe('the PostgreSQL store', () => {
  it('rejects copies of messages without an error in the server, which would log it', async () => {
    const url = await newSeparateDatabase();
    const store = await openShared(url);
    await furnish(store);
    const uplink = (n: number) =>
      ({ kind: 'message.insert', row: message(n, { fingerprint: 'p' }), newSince: T0 }) as const;
    await store.commit([uplink(1)]);
    for (let n = 2; n < 12; n++) {
      await expect(store.commit([uplink(n)])).rejects.toMatchObject({ name: 'ConflictError', field: 'fingerprint' });
    }
    await store.close();
    const counts =
      'SELECT xact_commit::int AS done, xact_rollback::int AS failed FROM pg_stat_database WHERE datname = $1';
    const server = await newSeparateDatabase();
    const name = new URL(url).pathname.slice(1);
    await connected(server, async (client) => {
      const read = async () => (await client.query<{ done: number; failed: number }>(counts, [name])).rows[0];
      // The processes of the server report their counts when they end.
      await until(async () => ((await read())?.done ?? 0) > 20);
      expect((await read())?.failed).toBe(0);
    });
  });

  it('fails with the code of an outage on a server that only reads', async () => {
    const url = await newSeparateDatabase();
    const store = await opened(url);
    await furnish(store);
    await query(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`);
    await query(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    const write = () => store.commit([insert.message(message(1))]);
    await expect
      .poll(() =>
        write().then(
          () => '',
          (error) => `${error.code} ${error.cause}`,
        ),
      )
      .toMatch(/^store-read-only .*read-only/);
  });
});
