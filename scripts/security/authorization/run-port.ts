/**
 * The authorization matrix of the port of a run: every request that controls the run × every way in which a local program or a
 * page could send it, while the cloud of the run is up and while it is down. Only a session that began with a one-time token
 * controls the run.
 */
import { request as send } from 'node:http';
import { DeviceCloudClient } from '../../../src/client/client.js';
import type { Service } from '../../../src/cloud/service.js';
import type { RunControls } from '../../../src/control/controls.js';
import { ROUTES } from '../../../src/control/routes.js';
import { Scenarios } from '../../../src/control/scenarios.js';
import { RunServer } from '../../../src/control/server.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { EmbeddedCloud } from '../../../src/runner/targets/embedded-cloud.js';
import { ServiceFaults } from '../../../src/runner/targets/service-faults.js';
import { FakeTools } from '../../../test/control/scenario-tools.js';
import type { MatrixVerdict } from './matrix.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Other ways to write a path of the run: they must not pass for it at one place and for another path at the next. */
const DISGUISED = [
  '//run',
  '/./run',
  '/x/../run',
  '/%72un',
  '/RUN',
  '/run%2fpause',
  '/run/../run/pause',
  '/run;x',
  '/run/',
];

type Headers = Readonly<Record<string, string>>;

interface Caller {
  readonly name: string;
  readonly headers: Headers;
  /** Status of every request; undefined: the caller controls the run. */
  readonly refused?: 401 | 403;
}

interface Port {
  readonly cloud: EmbeddedCloud;
  readonly server: RunServer;
  readonly origin: string;
  /** How often a control of the run was used. */
  readonly used: () => number;
  setDown(isDown: boolean): Promise<void>;
}

/** @param part `sample`: each caller tries each method with one path and one disguised path, in turn */
export async function runPortMatrix(part: 'whole' | 'sample'): Promise<MatrixVerdict> {
  const port = await open();
  const callers = await callersOf(port);
  const paths = [...new Set(ROUTES.map(({ path }) => (path.endsWith('/') ? `${path}x` : path))), '/run/unknown'];
  const failures: string[] = [];
  let requests = 0;
  try {
    for (const attempt of attempts(part, callers, paths)) {
      const { method, path, caller, isDown } = attempt;
      await port.setDown(isDown);
      const before = port.used();
      const status = await statusOf(port.origin, method, path, caller.headers);
      requests += 1;
      const isRight = isExpected(attempt, status) && (caller.refused === undefined || port.used() === before);
      if (!isRight) failures.push(`${method} ${path}, ${caller.name}${isDown ? ', cloud down' : ''}: ${status}`);
    }
  } finally {
    await port.server.close({ ended: 'The run has ended.', verdict: null });
    await port.cloud.close();
  }
  const operations = paths.length * METHODS.length;
  return { operations, credentials: callers.length, requests, checks: requests, failures };
}

interface Attempt {
  readonly caller: Caller;
  readonly method: string;
  readonly path: string;
  readonly isDown: boolean;
}

function* attempts(part: string, callers: readonly Caller[], paths: readonly string[]): Generator<Attempt> {
  let turn = 0;
  // Down first: the port has not asked for a session before, and a session that has ended must be closed all the same.
  for (const isDown of [true, false]) {
    for (const caller of callers) {
      const disguised = caller.refused ? DISGUISED : [];
      for (const method of METHODS) {
        turn += 1;
        const all = part === 'whole' ? [...paths, ...disguised] : [...nth(paths, turn), ...nth(disguised, turn)];
        for (const path of all) yield { caller, method, path, isDown };
      }
    }
  }
}

function isExpected({ caller: { refused }, method, path }: Attempt, status: number): boolean {
  if (refused === undefined) return status !== 401 && status !== 403 && status < 500;
  // The cloud gets a disguised path. It answers every OPTIONS.
  return DISGUISED.includes(path) ? status >= 400 || method === 'OPTIONS' : status === refused;
}

async function open(): Promise<Port> {
  const [clock, random] = [new RealClock(), seededRandom('port of a run')];
  const cloud = new EmbeddedCloud({
    ...{ db: 'memory', space: 'run', udp: false, clock, random, trace: { emit: () => {} }, webConsole: '/nowhere' },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    faults: new ServiceFaults({ faults: [], clock, random, struck: () => {} }),
  });
  await cloud.start();
  let used = 0;
  const control = () => {
    used += 1;
    return null;
  };
  const values: Readonly<Record<string | symbol, unknown>> = { travel: undefined, speed: 1, wall: 0 };
  // The cast is safe because the server only reads these values, and calls the other controls.
  const controls = new Proxy({}, { get: (_, name) => (name in values ? values[name] : control) }) as RunControls;
  const server = await RunServer.open({
    ...{ controls, scenarios: new Scenarios(new FakeTools()), cloud: serviceOf(cloud).api },
    hasSession: (secret) => cloud.hasSession(secret),
  });
  const setDown = (isDown: boolean) => (isDown ? cloud.kill() : cloud.start());
  const { origin } = new URL(server.link(`${serviceOf(cloud).api}/`));
  return { cloud, server, origin, used: () => used, setDown };
}

function serviceOf({ service }: EmbeddedCloud): Service {
  if (service) return service;
  throw new Error('the cloud is down');
}

async function callersOf(port: Port): Promise<readonly Caller[]> {
  const { origin } = port;
  const service = serviceOf(port.cloud);
  const { apiKey = '' } = service;
  const own = { origin, 'content-type': 'application/json' };
  const ask = (method: string, path: string, headers: Headers, body?: unknown) =>
    fetch(origin + path, { method, headers: { ...own, ...headers }, ...(body ? { body: JSON.stringify(body) } : {}) });
  const signIn = async (body: object) => {
    const answer = await ask('POST', '/console/session', {}, body);
    return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  };
  const token = () => new URL(service.consoleLink() ?? '').hash.replace('#token=', '');
  const api = new DeviceCloudClient({ baseUrl: service.api, apiKey, spaceId: service.spaceId });
  const { key: reading } = await api.createKey({ name: 'reading', access_type: 'read' });

  const once = token();
  const controlling = await signIn({ token: once });
  const left = await signIn({ token: token() });
  await ask('DELETE', '/console/session', { cookie: left });
  const deleted = await signIn({ token: token() });
  const ofNewest = async () => (await api.keys()).at(-1)?.id ?? '';
  await api.deleteKey(await ofNewest());
  const rotated = await signIn({ token: token() });
  await api.rotateKey(await ofNewest());
  await api.close();
  const atCloud = await fetch(`${service.api}/console/session`, {
    ...{ method: 'POST', headers: { origin: service.api, 'content-type': 'application/json' } },
    body: JSON.stringify({ token: token() }),
  });
  const [name = '', secret = ''] = controlling.split('=');
  const ofCloud = (atCloud.headers.get('set-cookie') ?? '').split(';')[0]?.split('=')[1];
  const cookie = (value: string, refused: 401 | 403 = 401) => ({ headers: { cookie: value }, refused });
  return [
    { name: 'session with a token', headers: { cookie: controlling, origin } },
    { name: 'no credential', headers: {}, refused: 401 },
    { name: 'API key', headers: { 'x-api-key': apiKey }, refused: 401 },
    { name: 'reading API key', headers: { 'x-api-key': reading }, refused: 401 },
    { name: 'API key as a token', headers: { authorization: `Bearer ${apiKey}` }, refused: 401 },
    { name: 'secret of the session as a key', headers: { 'x-api-key': secret }, refused: 401 },
    { name: 'API key in the cookie', ...cookie(`${name}=${apiKey}`) },
    { name: 'unknown cookie', ...cookie(`${name}=${'f'.repeat(36)}`) },
    { name: 'cookie of another port', ...cookie(`ghostfleet-1=${secret}`) },
    { name: 'session with an API key', ...cookie(await signIn({ credential: apiKey })) },
    { name: 'session with a reading key', ...cookie(await signIn({ credential: reading })) },
    { name: 'sign-in with a key and a token', ...cookie(await signIn({ credential: reading, token: 'x' })) },
    { name: 'token that was used', ...cookie(await signIn({ token: once })) },
    { name: 'session that began at the cloud', ...cookie(`${name}=${ofCloud}`) },
    { name: 'session that has ended', ...cookie(left) },
    { name: 'session whose key was deleted', ...cookie(deleted) },
    { name: 'session whose key was rotated', ...cookie(rotated) },
    { name: 'page of another port', headers: { cookie: controlling, origin: 'http://127.0.0.1:1' }, refused: 403 },
    { name: 'page of another site', headers: { cookie: controlling, 'sec-fetch-site': 'cross-site' }, refused: 403 },
    { name: 'another name of the host', headers: { cookie: controlling, host: 'evil.example' }, refused: 403 },
  ];
}

/** The item of a list whose turn it is; an empty list has none. */
function nth(list: readonly string[], turn: number): readonly string[] {
  return list.slice(turn % list.length).slice(0, 1);
}

/** The status of an answer, whose body may have no end. */
function statusOf(origin: string, method: string, path: string, headers: Headers): Promise<number> {
  const { hostname, port } = new URL(origin);
  const body = method === 'GET' || method === 'HEAD' ? '' : '{}';
  return new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'content-length': String(body.length), 'content-type': 'application/json' };
    const request = send({ hostname, port, method, path, headers: { ...headers, ...length }, agent: false });
    request.on('response', (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    request.on('error', reject);
    request.end(body);
  });
}
