/**
 * A service whose database becomes unavailable while it runs. The tests run concurrently, because each waits for time limits.
 */
import pg from 'pg';
import { describe, expect, it, type TestContext } from 'vitest';
import { type Service, startService } from '../../src/cloud/service.js';
import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { newDatabase, newSeparateDatabase, query, sharedServer, TEST_KEY } from '../support/postgres/databases.js';
import { startPostgres } from '../support/postgres/server.js';
import { relayTo } from '../support/relay.js';
import { until } from '../support/until.js';

async function serviceOn(db: string, { onTestFinished }: TestContext) {
  const failures: string[] = [];
  const warnings: string[] = [];
  const service: Service = await startService({
    ...{
      db,
      secretsKey: TEST_KEY,
      host: '127.0.0.1',
      port: 0,
      udpPort: null,
      udpRawPort: null,
      apiKey: 'key',
      operated: true,
    },
    ...{ clock: new RealClock(), random: seededRandom('outage'), trace: { emit: () => {} } },
    log: {
      info: () => {},
      warn: (fields) => warnings.push(JSON.stringify(fields)),
      error: (_, message) => failures.push(message),
    },
  });
  onTestFinished(() => service.close());
  const ask = async (path: string, body?: object) => {
    const headers = { 'x-api-key': 'key', 'content-type': 'application/json' };
    const sent = body && { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(service.api + path, { headers, ...sent, signal: AbortSignal.timeout(15_000) });
    return { status: answer.status, text: await answer.text(), retryAfter: answer.headers.get('retry-after') };
  };
  return { service, failures, warnings, ask };
}

describe.concurrent('a service whose database becomes unreachable', () => {
  it('answers 503 without logging an error, and continues when the database is back', async (test) => {
    const server = await startPostgres();
    test.onTestFinished(() => server.stop());
    const { service, failures, ask } = await serviceOn(server.url, test);

    await server.crash();
    await until(async () => (await ask('/readyz')).status === 200);
    expect((await ask('/v2/spaces')).status).toBe(200);
    await server.stop();
    expect(await ask('/v2/spaces')).toMatchObject({ status: 503, retryAfter: '1' });
    expect((await ask('/readyz')).status).toBe(503);
    expect((await ask('/healthz')).status).toBe(200);
    expect((await ask('/metrics')).text).toContain('ghostfleet_http_request_seconds_count');
    await service.close();
    expect(failures.filter((message) => message === 'request failed')).toEqual([]);
  });
});

describe.concurrent('a service whose database only reads', () => {
  it('is not ready, and answers writes with 503, until the database writes again', async (test) => {
    const url = await newSeparateDatabase();
    const { failures, warnings, ask } = await serviceOn(url, test);
    expect((await ask('/readyz')).status).toBe(200);
    const [space] = JSON.parse((await ask('/v2/spaces')).text);
    const tag = () => ask(`/v2/spaces/${space.id}/tags`, { name: 'late', color: '#00ffaa' });
    const become = async (readOnly: 'on' | 'off') => {
      const name = new URL(url).pathname.slice(1);
      await query(await sharedServer(), `ALTER DATABASE ${name} SET default_transaction_read_only = ${readOnly}`);
      await query(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
    };
    await become('on');
    await until(async () => (await ask('/readyz')).text.includes('store-read-only'));
    await until(async () => (await ask('/v2/spaces')).status === 200);
    expect((await ask('/readyz')).status).toBe(503);
    expect(warnings.at(-1)).toMatch(/read-only transaction/);
    const refused = await tag();
    expect(refused).toMatchObject({ status: 503, retryAfter: '1' });
    expect(JSON.parse(refused.text)).toMatchObject({
      code: 'store-read-only',
      message: 'the database only permits reading; nothing was stored',
    });
    await become('off');
    await until(async () => (await ask('/readyz')).status === 200);
    expect((await tag()).status).toBe(201);
    expect(failures.filter((message) => message === 'request failed')).toEqual([]);
  });
});

describe.concurrent('a service whose database hangs', () => {
  it('answers 503, is not ready, and continues when the database does', async (test) => {
    const wire = await relayTo(await newDatabase());
    test.onTestFinished(() => wire.close());
    const { service, failures, ask } = await serviceOn(wire.url, test);
    const [space] = JSON.parse((await ask('/v2/spaces')).text);
    const tags = `/v2/spaces/${space.id}/tags`;
    expect((await ask(tags, { name: 'before', color: '#00ffaa' })).status).toBe(201);

    wire.hang();
    // There are more requests than connections to the database. A request that waits for a connection is answered as well.
    const reads = Array.from({ length: 30 }, () => ask('/v2/spaces'));
    const writes = Array.from({ length: 5 }, (_, n) => ask(tags, { name: `tag-${n}`, color: '#00ffaa' }));
    expect((await ask('/readyz')).status).toBe(503);
    for (const answer of await Promise.all([...reads, ...writes])) {
      expect(answer).toMatchObject({ status: 503, retryAfter: '1' });
      expect(answer.text).toMatch(/store-(slow|unavailable)/);
    }
    expect((await ask('/healthz')).status).toBe(200);

    wire.recover();
    await until(async () => (await ask('/readyz')).status === 200);
    expect((await ask(tags, { name: 'after', color: '#00ffaa' })).status).toBe(201);
    await service.close();
    expect(failures.filter((message) => message === 'request failed')).toEqual([]);
  });

  it('answers 503 if a statement waits for a lock', async (test) => {
    const url = await newDatabase();
    const { failures, ask } = await serviceOn(url, test);
    const [space] = JSON.parse((await ask('/v2/spaces')).text);
    const other = new pg.Client({ connectionString: url });
    test.onTestFinished(() => other.end());
    await other.connect();
    await other.query('BEGIN; LOCK TABLE tag');
    const answer = await ask(`/v2/spaces/${space.id}/tags`, { name: 'late', color: '#00ffaa' });
    expect(answer).toMatchObject({ status: 503, retryAfter: '1' });
    await other.query('ROLLBACK');
    expect((await ask(`/v2/spaces/${space.id}/tags`, { name: 'late', color: '#00ffaa' })).status).toBe(201);
    expect(failures.filter((message) => message === 'request failed')).toEqual([]);
  });
});

describe.concurrent('a service whose database another session locks', () => {
  it('says that the database does not answer in time, logs why, and continues when the lock is released', async (test) => {
    const url = await newSeparateDatabase();
    const { warnings, ask } = await serviceOn(url, test);
    const [space] = JSON.parse((await ask('/v2/spaces')).text);
    const locker = new pg.Client(url);
    await locker.connect();
    test.onTestFinished(() => locker.end());
    await locker.query('BEGIN; LOCK TABLE message, record IN ACCESS EXCLUSIVE MODE');
    const answers = await Promise.all([
      ask(`/v2/spaces/${space.id}/messages`),
      ask(`/v2/spaces/${space.id}/connectors`),
    ]);
    for (const { status, text } of answers)
      expect([status, JSON.parse(text)]).toMatchObject([
        503,
        { code: 'store-slow', message: expect.stringContaining('did not answer in time') },
      ]);
    expect(warnings.join()).toContain('lock timeout');
    await locker.query('ROLLBACK');
    expect((await ask(`/v2/spaces/${space.id}/messages`)).status).toBe(200);
  });
});
