/** The web console as a part of the service: its files, and its sign-in. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditLog } from '../../../src/cloud/accounts/audit.js';
import { listKeys, putKey } from '../../../src/cloud/accounts/keys.js';
import { addWebConsole } from '../../../src/cloud/web/index.js';
import { OneTimeTokens, TOKEN_LIFETIME } from '../../../src/cloud/web/one-time-tokens.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { hours } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { QUIET } from '../../support/cloud.js';
import { KEY, service } from '../api/service.js';

const OWN = { host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080' };

let built: string;
beforeAll(() => {
  const root = mkdtempSync(join(tmpdir(), 'ghostfleet-web-'));
  writeFileSync(join(root, 'secret.txt'), 'outside');
  built = join(root, 'web');
  mkdirSync(join(built, 'assets'), { recursive: true });
  writeFileSync(join(built, 'index.html'), '<!doctype html><title>console</title>');
  writeFileSync(join(built, 'assets', 'index-4f2a1b3c.js'), 'export const x = 1;\n'.repeat(50));
  symlinkSync(join(root, 'secret.txt'), join(built, 'assets', 'link.txt'));
});
afterAll(() => rmSync(join(built, '..'), { recursive: true }));

async function withConsole(folder = built) {
  const { app, store, clock, ids, spaceId, call } = await service({}, (context) => ({ ...context, audited: true }));
  const page = addWebConsole(app, folder, {
    store,
    clock,
    ids,
    random: seededRandom('console'),
    publicUrl: null,
    lifetime: hours(12),
    audit: new AuditLog({ store, clock, ids, log: QUIET }),
  });
  const token = () => page.link(spaceId).replace('/#token=', '');
  const signIn = (payload: object, headers: Record<string, string> = {}) =>
    app.inject({ method: 'POST', url: '/console/session', headers: { ...OWN, ...headers }, payload });
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });
  /** Signs in and returns the cookie as a browser would send it. */
  const cookie = async (payload: object = { token: token() }) =>
    String((await signIn(payload)).headers['set-cookie']).split(';')[0] ?? '';
  return { app, store, clock, ids, call, spaceId, token, signIn, get, cookie };
}

describe('the files of the console', () => {
  it('are served with a strict policy, and those with a hash in their name stay in caches', async () => {
    const { get } = await withConsole();
    const page = await get('/');
    expect([page.statusCode, page.body]).toEqual([200, '<!doctype html><title>console</title>']);
    expect(page.headers['cache-control']).toBe('no-cache');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';");
    expect(page.headers['content-security-policy']).not.toContain('unsafe');
    expect(page.headers['x-content-type-options']).toBe('nosniff');
    const script = await get('/assets/index-4f2a1b3c.js', { 'accept-encoding': 'gzip' });
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(script.headers['content-encoding']).toBe('gzip');
    expect((await get('/', { 'if-none-match': String(page.headers.etag) })).statusCode).toBe(304);
  });

  it.each([
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/link.txt',
    '/assets/',
    '/index.html',
    '/nowhere',
  ])('do not include %s', async (path) => {
    const { get } = await withConsole();
    expect((await get(path)).statusCode).toBe(404);
  });

  it('are read again after a new build', async () => {
    const { get } = await withConsole();
    await get('/');
    writeFileSync(join(built, 'assets', 'index-00000001.js'), 'x');
    utimesSync(join(built, 'index.html'), 1, 1);
    await get('/');
    expect((await get('/assets/index-00000001.js')).body).toBe('x');
  });

  it('are replaced by a page with the command to run if the console is not built', async () => {
    const { get } = await withConsole(join(built, 'missing'));
    const page = await get('/');
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.body).toContain('npm run build:web');
    expect((await get('/assets/index-4f2a1b3c.js')).statusCode).toBe(404);
  });
});

describe('a one-time token', () => {
  it('is exchanged for a cookie that scripts cannot read, and that opens the space', async () => {
    const { signIn, token, get, spaceId } = await withConsole();
    const answer = await signIn({ token: token() });
    expect([answer.statusCode, answer.json()]).toEqual([
      201,
      { space_id: spaceId, expires_at: '2026-01-01T12:00:00.000Z' },
    ]);
    const cookie = String(answer.headers['set-cookie']);
    expect(cookie).toMatch(/^ghostfleet-8080=[0-9a-f-]{36}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    const list = await get(`/v2/spaces/${spaceId}/devices`, { ...OWN, cookie });
    expect(list.statusCode).toBe(200);
  });

  it('is valid once', async () => {
    const { signIn, token } = await withConsole();
    const once = token();
    await signIn({ token: once });
    const again = await signIn({ token: once });
    expect([again.statusCode, again.json().code, again.headers['set-cookie']]).toEqual([401, 'token-used', undefined]);
  });

  it('expires at the end of its lifetime', async () => {
    const clock = new VirtualClock();
    const tokens = new OneTimeTokens(seededRandom('tokens'), clock);
    const token = tokens.issue('space');
    await clock.runUntil(TOKEN_LIFETIME);
    expect(tokens.redeem(token)).toBeUndefined();
  });

  it.each([
    ['through a proxy', { 'x-forwarded-for': '203.0.113.7' }],
    ['under another name', { host: 'evil.example', origin: 'http://evil.example' }],
    ['from a page of another origin', { origin: 'http://127.0.0.1:3000' }],
    ['from a page on another port', { 'sec-fetch-site': 'same-site' }],
  ])('is rejected %s, and stays valid', async (_, headers) => {
    const { signIn, token } = await withConsole();
    const once = token();
    expect((await signIn({ token: once }, headers)).statusCode).toBe(403);
    expect((await signIn({ token: once })).statusCode).toBe(201);
  });
});

describe('the cookie of the console', () => {
  it('is rejected from other origins, with and without the headers of newer browsers', async () => {
    const { cookie, app, spaceId } = await withConsole();
    const sent = { host: OWN.host, cookie: await cookie() };
    const change = (headers: Record<string, string>) =>
      app.inject({
        method: 'POST',
        url: `/v2/spaces/${spaceId}/devices`,
        headers: { ...sent, ...headers },
        payload: {},
      });
    const foreign = [{}, { origin: 'null' }, { origin: 'http://127.0.0.1:3000' }, { 'sec-fetch-site': 'same-site' }];
    for (const headers of foreign) expect((await change(headers)).json().code).toBe('foreign-origin');
    expect((await change({ origin: OWN.origin })).statusCode).toBe(400);
    expect((await change({ 'sec-fetch-site': 'same-origin' })).statusCode).toBe(400);
  });

  it('is not accepted on another port', async () => {
    const { cookie, get, spaceId } = await withConsole();
    const sent = { cookie: await cookie(), host: '127.0.0.1:9090' };
    expect((await get(`/v2/spaces/${spaceId}/devices`, sent)).statusCode).toBe(401);
  });

  it('keeps a given API key, which stays valid after the session ends', async () => {
    const { cookie, app, get, spaceId, call } = await withConsole();
    const sent = { ...OWN, cookie: await cookie({ credential: KEY }) };
    expect((await get(`/v2/spaces/${spaceId}/devices`, sent)).statusCode).toBe(200);
    await app.inject({ method: 'DELETE', url: '/console/session', headers: sent });
    expect((await call('GET', 'devices')).status).toBe(200);
  });

  it('is not set for a wrong credential or a wrong body, whose secret is not repeated', async () => {
    const { signIn } = await withConsole();
    expect((await signIn({ credential: 'a-wrong-key' })).statusCode).toBe(401);
    const wrong = await signIn({ token: '', credential: 7 });
    expect([wrong.statusCode, wrong.headers['set-cookie']]).toEqual([400, undefined]);
    expect((await signIn({ secret: 'hunter2' })).body).not.toContain('hunter2');
  });

  it('creates keys that outlive the session', async () => {
    const { cookie, app, spaceId } = await withConsole();
    const headers = { ...OWN, cookie: await cookie() };
    const made = await app.inject({
      ...{ method: 'POST', url: `/v2/spaces/${spaceId}/keys`, headers },
      payload: { name: 'dashboard' },
    });
    expect([made.statusCode, made.json().expires_at]).toEqual([201, null]);
  });

  it('ends with the session: by signing out, by the deletion of its key, and after 12 hours', async () => {
    const { cookie, app, get, call, clock, spaceId } = await withConsole();
    const status = async (sent: string) =>
      (await get(`/v2/spaces/${spaceId}/devices`, { ...OWN, cookie: sent })).statusCode;
    const [first, second, third] = [await cookie(), await cookie(), await cookie()];
    const out = await app.inject({ method: 'DELETE', url: '/console/session', headers: { ...OWN, cookie: first } });
    expect(out.headers['set-cookie']).toContain('Max-Age=0');
    const keys: { id: string; name: string }[] = (await call('GET', 'keys')).json;
    const [session] = keys.filter(({ name }) => name === 'console session');
    await call('DELETE', `keys/${session?.id}`);
    expect([await status(first), await status(second), await status(third)]).toEqual([401, 401, 200]);
    await clock.runUntil(hours(12));
    expect(await status(third)).toBe(401);
  });

  it('is in the audit log with its begin and its end, with its key; the session with an API key is not', async () => {
    const { cookie, app, call } = await withConsole();
    const leave = (sent: string) =>
      app.inject({ method: 'DELETE', url: '/console/session', headers: { ...OWN, cookie: sent } });
    const own = await cookie();
    const { id } = (await call('GET', 'keys')).json.at(-1);
    await leave(own);
    await leave(own);
    await leave(await cookie({ credential: KEY }));
    const entry = { actor_type: 'key', actor_id: id, target_id: id, from: '127.0.0.1' };
    expect((await call('GET', 'audit')).json).toMatchObject([
      { action: 'endSession', ...entry },
      { action: 'beginSession', ...entry },
    ]);
  });

  it('leaves its expired key only until the next sign-in, however many keys the space has', async () => {
    const { cookie, store, clock, ids, spaceId } = await withConsole();
    const key = { spaceId, prefix: '', tagIds: null, access: 'write', createdAt: clock.wall } as const;
    await store.commit(
      Array.from({ length: 500 }, (_, n) => putKey({ ...key, id: ids.uuid(), name: `key ${n}` }, `key ${n}`)).flat(),
    );
    const sessions = async () => {
      const first = await listKeys(store, spaceId, { limit: 500 });
      const rest = await listKeys(store, spaceId, { limit: 500, after: first.at(-1)?.id });
      return [...first, ...rest].filter(({ isSession }) => isSession).length;
    };
    await cookie();
    await clock.runUntil(hours(12));
    await cookie();
    expect(await sessions()).toBe(1);
  });
});
