/** A whole service on real ports, as its operators see it. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import perfHooks from 'node:perf_hooks';
import { Pool } from 'undici';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Metrics } from '../../../src/cloud/operator/metrics.js';
import { addOperatorRoutes } from '../../../src/cloud/operator/routes.js';
import { type Service, type ServiceOptions, startService } from '../../../src/cloud/service.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import { MemoryTables } from '../../../src/cloud/store/memory/tables.js';
import { type Change, type Store, StoreUnavailable } from '../../../src/cloud/store/store.js';
import type { Log } from '../../../src/kernel/log.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { type Document, inlined, judge } from '../../support/openapi.js';
import { until } from '../../support/until.js';
import { service } from '../api/service.js';

const KEY = 'a-key-for-operators';
const TOKEN = '00112233445566778899aabbccddeeff';

const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} };

let running: Service | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

async function serve(options: Partial<ServiceOptions> = {}) {
  const lines: string[] = [];
  const write = (fields: object, message: string) => {
    lines.push(
      `${message} ${JSON.stringify(fields, (_, value) => (value instanceof Error ? String(value.stack) : value))}`,
    );
  };
  const log: Log = { info: write, warn: write, error: write };
  running = await startService({
    ...{ db: 'memory', host: '127.0.0.1', port: 0, udpPort: 0, udpRawPort: 0, apiKey: KEY, operated: true },
    ...{ clock: new RealClock(), random: seededRandom('operations'), trace: { emit: () => {} }, log },
    ...options,
  });
  const service = running;
  const request = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${service.api}${path}`, {
      method,
      headers: { 'x-api-key': KEY, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const space = (path: string) => `/v2/spaces/${service.spaceId}/${path}`;
  return { service, request, space, lines };
}

const registration = { name: 'freezer', serial_number: '2159017986', token: TOKEN };

it('leaves no monitor behind: services share the metrics of the process', async () => {
  const histograms = vi.spyOn(perfHooks, 'monitorEventLoopDelay');
  for (let n = 0; n < 3; n++) {
    const { service, request } = await serve();
    expect((await request('GET', '/metrics')).text).toContain('nodejs_eventloop_lag_mean_seconds ');
    await service.close();
  }
  expect(histograms.mock.calls.length).toBeLessThanOrEqual(1);
  histograms.mockRestore();
});

it('answers sign-ins and keys by 503 until the key and the password of this start are stored', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hold = (store: Store): Store => {
    const commit = store.commit.bind(store);
    return Object.assign(store, { commit: (changes: readonly Change[]) => held.then(() => commit(changes)) });
  };
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const admin = { email: 'eva@example.org', password: 'correct horse battery' };
  const started = serve({ port, admin, embedded: { interference: { store: hold, request: () => undefined } } });
  const ask = async (path: string, body?: object) => {
    const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
    const request = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
    const { status } = await fetch(`http://127.0.0.1:${port}${path}`, request);
    return status;
  };
  const isOpen = () => ask('/healthz').catch(() => 0);
  await until(async () => (await isOpen()) === 200);
  const asked = () =>
    Promise.all([
      ask('/readyz'),
      ask('/v2/auth/login', admin),
      ask('/v2/spaces'),
      ask('/v2/device/2159017985/poll', {}),
    ]);
  expect(await asked()).toEqual([503, 503, 503, 401]);
  release();
  await started;
  expect(await asked()).toEqual([200, 200, 200, 401]);
});

describe('health', () => {
  it('is reported without a key, and is in the OpenAPI document', async () => {
    const { request } = await serve();
    const none = { 'x-api-key': '' };
    const document: Document = JSON.parse((await request('GET', '/v2/documentation/json', undefined, none)).text);
    const fits = judge(inlined(document));
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      const { status, text, headers } = await request('GET', path, undefined, none);
      expect([path, status]).toEqual([path, 200]);
      expect(fits('GET', path, status, headers.get('content-type') ?? '', text)).toBeUndefined();
    }
    expect(document.paths['/readyz']?.get?.security).toEqual([]);
  });

  it('is not available in a simulation', async () => {
    const { request } = await serve({ operated: false });
    expect((await request('GET', '/healthz')).status).toBe(404);
  });
});

describe('metrics', () => {
  it('count requests by route and status, packets by result, and pending work', async () => {
    const { request, space, service } = await serve();
    const { id } = JSON.parse((await request('POST', space('devices'), registration)).text);
    await request('POST', space(`devices/${id}/commands`), ['info show']);
    await request('GET', space(`devices/${id}`));
    await request('GET', '/v2/nowhere');
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.send('rubbish', service.udp ?? 0, '127.0.0.1', () => resolve()));
    while (service.gateway.counters.received === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    socket.close();
    const { text } = await request('GET', '/metrics');
    const read = (series: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')[1],
      );
    const route = '/v2/spaces/:space_id/devices';
    expect(read(`ghostfleet_http_request_seconds_count{method="POST",route="${route}",status="201"}`)).toBe(1);
    expect(read(`ghostfleet_http_request_seconds_count{method="GET",route="${route}/:id",status="200"}`)).toBe(1);
    expect(read('ghostfleet_http_request_seconds_count{method="GET",route="unknown",status="404"}')).toBe(1);
    expect(read('ghostfleet_gateway_packets_total{outcome="received"}')).toBe(1);
    expect(read('ghostfleet_gateway_packets_total{outcome="unreadable"}')).toBe(1);
    expect(read('ghostfleet_downlinks_pending')).toBe(1);
    expect(read('ghostfleet_downlinks_total{what="queued"}')).toBe(1);
    expect(read('ghostfleet_commits_waiting')).toBe(0);
    expect(read('ghostfleet_store_commit_seconds_count')).toBeGreaterThan(1);
    if (process.platform === 'linux') expect(read('ghostfleet_udp_receive_drops_total')).toBe(0);
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds ');
    for (const secret of [KEY, TOKEN, id, service.spaceId, 'freezer']) expect(text).not.toContain(secret);
  });
});

describe('a service whose store can be read but not written', () => {
  it('is alive but not ready', async () => {
    const { app, store, clock } = await service();
    addOperatorRoutes(app, {
      store,
      clock,
      log: SILENT,
      metrics: new Metrics(clock),
      isPrepared: () => true,
      id: 'probe',
    });
    expect((await app.inject('/readyz')).statusCode).toBe(200);
    store.commit = () => Promise.reject(new Error('the writer is gone'));
    const { statusCode, headers, body } = await app.inject('/readyz');
    expect([statusCode, headers['retry-after']]).toEqual([503, '5']);
    expect(body).not.toContain('writer');
    expect((await app.inject('/healthz')).statusCode).toBe(200);
  });
});

describe('a service whose store does not answer, as while it waits for a lock', () => {
  it('is not ready after two seconds, because the store is slow', async () => {
    const { app, store, clock } = await service();
    addOperatorRoutes(app, {
      ...{ store, clock, log: SILENT, metrics: new Metrics(clock), isPrepared: () => true, id: 'probe' },
    });
    store.commit = () => new Promise(() => {});
    const answer = app.inject('/readyz');
    await until(() => clock.waiting > 0);
    await clock.runUntil(clock.now + seconds(2));
    const { statusCode, body } = await answer;
    expect([statusCode, JSON.parse(body)]).toEqual([
      503,
      expect.objectContaining({ code: 'store-slow', message: expect.stringContaining('locked') }),
    ]);
  });
});

describe('a service whose first space, key or admin does not exist yet', () => {
  it('is alive but not ready', async () => {
    const { app, store, clock } = await service();
    let isPrepared = false;
    addOperatorRoutes(app, {
      ...{ store, clock, log: SILENT, metrics: new Metrics(clock), isPrepared: () => isPrepared, id: 'probe' },
    });
    const early = await app.inject('/readyz');
    expect([early.statusCode, early.json().message]).toEqual([503, 'the service is starting']);
    expect((await app.inject('/healthz')).statusCode).toBe(200);
    isPrepared = true;
    expect((await app.inject('/readyz')).statusCode).toBe(200);
  });
});

it('a service that is starting answers no request of the API, however its path is written', async () => {
  const { call } = await service({}, (context) => ({ ...context, isPrepared: () => false }));
  for (const path of ['/v2/spaces', '/%76%32/spaces', '/v2/%73paces']) {
    expect((await call('GET', path)).status).toBe(503);
  }
});

describe('metrics of a service whose store is unreachable', () => {
  it('are available, except those that come from the store', async () => {
    const store = new MemoryStore();
    store.countByHealth = () => Promise.reject(new StoreUnavailable(new Error('ECONNREFUSED')));
    store.countPending = () => Promise.reject(new StoreUnavailable(new Error('ECONNREFUSED')));
    const metrics = new Metrics(new VirtualClock());
    metrics.watchStore(store, { waiting: 3, refused: 0 });
    const text = await metrics.text();
    expect(text).toContain('ghostfleet_downlinks_pending Nan\n');
    expect(text).toContain('ghostfleet_commits_waiting 3\n');
    expect(text).not.toContain('ghostfleet_devices{');
  });
});

describe('the metric of devices', () => {
  it('counts them by health', async () => {
    const { store, clock, device } = await service();
    const { id } = await device({});
    await store.commit([{ kind: 'device.change', id, change: { lastContact: clock.wall, contactEvery: 900_000 } }]);
    await device({ serial_number: '2159017987' });
    await clock.runUntil(minutes(40));
    const metrics = new Metrics(clock);
    metrics.watchStore(store, { waiting: 0, refused: 0 });
    const text = await metrics.text();
    expect(text).toContain('ghostfleet_devices{health="late"} 1\n');
    expect(text).toContain('ghostfleet_devices{health="never_seen"} 1\n');
  });
});

describe('logs of a service', () => {
  it('contain no credential after successful, invalid and unauthorized requests', async () => {
    const { request, space, lines } = await serve();
    const secrets = [KEY, TOKEN, 'a-wrong-key', 'hunter2-password', 'ffeeddccbbaa99887766554433221100'];
    await request('POST', space('devices'), registration);
    await request('POST', space('devices'), registration);
    await request('POST', space('devices'), { ...registration, serial_number: 'x', token: `${secrets[4]}0` });
    await request('POST', space('devices'), `{"token": "${secrets[4]}", `);
    for (const headers of [{ 'x-api-key': 'a-wrong-key' }, { authorization: 'Bearer a-wrong-key', 'x-api-key': '' }]) {
      await request('GET', '/v2/spaces', undefined, headers);
    }
    await request('POST', '/v2/auth/login', { email: 'a@example.com', password: 'hunter2-password' });
    await request('POST', '/v2/device/2159017986/poll', {}, { authorization: `Claim ${secrets[4]}`, 'x-api-key': '' });
    await request('POST', '/v2/device/2159017986/poll', {}, { authorization: `Claim ${TOKEN}`, 'x-api-key': '' });
    expect(lines.length).toBeGreaterThan(7);
    for (const secret of secrets) expect(lines.filter((line) => line.includes(secret))).toEqual([]);
  });
});

describe('a correction of the clock', () => {
  const corrected = (lines: readonly string[]) => lines.filter((line) => line.startsWith('the clock'));
  class CorrectedClock extends RealClock {
    by = 0;
    override get wall() {
      return super.wall + this.by;
    }
  }
  /** A clock that begins at this hour of a day and can be corrected. */
  const clockFrom = (hour: number) => new CorrectedClock({ start: Date.UTC(2026, 5, 1, hour) });
  const uplink = { authorization: `Claim ${TOKEN}`, 'x-api-key': '' };

  it('is logged and followed', async () => {
    const clock = clockFrom(12);
    const { request, space, lines } = await serve({ clock, operated: false });
    clock.by = -3_600_000;
    const { text } = await request('POST', space('devices'), registration);
    expect(JSON.parse(text).created_at).toMatch(/^2026-06-01T11:/);
    expect(corrected(lines)).toEqual(['the clock of this machine was corrected {"by":"-3600 s"}']);
  });

  it('is logged if it was made while the service did not run', async () => {
    const memory = new MemoryTables();
    const { request, space, service } = await serve({ embedded: { memory }, clock: clockFrom(12) });
    await request('POST', space('devices'), registration);
    await request('POST', '/v2/device/2159017986/uplink', { type: 'data', body: { a: 1 } }, uplink);
    await service.close();
    const { lines } = await serve({ embedded: { memory }, clock: clockFrom(11) });
    expect(corrected(lines)).toEqual([
      expect.stringMatching(/behind the newest stored message.* {"behind":"36\d\d s"}$/),
    ]);
  });
});

describe('a service that is stopped', () => {
  it('refuses a request that arrives on an open connection, with a code and the time after which to retry', async () => {
    const { service } = await serve();
    const socket = createConnection(Number(new URL(service.api).port), '127.0.0.1');
    let answers = '';
    socket.on('data', (text) => {
      answers += text;
    });
    const ended = new Promise((resolve) => socket.on('close', resolve));
    const body = JSON.stringify({ name: 'late', color: '#000000' });
    const head =
      `POST /v2/spaces/${service.spaceId}/tags HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${KEY}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.write(head);
    await until(async () => (await fetch(`${service.api}/healthz`)).ok);
    const closing = service.close();
    socket.write(`${body}GET /v2/spaces HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${KEY}\r\n\r\n`);
    await closing;
    await ended;
    const [, first, second = ''] = answers.split('HTTP/1.1 ');
    expect(first).toMatch(/^201 /);
    expect(second).toMatch(/^503 /);
    expect(second).toContain('\r\nretry-after: 1\r\n');
    expect(second).toContain('"message":"the service is shutting down; retry later","code":"shutting-down"');
    running = undefined;
  });

  it('completes running requests and accepts no new ones', async () => {
    const { request, service } = await serve();
    // A request whose body is still on its way when the service closes.
    const body = JSON.stringify({ name: 'late', color: '#000000' });
    const socket = createConnection(Number(new URL(service.api).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (text) => {
      answer += text;
    });
    const ended = new Promise((resolve) => socket.on('close', resolve));
    socket.write(
      `POST /v2/spaces/${service.spaceId}/tags HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${KEY}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    await request('GET', '/healthz');
    const closing = service.close();
    await expect(request('GET', '/healthz')).rejects.toThrow();
    socket.write(body.slice(5));
    await closing;
    await ended;
    expect(answer).toMatch(/^HTTP\/1.1 201 /);
    running = undefined;
  });
});

describe('a service that is stopped while connections are open', () => {
  const connected = async (service: Service, text: string) => {
    const socket = createConnection(Number(new URL(service.api).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (more) => {
      answer += more;
    });
    socket.on('error', () => {});
    const ended = new Promise((resolve) => socket.on('close', () => resolve(answer)));
    const write = (more: string) => socket.write(more);
    await new Promise<void>((resolve) => socket.on('connect', resolve));
    write(text);
    return { ended, write };
  };

  it.each([
    ['is silent', ''],
    ['has sent half of a request line', 'GET /v2/spa'],
    ['has sent half of the headers', `GET /v2/spaces HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${KEY}\r\n`],
    ['has its answer and stays open', 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['has its answer and half of the next request', 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /v2'],
  ])('ends a connection that %s while another request still runs', async (_, text) => {
    const { service } = await serve();
    const running = await connected(
      service,
      `POST /v2/spaces/${service.spaceId}/tags HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${KEY}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 33\r\n\r\n{"name":',
    );
    const idle = await connected(service, text);
    // A later request has its answer, so the earlier bytes have arrived.
    await fetch(`${service.api}/healthz`);
    const closing = service.close();
    await idle.ended;
    running.write('"late","color":"#000000"}');
    expect(await running.ended).toMatch(/^HTTP\/1.1 201 /);
    await closing;
  });

  it('ends a silent connection also in virtual time, which does not pass while the service closes', async () => {
    const { service } = await serve({ clock: new VirtualClock(), operated: false });
    const idle = await connected(service, '');
    await Promise.all([service.close(), idle.ended]);
  });
});

describe('a service that closes its connections', () => {
  it('leaves no connection that a client could reuse', async () => {
    const { service } = await serve();
    const pool = new Pool(service.api, { connections: 4 });
    const ask = () => pool.request({ path: '/healthz', method: 'GET' }).then(({ body }) => body.dump());
    await Promise.all([ask(), ask(), ask()]);
    expect(pool.stats.connected).toBeGreaterThan(0);
    await service.hangUp();
    expect(pool.stats.connected).toBe(0);
    await pool.close();
  });
});
