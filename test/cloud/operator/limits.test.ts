import { connect, type Socket } from 'node:net';
import fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { limitRequests } from '../../../src/cloud/api/limits.js';
import { guardCommits, StoreBusy } from '../../../src/cloud/store/bounded-commits.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import { StoreUnavailable } from '../../../src/cloud/store/store.js';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { until } from '../../support/until.js';
import { KEY, service } from '../api/service.js';

/** A store whose commits wait until the test calls `release`. */
function slowStore() {
  const store = new MemoryStore();
  const commit = store.commit.bind(store);
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  store.commit = async (changes) => {
    await gate;
    await commit(changes);
  };
  return { store, release };
}

/** Holds all look-ups of keys until the returned function is called. */
function holdKeys(store: MemoryStore): () => void {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const keyByHash = store.keyByHash.bind(store);
  store.keyByHash = async (hash) => {
    await gate;
    return keyByHash(hash);
  };
  return open;
}

describe('a guarded store', () => {
  it('rejects a commit immediately while too many wait, and accepts commits again afterwards', async () => {
    const { store, release } = slowStore();
    const took: number[] = [];
    const clock = new VirtualClock();
    const counts = guardCommits(store, { clock, limit: 2, onCommit: (ms) => took.push(ms) });
    const waiting = [store.commit([]), store.commit([])];
    await expect(store.commit([])).rejects.toThrow(StoreBusy);
    expect(counts).toEqual({ waiting: 2, refused: 1 });
    release();
    await Promise.all(waiting);
    await store.commit([]);
    expect(counts).toEqual({ waiting: 0, refused: 1 });
    expect(took).toEqual([0, 0, 0]);
  });

  it('counts a failed commit as done', async () => {
    const store = new MemoryStore();
    const counts = guardCommits(store, { clock: new VirtualClock(), limit: 1 });
    const foreign = {
      id: 'a',
      spaceId: 'nowhere',
      name: 'x',
      color: '#000000',
      accessType: 'write',
      createdAt: 1,
    } as const;
    await expect(store.commit([{ kind: 'tag.put', row: foreign }])).rejects.toThrow();
    expect(counts.waiting).toBe(0);
  });
});

describe('an overloaded service', () => {
  it('answers 503 with Retry-After and logs no error', async () => {
    const { call, store, logged } = await service();
    store.commit = () => Promise.reject(new StoreBusy());
    const answer = await call('POST', 'tags', { name: 'a', color: '#000000' });
    expect([answer.status, answer.headers['retry-after'], answer.json.code]).toEqual([503, '1', 'busy']);
    expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('rejects requests while 5,000 are running, and further requests of a caller with 2,000 running ones', async () => {
    const { app, store } = await service();
    await app.ready();
    const letIn = holdKeys(store);
    const ask = async (key: string) => app.inject({ url: '/v2/spaces', headers: { 'x-api-key': key } });
    const waiting = Array.from({ length: 2000 }, () => ask(KEY));
    const { statusCode, headers, body } = await ask(KEY);
    expect([statusCode, headers['retry-after'], JSON.parse(body).code]).toEqual([503, '1', 'busy']);
    const others = Array.from({ length: 3000 }, (_, n) => ask(`other-${n}`));
    expect((await ask('late')).statusCode).toBe(503);
    letIn();
    expect(new Set((await Promise.all(waiting)).map((answer) => answer.statusCode))).toEqual(new Set([200]));
    expect(new Set((await Promise.all(others)).map((answer) => answer.statusCode))).toEqual(new Set([401]));
    expect((await ask(KEY)).statusCode).toBe(200);
  });
});

/** A service for ten concurrent requests with a credential. Requests wait until they are released; `/v2/late` does not wait. */
async function waitingService() {
  const app = fastify();
  const few = { requests: 10, bytes: 1000 };
  limitRequests(app, { clock: new VirtualClock(), rateLimit: null, known: { all: few, each: few } });
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  for (const path of ['/v2/auth/login', '/v2/auth/accept', '/console/session', '/v2/spaces']) {
    app.get(path, async () => gate.then(() => 'done'));
  }
  app.get('/v2/late', async () => 'done');
  await app.ready();
  const ask = async (url: string, host: number, headers: Record<string, string> = {}) =>
    (await app.inject({ url, remoteAddress: `192.0.2.${host}`, headers })).statusCode;
  return { ask, release };
}

const KNOWN = { 'x-api-key': KEY };

describe('a request whose client has gone', () => {
  async function abandoned() {
    const app = fastify();
    const one = { requests: 1, bytes: 1000 };
    const patience = new VirtualClock();
    const limits = { clock: new VirtualClock(), rateLimit: null, known: { all: one, each: one }, patience };
    limitRequests(app, limits);
    let release = () => {};
    const answer = new Promise<string>((resolve) => {
      release = () => resolve('done');
    });
    app.get('/v2/slow', () => answer);
    app.get('/v2/late', async () => 'done');
    const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
    let gone = false;
    app.server.on('request', ({ socket }) =>
      socket.once('close', () => {
        gone = true;
      }),
    );
    const client = connect(port, '127.0.0.1').on('error', () => {});
    client.write(`GET /v2/slow HTTP/1.1\r\nhost: x\r\nx-api-key: ${KEY}\r\n\r\n`);
    await until(() => patience.waiting > 0);
    client.resetAndDestroy();
    await until(() => gone);
    const ask = async () => (await app.inject({ url: '/v2/late', headers: KNOWN })).statusCode;
    return { ask, release, patience, close: () => app.close() };
  }

  it('counts until its answer is made', async () => {
    const { ask, release, close } = await abandoned();
    expect(await ask()).toBe(503);
    release();
    await until(async () => (await ask()) === 200);
    await close();
  });

  it('counts until its time is over if no answer is made', async () => {
    const { ask, patience, close } = await abandoned();
    expect(await ask()).toBe(503);
    await patience.runUntil(seconds(20));
    expect(await ask()).toBe(200);
    await close();
  });
});

it('a request gives its place back when its answer is made, also if the client does not read it', async () => {
  const app = fastify();
  const few = { requests: 10, bytes: 1000 };
  limitRequests(app, { clock: new VirtualClock(), rateLimit: null, known: { all: few, each: few } });
  app.get('/v2/large', async () => 'x'.repeat(20_000_000));
  app.get('/v2/late', async () => 'done');
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
  const waiting = new Set<Socket>();
  app.server.on('request', ({ socket }) => waiting.add(socket));
  const clients = Array.from({ length: 10 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  for (const client of clients) client.pause().write(`GET /v2/large HTTP/1.1\r\nhost: x\r\nx-api-key: ${KEY}\r\n\r\n`);
  await until(() => [...waiting].filter((socket) => socket.writableLength > 0).length === 10);
  expect((await app.inject({ url: '/v2/late', headers: KNOWN })).statusCode).toBe(200);
  for (const client of clients) client.destroy();
  await app.close();
});

describe('requests without a credential', () => {
  it.each([
    ['sign-ins', '/v2/auth/login', {}],
    ['acceptances of invitations', '/v2/auth/accept', {}],
    ['sign-ins to the console', '/console/session', {}],
    ['sign-ins with an invented key', '/v2/auth/login', KNOWN],
    ['others', '/v2/spaces', {}],
  ])('take no place of those with a credential: %s from many addresses', async (_, path, headers) => {
    const { ask, release } = await waitingService();
    const open = Array.from({ length: 1200 }, (__, n) => ask(path, n % 6, headers));
    expect([await ask('/v2/late', 9, KNOWN), await ask('/v2/late', 9)]).toEqual([200, 503]);
    release();
    const answers = await Promise.all(open);
    expect(answers.filter((status) => status === 200)).toHaveLength(1000);
    expect(await ask('/v2/late', 9)).toBe(200);
  });

  it('are limited for each address, so that those of a few addresses do not prevent the sign-in of others', async () => {
    const { ask, release } = await waitingService();
    const open = Array.from({ length: 1200 }, (_, n) => ask('/v2/auth/login', n % 3));
    expect([await ask('/v2/late', 0), await ask('/v2/late', 9)]).toEqual([503, 200]);
    release();
    expect((await Promise.all(open)).filter((status) => status === 200)).toHaveLength(600);
  });
});

describe('bodies', () => {
  it('without a credential have a lower limit', async () => {
    const { call } = await service();
    const long = { email: 'eva@example.org', password: 'x'.repeat(20_000) };
    for (const path of ['/v2/auth/login', '/v2/auth/accept']) {
      expect((await call('POST', path, long, { 'x-api-key': '' })).status).toBe(413);
    }
  });
});

describe('an unreachable store', () => {
  it('makes the service answer 503 with Retry-After, without details of the database', async () => {
    const { call, store } = await service();
    store.commit = () => Promise.reject(new StoreUnavailable(new Error('connect ECONNREFUSED 10.0.0.7:5432')));
    const { status, headers, json, text } = await call('POST', 'tags', { name: 'a', color: '#000000' });
    expect([status, headers['retry-after'], json.code]).toEqual([503, '1', 'store-unavailable']);
    expect(text).not.toContain('10.0.0.7');
  });
});

describe('a rate limit', () => {
  it('answers 429 with the time to retry, and does not affect other keys', async () => {
    const { call, clock } = await service({ rateLimit: 2 });
    const first = await call('GET', '/v2/spaces');
    expect(first.headers).toMatchObject({
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '1',
      'x-ratelimit-reset': '60',
    });
    expect((await call('GET', '/v2/spaces')).status).toBe(200);
    await clock.runUntil(clock.now + 20_000);
    const third = await call('GET', '/v2/spaces');
    expect([third.status, third.headers['retry-after'], third.json.code]).toEqual([429, '40', 'rate-limit']);
    expect((await call('GET', '/v2/spaces', undefined, { 'x-api-key': 'another' })).status).toBe(401);
    await clock.runUntil(clock.now + 40_000);
    expect((await call('GET', '/v2/spaces')).status).toBe(200);
  });

  it('counts requests of a key together, in any header and any form of the path', async () => {
    const { app } = await service({ rateLimit: 4 });
    const ways = [
      ['/v2/spaces', { 'x-api-key': KEY }],
      ['/%762/spaces', { 'x-api-key': ` ${KEY}` }],
      ['/v2/spaces/', { 'x-api-key': '', authorization: `Bearer ${KEY}` }],
      ['/v2/nowhere', { 'x-api-key': '', authorization: `apikey   ${KEY}` }],
    ] as const;
    const left = [];
    for (const [url, headers] of ways) left.push((await app.inject({ url, headers })).headers['x-ratelimit-remaining']);
    expect(left).toEqual(['3', '2', '1', '0']);
  });

  it('limits guesses of keys, and does not affect clients with a valid key', async () => {
    const { call, clock } = await service({ rateLimit: 3 });
    const guess = async (key: string) => (await call('GET', '/v2/spaces', undefined, { 'x-api-key': key })).status;
    expect(await guess(KEY)).toBe(200);
    expect([await guess('a'), await guess('b'), await guess('c'), await guess('d')]).toEqual([401, 401, 401, 429]);
    expect(await guess(KEY)).toBe(200);
    await clock.runUntil(clock.now + minutes(1));
    expect(await guess('e')).toBe(401);
  });

  it('limits guesses of keys, even if a guess was first sent to a path that checks no key', async () => {
    const { call } = await service({ rateLimit: 3 });
    const ask = async (path: string, key: string) => (await call('GET', path, undefined, { 'x-api-key': key })).status;
    for (const path of ['/v2/nowhere', '/v2/documentation/json']) {
      expect([404, 200]).toContain(await ask(path, `first ${path}`));
    }
    expect(await ask('/v2/spaces', KEY)).toBe(200);
    for (const guess of ['a', 'b', 'c']) expect(await ask('/v2/spaces', guess)).toBe(401);
    for (const path of ['/v2/nowhere', '/v2/documentation/json']) {
      expect([path, await ask('/v2/spaces', `first ${path}`)]).toEqual([path, 429]);
    }
    expect(await ask('/v2/spaces', KEY)).toBe(200);
  });

  it('limits guesses of passwords, with any key', async () => {
    const { call } = await service({ rateLimit: 2 });
    const body = { email: 'eva@example.org', password: 'a-guess' };
    const guess = async (key: string) => (await call('POST', '/v2/auth/login', body, { 'x-api-key': key })).status;
    expect([await guess('a'), await guess('b'), await guess('c')]).toEqual([401, 401, 429]);
  });

  it('sends no headers by default', async () => {
    const { call } = await service();
    const answer = await call('GET', '/v2/spaces');
    expect(answer.headers).not.toHaveProperty('x-ratelimit-limit');
  });
});
