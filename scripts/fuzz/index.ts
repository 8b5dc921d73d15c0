/**
 * `npm run fuzz -- [--minutes 2] [--seed text]`, `npm run fuzz -- --scenarios 10000 [--seed text]`,
 * `npm run fuzz -- --downlinks 100000 [--seed text]`
 *
 * With `--scenarios`: checks this number of mutated scenarios (scenarios.ts). With `--downlinks`: sends this number of hostile
 * messages to devices of each family and version (downlinks/). Without them:
 *
 * Sends valid and invalid requests, made from the OpenAPI document, to a real service, and malformed datagrams to its UDP
 * ports. An answer must not be a failure of the service (5xx), must match the document and must not be late. The service must
 * keep running and must acknowledge the messages of a correct device meanwhile. Prints for each fault how to repeat it.
 */
import { createSocket } from 'node:dgram';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool as Connections } from 'undici';
import { seededRandom } from '../../src/kernel/random.js';
import { type EnvelopeFormat, hasValidTag, open, tokenBytes } from '../../src/protocol/flap/envelope.js';
import { type Document, inlined, judge } from '../../test/support/openapi.js';
import { FREE_PORTS, startServe } from '../support/serve-process.js';
import { UdpDevice } from '../support/udp-device.js';
import { Datagrams } from './datagrams.js';
import { fuzzDownlinks, repeatCase } from './downlinks/main.js';
import { fuzzDtls } from './dtls.js';
import { asCurl, type FuzzRequest, Requests } from './requests.js';
import { fuzzScenarios } from './scenarios.js';
import { Pool, Values } from './values.js';

const WORKERS = 4;
const API_KEY = 'fuzz-test-key';
const EMAIL = 'admin@example.com';
const PASSWORD = 'fuzz-test-password';
/** A correct device. */
const GOOD = { serial: 2_159_017_985, token: 'ffeeddccbbaa99887766554433221100', secret: 'cd'.repeat(16) };
const LATE_MS = 20_000;
const ENOUGH_FAULTS = 10;

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: `${Date.now()}` },
    scenarios: { type: 'string' },
    downlinks: { type: 'string' },
    case: { type: 'string' },
  },
});
if (options.scenarios !== undefined) checkScenarios(Number(options.scenarios), options.seed);
if (options.downlinks !== undefined) {
  process.exit((await fuzzDownlinks(options.seed, Number(options.downlinks))) === 0 ? 0 : 1);
}
if (options.case !== undefined) process.exit(await repeatCase(options.case));
const minutes = Number(options.minutes);
if (!(minutes > 0)) throw new Error(`--minutes "${options.minutes}" is not a number above 0`);
const { seed } = options;
console.log(`seed ${seed}`);

const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-fuzz-'));
const serveArgs = ['--db', join(directory, 'cloud.db'), '--api-key', API_KEY, '--admin', EMAIL];
const service = await startServe(serveArgs, FREE_PORTS, { GHOSTFLEET_ADMIN_PASSWORD: PASSWORD });
const { api, spaceId } = service;
const { computed } = JSON.parse(readFileSync('test/protocol/wire-vectors.json', 'utf8'));
const signer = { serial: Number(computed.serial), token: String(computed.token) };
const messages = Object.values<string>(computed.messages).map((hex) => Buffer.from(hex, 'hex'));

const tokens = new Map([signer, GOOD].map(({ serial, token }) => [serial, token]));
const faults: string[] = [];
const statuses = new Map<number, number>();
const succeeded = new Set<string>();
const deadline = performance.now() + minutes * 60_000;
const isRunning = () => performance.now() < deadline && faults.length < ENOUGH_FAULTS && service.alive;

function fault(sentence: string, repeat: string): void {
  faults.push(sentence);
  console.log(`FAULT ${sentence}\n  ${repeat}`);
}

async function ask(method: string, path: string, body?: unknown) {
  const answer = await fetch(api + path, {
    method,
    headers: { 'x-api-key': API_KEY, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return JSON.parse(await answer.text());
}

const document: Document = inlined(await ask('GET', '/v2/documentation/json'));
const fits = judge(document);
/** Ids that no request may delete or change, because the other requests need them. */
const keep: string[] = [spaceId];
for (const { serial, token, ...secret } of [signer, GOOD]) {
  const device = { name: `fuzz-${serial}`, serial_number: String(serial), token, ...secret };
  keep.push((await ask('POST', `/v2/spaces/${spaceId}/devices`, device)).id);
}
const login = await ask('POST', '/v2/auth/login', { email: EMAIL, password: PASSWORD });
for (const family of ['keys', 'users']) {
  const own: readonly { readonly id: string }[] = await ask('GET', `/v2/spaces/${spaceId}/${family}`);
  keep.push(...own.map(({ id }) => id));
}
const credentials = {
  apiKey: API_KEY,
  login: `Bearer ${login.access_token}`,
  claim: `Claim ${signer.token}`,
  serial: signer.serial,
  spaceId,
  keep,
};

/** Sends requests one after another; they depend on the seed and on the answers. */
async function requestsOf(worker: number): Promise<number> {
  const random = seededRandom(seed).fork(`http/${worker}`);
  const pool = new Pool();
  const requests = new Requests(document, random, new Values(random, pool), pool, credentials);
  const connections = new Connections(api, { connections: 1, headersTimeout: LATE_MS, bodyTimeout: LATE_MS });
  let count = 0;
  for (; isRunning(); count++) {
    const request = requests.next();
    await send(connections, request, pool);
  }
  await connections.destroy();
  return count;
}

async function send(connections: Connections, request: FuzzRequest, pool: Pool): Promise<void> {
  const { method, path, headers, body, operation, family } = request;
  try {
    // The cast is needed because undici's type lists fewer methods than are tried here.
    const answer = await connections.request({ method: method as 'GET', path, headers, body: body ?? null });
    const status = answer.statusCode;
    const text = isStream(answer.headers) ? await beginning(answer.body) : await answer.body.text();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status < 300) {
      succeeded.add(operation);
      pool.learn(family, parsed(text));
    }
    const wrong =
      status >= 500
        ? `${method} ${path.slice(0, 200)}: ${status} ${text}`
        : differs(request, answer.headers, status, text);
    if (wrong !== undefined) fault(wrong, asCurl(api, request));
  } catch (error) {
    if (!isRunning()) return;
    fault(`no answer: ${error instanceof Error ? error.message : String(error)}`, asCurl(api, request));
  }
}

function isStream(headers: NodeJS.Dict<string | string[]>): boolean {
  return String(headers['content-type'] ?? '').startsWith('text/event-stream');
}

/** The first part of a body that has no end; the connection is then closed. */
async function beginning(body: AsyncIterable<Buffer>): Promise<string> {
  for await (const part of body) return part.toString();
  return '';
}

function differs({ method, path }: FuzzRequest, headers: NodeJS.Dict<string | string[]>, status: number, text: string) {
  // No operation describes these: preflights, the documentation page, and HEAD.
  if (method === 'OPTIONS' || method === 'HEAD' || path.startsWith('/v2/documentation')) return undefined;
  return fits(method, path, status, String(headers['content-type'] ?? ''), text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends each datagram as soon as the previous one is answered, at the latest after 5 ms. */
async function datagramsOf(format: EnvelopeFormat, port: number): Promise<number> {
  const datagrams = new Datagrams(seededRandom(seed).fork(`udp/${format}`), signer, messages, format);
  const socket = createSocket('udp4');
  let arrived = () => {};
  let last = '';
  socket.on('message', (datagram) => {
    const envelope = open(datagram, format);
    // A flipped bit may have changed the serial number: the gateway then resets another device.
    const token = tokens.get(envelope?.serial ?? 0);
    if (!envelope || (token && !hasValidTag(envelope, tokenBytes(token)))) {
      fault('the gateway answered with an invalid packet', `after ${last}, ${Buffer.from(datagram).toString('hex')}`);
    } else if (envelope.serial === signer.serial) datagrams.answered(envelope.packet);
    arrived();
  });
  let count = 0;
  for (; isRunning(); count++) {
    const datagram = datagrams.next();
    last = `datagram ${count} to the ${format} port (hex): ${Buffer.from(datagram).toString('hex')}`;
    await new Promise<void>((resolve) => {
      arrived = resolve;
      socket.send(datagram, port, '127.0.0.1');
      setTimeout(resolve, 5);
    });
    if (!service.alive) fault('the service has died', last);
  }
  socket.close();
  return count;
}

/** Checks that the messages of a correct device are acknowledged throughout. */
async function goodDevice(): Promise<number> {
  const device = new UdpDevice(GOOD.serial, GOOD.token);
  const running = device.run([service.ports.udp]);
  while (isRunning()) {
    const before = device.acknowledged;
    const until = performance.now() + LATE_MS;
    while (performance.now() < until && isRunning()) await new Promise((resolve) => setTimeout(resolve, 100));
    if (device.acknowledged === before)
      fault('a correct device gets no answer', 'see the requests and datagrams before');
  }
  device.stop();
  await Promise.race([running, new Promise((resolve) => setTimeout(resolve, LATE_MS))]);
  return device.acknowledged;
}

/** Fuzzes the DTLS port, and checks that a correct handshake succeeds at the end. */
async function dtls(): Promise<number> {
  const target = { port: service.ports.udpDtls, serial: GOOD.serial, secret: GOOD.secret };
  const { count, opened } = await fuzzDtls(target, seededRandom(seed).fork('dtls'), isRunning);
  if (!opened) fault('a correct DTLS handshake fails', `repeat with --seed ${seed}`);
  return count;
}

const [requests, raw, base64, records, good] = await Promise.all([
  Promise.all(Array.from({ length: WORKERS }, (_, worker) => requestsOf(worker))),
  datagramsOf('raw', service.ports.udpRaw),
  datagramsOf('base64', service.ports.udp),
  dtls(),
  goodDevice(),
]);
if (!service.alive && faults.length === 0) fault('the service has died', service.complaints);
const { complaints } = service;
await service.end('SIGTERM');
rmSync(directory, { recursive: true });

const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length;
const total = requests.reduce((sum, count) => sum + count, 0);
const shares = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
console.log(
  `${total} requests (${shares.join(', ')}); ${succeeded.size} of ${operations} operations succeeded at least once`,
);
console.log(`${raw + base64} datagrams, ${records} with DTLS; ${good} messages of a correct device`);
if (complaints !== '') console.log(`log of the service:\n${complaints.slice(0, 5000)}`);
console.log(`${faults.length === 0 ? 'ok' : 'FAILED'}: ${faults.length} faults, seed ${seed}`);
process.exit(faults.length === 0 ? 0 : 1);

/** Checks mutated scenarios and ends the process. */
function checkScenarios(count: number, from: string): never {
  if (!Number.isInteger(count) || count < 1) throw new Error(`--scenarios "${count}" is not a number from 1`);
  const { checked, valid, slowestMs, faults: found } = fuzzScenarios(from, count, () => performance.now());
  for (const { number, why, text } of found.slice(0, ENOUGH_FAULTS)) console.log(`FAULT ${number}: ${why}\n${text}`);
  console.log(`${checked} scenarios, ${valid} of them valid; the slowest took ${Math.round(slowestMs)} ms`);
  console.log(`${found.length === 0 ? 'ok' : 'FAILED'}: ${found.length} faults, seed ${from}`);
  process.exit(found.length === 0 ? 0 : 1);
}
