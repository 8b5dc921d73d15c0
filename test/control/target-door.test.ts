/** The console of a run against another cloud: its sessions, and what the cloud gets of its requests. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RunControls } from '../../src/control/controls.js';
import { Scenarios } from '../../src/control/scenarios.js';
import { RunServer } from '../../src/control/server.js';
import { TargetDoor } from '../../src/control/target-door.js';
import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { FakeTools } from './scenario-tools.js';

const KEY = 'the-key-of-the-run';
const SPACE = '019b76da-a800-7000-8000-000000000001';

const ODD = { 'clear-site-data': '"*"', 'access-control-allow-origin': '*', 'x-total-count': '0' };
const seen: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = [];
let cloud: Server;
let server: RunServer;
let door: TargetDoor;
let origin = '';
let signedOut = 0;
const over = new AbortController();
const queued: (readonly [answer: string, asked: string])[] = [];

beforeAll(async () => {
  cloud = createServer(({ method, url, headers, socket }, response) => {
    seen.push({ method, url, headers });
    if (url?.includes('odd-status')) return void socket.end('HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n');
    if (url?.includes('switches'))
      return void socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
    if (url?.includes('events'))
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    if (url?.includes('interim')) return void socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000));
    if (url?.includes('endless')) {
      response.writeHead(201);
      const more = (): unknown =>
        response.destroyed ||
        (response.write(Buffer.alloc(65_536)) ? setImmediate(more) : response.once('drain', more));
      return void more();
    }
    const status = method === 'POST' && !url?.includes('refused') ? 201 : 200;
    response.writeHead(status, { 'content-type': 'application/json', 'set-cookie': 'theirs=1', ...ODD }).end('[]');
  });
  await new Promise<void>((resolve) => cloud.listen(0, '127.0.0.1', resolve));
  // The cast is safe because a server that listens on a port has such an address.
  const { port } = cloud.address() as AddressInfo;
  const api = `http://ann:pass@127.0.0.1:${port}/cloud/v2`;
  door = new TargetDoor({
    ...{ api, apiKey: KEY, spaceId: SPACE, clock: new RealClock(), random: seededRandom(1) },
    over: over.signal,
    queued: (...noted) => void queued.push(noted),
  });
  server = await RunServer.open({
    // The cast is safe because the controls that these tests use need only these parts.
    controls: new RunControls({} as never, {} as never, { target: api } as never),
    scenarios: new Scenarios(new FakeTools()),
    ...{ cloud: door, hasSession: () => Promise.reject(new Error('of the embedded cloud')) },
    signedOut: () => void signedOut++,
  });
  ({ origin } = new URL(server.link(door.link())));
});

afterAll(async () => {
  await server.close({ ended: 'The run has ended.', verdict: null });
  cloud.close();
});

async function ask(method: string, path: string, headers: Record<string, string> = {}, body?: unknown) {
  const answer = await fetch(origin + path, {
    method,
    headers: { origin, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, json: text === '' ? undefined : JSON.parse(text) };
}

async function signIn(link = door.link()) {
  const token = new URL(link).hash.replace('#token=', '');
  const answer = await ask('POST', '/console/session', {}, { token });
  return { ...answer, cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
}

it('the cloud gets the key of the run and nothing of the browser, and sets no cookie there', async () => {
  const { cookie, json } = await signIn();
  expect(json).toEqual({ space_id: SPACE, expires_at: expect.stringMatching(/Z$/) });
  const answer = await ask('GET', `/v2/spaces/${SPACE}/devices?limit=2`, { cookie, 'x-api-key': 'of the browser' });
  expect([answer.status, answer.json, answer.headers.get('set-cookie')]).toEqual([200, [], null]);
  const [request] = seen.splice(0);
  expect(request?.url).toBe(`/cloud/v2/spaces/${SPACE}/devices?limit=2`);
  expect(request?.headers).toMatchObject({ 'x-api-key': KEY, authorization: `Basic ${btoa('ann:pass')}` });
  expect(request?.headers.host).toMatch(/^127\.0\.0\.1:/);
  expect([request?.headers.cookie, request?.headers.origin]).toEqual([undefined, undefined]);
});

it('nothing reaches the cloud without a session of the run, from another page, or for another path', async () => {
  const { cookie } = await signIn();
  const path = `/v2/spaces/${SPACE}/devices`;
  const foreign = await ask('POST', path, { cookie, origin: 'http://127.0.0.1:3000' }, {});
  const answers = [await ask('GET', path), await ask('GET', path, { 'x-api-key': KEY }), foreign];
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 403]);
  expect((await ask('GET', '/operator/metrics', { cookie })).status).toBe(404);
  expect(seen).toEqual([]);
});

it('the run learns of the downlinks that a page queues, and of nothing else', async () => {
  const { cookie } = await signIn();
  const of = `/v2/spaces/${SPACE}/devices/d1`;
  for (const path of [`${of}/commands`, `${of}/commands-refused`, `/v2/spaces/${SPACE}/tags`]) {
    await ask('POST', path, { cookie }, ['info show']);
  }
  expect(queued).toEqual([['[]', '["info show"]']]);
  expect(seen.splice(0)[0]?.headers).toMatchObject({ 'accept-encoding': 'identity', 'content-length': '13' });
});

it('of the headers of another cloud, the browser gets those of its data only', async () => {
  const { cookie } = await signIn();
  const { headers } = await ask('GET', '/v2/spaces', { cookie });
  const names = ['clear-site-data', 'access-control-allow-origin', 'x-total-count', 'x-content-type-options'];
  expect(names.map((name) => headers.get(name))).toEqual([null, null, '0', 'nosniff']);
  expect(headers.get('content-security-policy')).toContain('sandbox');
  seen.splice(0);
});

it.each(['odd-status', 'switches', 'interim'])(
  'an answer of the cloud that cannot be sent on (%s) is an error of one request',
  async (what) => {
    const { cookie } = await signIn();
    expect((await ask('GET', `/v2/${what}`, { cookie })).status).toBe(503);
    expect((await ask('GET', '/v2/spaces', { cookie })).status).toBe(200);
    seen.splice(0);
  },
);

it('an answer without an end to a queued downlink is cut off', async () => {
  const { cookie } = await signIn();
  await expect(
    ask('POST', `/v2/spaces/${SPACE}/devices/endless/commands`, { cookie }, ['info show']),
  ).rejects.toThrow();
  seen.splice(0);
});

it('a one-time token opens one session, until its user signs out', async () => {
  const link = door.link();
  const { cookie } = await signIn(link);
  const again = await signIn(link);
  expect([again.status, again.json.code]).toEqual([401, 'token-used']);
  expect((await ask('POST', '/console/session', {}, { credential: KEY })).status).toBe(401);
  expect((await ask('GET', '/v2/spaces', { cookie })).status).toBe(200);
  expect((await ask('DELETE', '/console/session', { cookie })).status).toBe(204);
  expect([(await ask('GET', '/v2/spaces', { cookie })).status, signedOut]).toEqual([401, 1]);
});

it('the time of another cloud cannot be paused, stepped or sped up', async () => {
  const { cookie } = await signIn();
  for (const [path, body] of [
    ['pause', {}],
    ['step', {}],
    ['step', { for: '10m' }],
    ['speed', { speed: 60 }],
  ] as const) {
    const { status, json } = await ask('POST', `/run/${path}`, { cookie }, body);
    expect([path, status, json.code]).toEqual([path, 400, 'real-time']);
  }
});

it('passes nothing more on when the run is over, and ends the open streams: the pages keep the end of the run', async () => {
  const { cookie } = await signIn();
  const stream = await fetch(`${origin}/v2/spaces/${SPACE}/events`, { headers: { cookie } });
  const rest = stream.text().then(
    () => 'ended',
    () => 'cut',
  );
  const before = seen.length;
  over.abort();
  expect(await rest).toBe('cut');
  const answer = await ask('GET', `/v2/spaces/${SPACE}/devices`, { cookie });
  expect([answer.status, answer.json.code, seen.length]).toEqual([410, 'run-over', before]);
});
