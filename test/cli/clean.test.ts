/** What a run cannot delete in another cloud is listed, and `ghostfleet clean` removes it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { DeviceCloudClient } from '../../src/client/client.js';
import { type Service, startService } from '../../src/cloud/service.js';
import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { QUIET } from '../support/cloud.js';
import { ghostfleet } from '../support/host.js';

const KEY = 'our-own-key';
let folder: string;
let service: Service;
let proxy: Server;
let client: DeviceCloudClient;
/** What the space has from the beginning. */
let before: readonly string[] = [];
/** What the proxy does with a request: pass it on, refuse it, or lose or garble its answer. */
let fate: (method: string, path: string) => Fate | Promise<Fate> = () => 'pass';
type Fate = 'pass' | 'refuse' | 'lose' | 'garble';

beforeEach(() => {
  fate = () => 'pass';
  folder = mkdtempSync(join(tmpdir(), 'ghostfleet-clean-'));
});

afterEach(async () => {
  // All tests share the service.
  for (const { id } of await client.devices()) await client.deleteDevice(id);
  for (const { id } of await client.tags()) await client.deleteTag(id);
  for (const { id } of await client.variables()) await client.deleteVariable(id);
  for (const { id } of await client.connectors()) await client.deleteConnector(id);
  for (const { id } of await client.firmwareImages()) await client.deleteFirmwareImage(id);
  for (const { id, name } of await client.keys()) if (name === 'dash') await client.deleteKey(id);
  for (const { id, email } of await client.users()) if (email === INVITED) await client.deleteUser(id);
  rmSync(folder, { recursive: true });
});

beforeAll(async () => {
  service = await startService({
    ...{ db: 'memory', host: '127.0.0.1', port: 0, udpPort: null, udpRawPort: null, apiKey: KEY, log: QUIET },
    ...{ clock: new RealClock(), random: seededRandom('service'), trace: { emit: () => {} } },
  });
  client = new DeviceCloudClient({ baseUrl: service.api, apiKey: KEY, spaceId: service.spaceId });
  before = await present();
  proxy = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { method = '', url = '' } = request;
    const verdict = await fate(method, url);
    if (verdict === 'refuse') return response.writeHead(403).end('{"message":"no"}');
    const answer = await fetch(service.api + url, {
      method,
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      ...(parts.length > 0 && { body: Buffer.concat(parts) }),
    });
    const text = await answer.text();
    if (verdict === 'lose') return request.socket.destroy();
    const shown = verdict === 'garble' ? '<html>' : text;
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(shown);
  });
  await new Promise<void>((open) => proxy.listen(0, '127.0.0.1', open));
});

afterAll(async () => {
  await client?.close();
  proxy?.closeAllConnections();
  await new Promise((closed) => proxy?.close(closed));
  await service?.close();
});

const at = () => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
const env = () => ({ XDG_STATE_HOME: folder, GHOSTFLEET_API_KEY: KEY });

const INVITED = 'ada@example.com';
const SETUP = '[{ variable: { name: url, value: x } }]';
/** All kinds of resources. */
const EVERY_KIND = `
  - variable: { name: url, value: x, environment: production, secure: true }
  - tag: { name: warm }
  - connector: { name: forward, script: "function main(job) { return null }" }
  - firmware: { name: v2, profile: clime, version: v9.0.0, size: 512 }
  - client: { name: dash }
  - request: { post: /users/invite, body: { email: ${INVITED} }, delete: "/users/{id}" }
  - request: { post: /variables, body: { name: made, value: x } }`;

function run(more: readonly string[] = [], options: Partial<Parameters<typeof ghostfleet>[1]> = {}, setup = SETUP) {
  const file = join(folder, 'short.yaml');
  const fleet = '[{ name: clime, profile: clime, count: 2, tags: [cold] }]';
  writeFileSync(file, `name: short\nduration: 1s\nsettle: 1s\nfleet: ${fleet}\nsetup: ${setup}\n`);
  return ghostfleet(['run', file, '--target', at(), '--link', 'http', '--speed', '1000', ...more], {
    env: env(),
    ...options,
  });
}

async function present() {
  const lists = [client.devices(), client.tags(), client.variables(), client.connectors(), client.firmwareImages()];
  const [keys, users] = [await client.keys(), await client.users()];
  const named = [...(await Promise.all<readonly { readonly name: string | null }[]>(lists)).flat(), ...keys];
  const names = [...named.map(({ name }) => String(name)), ...users.map(({ email }) => email)];
  return names.filter((name) => !before.includes(name)).sort();
}

const runIn = (text: string) => /ghostfleet clean\s+(\S+?)"/.exec(text)?.[1] ?? '';

it('things that a run cannot delete are in its reports, the next run names them, and clean removes them', async () => {
  fate = (method) => (method === 'DELETE' ? 'refuse' : 'pass');
  const out = join(folder, 'out');
  const first = await run(['--out', out]);
  const name = runIn(first.out);
  expect(first.out).toMatch(/! 4 things of the run "short-\w+" are still in http/);
  expect(first.out).toMatch(/left in http.*\n {2}device "clime-000\d": DELETE/);
  const { left } = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8'));
  const whats = ['device "clime-0001"', 'device "clime-0002"', 'tag "cold"', 'variable "url"'];
  expect(left.things.map(({ what }: { what: string }) => what).sort()).toEqual(whats);
  expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('Left in the cloud');
  const second = await run();
  expect(second.err).toContain(
    `4 things of the run "${name}" are still in ${at()}; "ghostfleet clean ${name}" removes them`,
  );
  expect((await ghostfleet(['clean', name], { env: env() })).exit).toBe(4);
  fate = () => 'pass';
  const cleaned = await ghostfleet(['clean', name], { env: env() });
  expect([cleaned.exit, cleaned.out.split('\n').filter(Boolean).length]).toEqual([0, 4]);
  expect(await present()).toEqual([]);
  expect((await ghostfleet(['clean', name], { env: env() })).err).toContain('no record of things');
});

/** The records in the state folder of the user. */
function records(): readonly { readonly run: string; readonly things: readonly { readonly what: string }[] }[] {
  const place = join(folder, 'ghostfleet', 'leftovers');
  return readdirSync(place).map((file) => JSON.parse(readFileSync(join(place, file), 'utf8')));
}

it.each(['1', '2'])('what a run with --workers %s deletes is on record until it is deleted', async (workers) => {
  let stop = () => {};
  const interruptWhen = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let during: ReturnType<typeof records> | undefined;
  let posts = 0;
  fate = (method, path) => {
    if (method === 'DELETE') during ??= records();
    if (method === 'POST' && path.endsWith('/devices') && ++posts === 2) stop();
    return 'pass';
  };
  const { exit } = await run(['--workers', workers], { interruptWhen });
  expect(exit).toBe(130);
  const whats = ['device "clime-0001"', 'device "clime-0002"', 'tag "cold"', 'variable "url"'];
  expect(during?.flatMap(({ things }) => things.map(({ what }) => what)).sort()).toEqual(whats);
  expect([records(), await present()]).toEqual([[], []]);
});

it('clean deletes what is on record of a run that was ended during its clean-up', async () => {
  let saved = '';
  fate = (method) => {
    if (method !== 'DELETE') return 'pass';
    saved ||= JSON.stringify(records()[0]);
    return 'refuse';
  };
  await run();
  const { run: name } = JSON.parse(saved);
  // As if the process had ended at the first deletion.
  writeFileSync(join(folder, 'ghostfleet', 'leftovers', `${name}.json`), saved);
  fate = () => 'pass';
  expect((await run()).err).toContain(`4 things of the run "${name}" are still in`);
  expect((await ghostfleet(['clean', name], { env: env() })).exit).toBe(0);
  expect(await present()).toEqual([]);
});

/** Environments in which no record can be saved, with what is wrong. */
const WITHOUT_RECORD: readonly (readonly [string, () => Record<string, string>, string])[] = [
  [
    'a state folder below a file',
    () => ({ XDG_STATE_HOME: join(folder, 'short.yaml') }),
    'a file with that name exists',
  ],
  ['a home in /proc', () => ({ HOME: '/proc/1' }), '"/proc/1/.local/state/ghostfleet/leftovers/'],
  ['no home', () => ({}), 'the record for "ghostfleet clean" needs a directory'],
];

it.each(WITHOUT_RECORD)('a run with %s does not promise that clean removes what it left', async (_, given, why) => {
  fate = (method) => (method === 'DELETE' ? 'refuse' : 'pass');
  const { out, err } = await run([], { env: { ...given(), GHOSTFLEET_API_KEY: KEY } });
  expect(err.split(why)).toHaveLength(2);
  expect(err).toContain('set XDG_STATE_HOME to a directory that you may write');
  expect(out.replace(/\s+/g, ' ')).toContain('no record was saved, so delete them by hand');
  expect(out + err).not.toContain('"ghostfleet clean short');
});

it('a search for the capacity says once that no record can be saved', async () => {
  fate = (method) => (method === 'DELETE' ? 'refuse' : 'pass');
  const file = join(folder, 'short.yaml');
  const fleet = '[{ name: clime, profile: clime, count: 1 }]';
  writeFileSync(file, `name: short\nduration: 1s\nfleet: ${fleet}\nexpect: [uplink.stored > 1000]\n`);
  const words = [
    '--vary',
    'fleet.devices',
    '--from',
    '1',
    '--to',
    '2',
    '--target',
    at(),
    '--link',
    'http',
    '--budget',
    '1s',
  ];
  const { err } = await ghostfleet(['capacity', file, ...words], { env: { GHOSTFLEET_API_KEY: KEY } });
  expect(err.split('the record for "ghostfleet clean"')).toHaveLength(2);
});

it('a run that cannot save a record names the folder of --out, which clean takes', async () => {
  fate = (method) => (method === 'DELETE' ? 'refuse' : 'pass');
  const out = join(folder, 'out');
  const there = { GHOSTFLEET_API_KEY: KEY };
  const { out: report } = await run(['--out', out], { env: there });
  expect(report.replace(/\s+/g, ' ')).toContain(`"ghostfleet clean ${out}" removes them`);
  fate = () => 'pass';
  expect((await ghostfleet(['clean', out, '--target', at(), '--yes'], { env: there })).exit).toBe(0);
  expect(await present()).toEqual([]);
});

it('clean also takes the folder of --out', async () => {
  fate = (method) => (method === 'DELETE' ? 'refuse' : 'pass');
  const out = join(folder, 'out');
  await run(['--out', out]);
  fate = () => 'pass';
  expect((await ghostfleet(['clean', out], { env: env() })).exit).toBe(0);
  expect(await present()).toEqual([]);
});

it('clean sends the key to the address in a folder of others only if the user gives it', async () => {
  fate = (method) => (method === 'DELETE' ? 'refuse' : 'pass');
  const out = join(folder, 'out');
  await run(['--out', out]);
  let asked = 0;
  fate = () => {
    asked++;
    return 'pass';
  };
  const others = { GHOSTFLEET_API_KEY: KEY };
  const refused = await ghostfleet(['clean', out], { env: others });
  expect([refused.exit, asked]).toEqual([2, 0]);
  expect(refused.err).toMatch(/says that the run was at http:\S+, and made \/devices\/[0-9a-f-]{36}, /);
  expect(refused.err).toContain(`if you trust it, use --target ${at()} --yes`);
  const unconfirmed = await ghostfleet(['clean', out, '--target', at()], { env: others });
  expect([unconfirmed.exit, asked]).toEqual([2, 0]);
  expect((await ghostfleet(['clean', out, '--target', at(), '--yes'], { env: others })).exit).toBe(0);
  expect(await present()).toEqual([]);
});

it('a folder of others cannot add lines to the message, or words to the command that it names', async () => {
  fate = (method) => (method === 'DELETE' ? 'refuse' : 'pass');
  const out = join(folder, 'forged');
  await run(['--out', out]);
  const { left, ...rest } = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8'));
  const forged = { ...left, api: 'a\r\nb; rm x' };
  writeFileSync(join(out, 'summary.json'), JSON.stringify({ ...rest, left: forged }));
  const { err } = await ghostfleet(['clean', out], { env: { GHOSTFLEET_API_KEY: KEY } });
  expect(err.split('\n')).toEqual([
    expect.stringContaining('was at a\\u000d\\nb; rm x, and made /devices/'),
    "if you trust it, use --target $'a\\015\\nb; rm x' --yes",
    '',
  ]);
});

it.each([
  ['a name that leads elsewhere', { run: '../../elsewhere' }],
  ['things that are not objects', { things: [null, 5] }],
  ['a thing with a path that is not a text', { things: [{ what: 'x', why: 'y', space: null, path: {} }] }],
  ['a path with a parameter', { things: [{ what: 'x', why: 'y', space: null, path: '/keys/1?children=true' }] }],
  [
    'fields that are not texts',
    { things: [{ what: 'x', why: 'y', space: null, path: '/keys/{id}', by: { name: {} } }] },
  ],
  ['a space that is not a text', { spaceId: 5 }],
  ['no address', { api: null }],
])('clean takes no record with %s', async (_, change) => {
  const record = { run: 'a-b', api: at(), spaceId: 'x', since: '2026-01-01T00:00:00Z', things: [], ...change };
  writeFileSync(join(folder, 'summary.json'), JSON.stringify({ left: record }));
  const { exit, err } = await ghostfleet(['clean', folder, '--target', at(), '--yes'], { env: env() });
  expect([exit, err]).toEqual([2, expect.stringContaining('no record of things')]);
});

it('a device whose creation got no answer is found by its serial number and deleted', async () => {
  let posts = 0;
  fate = (method, path) => (method === 'POST' && path.endsWith('/devices') && ++posts === 2 ? 'lose' : 'pass');
  const { exit, err } = await run();
  expect([exit, err]).toEqual([2, expect.stringContaining('got no answer')]);
  expect(await present()).toEqual([]);
});

/** The requests that create the resources of {@link EVERY_KIND}. */
const CREATIONS = ['tags', 'variables', 'connectors', 'firmware-images', 'keys', 'users/invite'];

it.each(CREATIONS.flatMap((what) => (['lose', 'garble'] as const).map((how) => [what, how] as const)))(
  'what POST %s made is found and deleted if the proxy did %s the answer',
  async (what, how) => {
    fate = (method, path) => (method === 'POST' && path.endsWith(`/${what}`) ? how : 'pass');
    const { exit, err } = await run([], {}, EVERY_KIND);
    expect([exit, err]).toEqual([
      2,
      expect.stringMatching(how === 'lose' ? 'got no answer' : 'the answer is not JSON'),
    ]);
    expect(await present()).toEqual([]);
  },
);

it.each(['1', '2'])('with --workers %s, clean finds what got no answer and could not be deleted', async (workers) => {
  let isLost = false;
  fate = (method, path) => {
    if (method === 'DELETE') return 'refuse';
    isLost ||= method === 'POST' && path.endsWith('/keys');
    return isLost && method === 'POST' ? 'lose' : isLost ? 'refuse' : 'pass';
  };
  const { err } = await run(['--workers', workers], {}, EVERY_KIND);
  expect(err).toContain('key "dash": GET');
  fate = () => 'pass';
  const { out } = await ghostfleet(['clean', runIn(err)], { env: env() });
  expect(out).toContain('removed key "dash"\n');
  expect(await present()).toEqual([]);
});

it('what has the name of a thing without an answer, but is older than the run, stays', async () => {
  await client.createKey({ name: 'dash' });
  fate = (method, path) => (method === 'POST' && path.endsWith('/keys') ? 'lose' : 'pass');
  await run([], {}, EVERY_KIND);
  expect(await present()).toEqual(['dash']);
});

it('a thing without a name whose creation got no answer is named, with the list in which to look for it', async () => {
  fate = (method, path) => (method === 'POST' && path.endsWith('/downlinks') ? 'lose' : 'pass');
  const setup = '[{ request: { post: /users/x/downlinks, body: { value: 1 } } }]';
  const { err } = await run([], {}, setup);
  expect(err).toContain(
    'what POST /users/x/downlinks made: the answer to its creation was lost; look for it in /users/x/downlinks, and delete it',
  );
});

it('a failed start lists what it could not delete', async () => {
  fate = (method, path) =>
    method === 'DELETE' || (method === 'POST' && path.endsWith('/devices')) ? 'refuse' : 'pass';
  const { exit, err } = await run();
  expect([exit, err]).toEqual([
    2,
    expect.stringMatching(/2 things of the run "short-\w+" are still in .*\n {2}tag "cold"/),
  ]);
});

it('a tag that devices of another run have stays', async () => {
  let theirs: Promise<unknown> | undefined;
  const tagTheirs = async () => {
    const [tag] = await client.tags();
    const tags = tag === undefined ? [] : [{ id: tag.id }];
    await client.createDevice({ name: 'theirs', serial_number: '2159000001', token: 'a'.repeat(32), tags });
  };
  fate = async (method): Promise<Fate> => {
    // The run has just ended, and the other one begins.
    if (method === 'DELETE') {
      theirs ??= tagTheirs();
      await theirs;
    }
    return 'pass';
  };
  const { out } = await run();
  expect(await present()).toEqual(['cold', 'theirs']);
  expect(out).toContain('tag "cold": devices still use it');
});
