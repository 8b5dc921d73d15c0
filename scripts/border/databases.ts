/** The service on Debian's PostgreSQL, directly and through PgBouncer. */
import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startService } from '../../src/cloud/service.js';
import { keyFrom } from '../../src/cloud/store/secrets/key.js';
import { entropy } from '../../src/kernel/entropy.js';
import { GhostfleetError } from '../../src/kernel/errors.js';
import { SILENT } from '../../src/kernel/log.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import type { Verdict } from '../support/proof.js';
import { startBouncer } from './pgbouncer.js';
import { freePort, postgresPrograms, type Running, start } from './programs.js';

const API_KEY = 'a-key-behind-a-pooler';
const SECRETS = keyFrom('5'.repeat(64), 'the key of the checks');
const SERIAL = '2159017985';
const TOKEN = '00112233445566778899aabbccddeeff';
/** PostgreSQL refuses to run as root; root runs it as a user without rights. */
const UNPRIVILEGED = 65_534;

interface Server extends Running {
  readonly url: string;
}

export async function databases(): Promise<readonly Verdict[]> {
  const server = await startServer();
  try {
    const session = await startBouncer(server.url, 'session');
    const verdicts = [await serves('PgBouncer in session mode', session.url, server)];
    await session.stop();
    for (const mode of ['transaction', 'statement'] as const) {
      const pooler = await startBouncer(server.url, mode);
      const outcome = await serviceOn(pooler.url).then(
        (service) => service.close().then(() => 'started'),
        (error: unknown) => (error instanceof GhostfleetError ? error.code : String(error)),
      );
      await pooler.stop();
      const what = `PgBouncer in ${mode} mode is refused at the start`;
      verdicts.push({ what, held: outcome === 'transaction-pooling', detail: outcome });
    }
    return [...verdicts, await serves('PostgreSQL', server.url, server)];
  } finally {
    await server.stop();
  }
}

/** Sends a device's message ten times, and makes the database read-only for a while. */
async function serves(what: string, url: string, server: Server): Promise<Verdict> {
  const service = await serviceOn(url);
  try {
    const ask = async (path: string, body?: object, headers: Record<string, string> = { 'x-api-key': API_KEY }) => {
      const sent = body && { method: 'POST', body: JSON.stringify(body) };
      const answer = await fetch(service.api + path, {
        headers: { 'content-type': 'application/json', ...headers },
        ...sent,
      });
      return { status: answer.status, text: await answer.text() };
    };
    const until = async (path: string, status: number) => {
      while ((await ask(path)).status !== status) await new Promise((resolve) => setTimeout(resolve, 100));
    };
    const space = `/v2/spaces/${service.spaceId}`;
    await ask(`${space}/devices`, { name: 'freezer', serial_number: SERIAL, token: TOKEN });
    const before = server.output();
    const key = { authorization: `Claim ${TOKEN}`, 'idempotency-key': what };
    const statuses: number[] = [];
    for (let n = 0; n < 10; n++) {
      statuses.push((await ask(`/v2/device/${SERIAL}/uplink`, { type: 'data', body: { what } }, key)).status);
    }
    const logged = server.output().slice(before.length);
    const alter = (state: string) =>
      query(server.url, [`ALTER SYSTEM SET default_transaction_read_only = ${state}`, 'SELECT pg_reload_conf()']);
    await alter('on');
    await until('/readyz', 503);
    await alter('off');
    await until('/readyz', 200);
    const stored = JSON.parse((await ask(`${space}/messages?type[]=data&limit=50`)).text).length;
    const held = statuses.every((status) => status === 200) && !/ERROR/.test(logged);
    return {
      what: `${what} serves the service`,
      held,
      detail: `${statuses.join(' ')}, ${stored} stored ${logged}`,
    };
  } finally {
    await service.close();
  }
}

function serviceOn(db: string) {
  return startService({
    ...{ db, secretsKey: SECRETS, host: '127.0.0.1', port: 0, udpPort: null, udpRawPort: null, apiKey: API_KEY },
    ...{ operated: true, clock: new RealClock(), random: entropy, trace: { emit: () => {} }, log: SILENT },
  });
}

async function query(url: string, texts: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c default_transaction_read_only=off' });
  await client.connect();
  for (const text of texts) await client.query(text);
  await client.end();
}

async function startServer(): Promise<Server> {
  const programs = postgresPrograms() ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'gf-border-postgres-'));
  const uid = process.getuid?.() === 0 ? UNPRIVILEGED : undefined;
  if (uid !== undefined) chownSync(folder, uid, uid);
  const data = join(folder, 'data');
  const account = uid === undefined ? {} : { uid, gid: uid };
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'tester', '-A', 'trust', '-E', 'UTF8'], {
    ...account,
    cwd: folder,
    stdio: 'ignore',
  });
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', `port=${port}`];
  const words = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  const running = await start(join(programs, 'postgres'), words, port, uid);
  return {
    url: `postgres://tester:none@127.0.0.1:${port}/postgres`,
    output: running.output,
    stop: async () => {
      await running.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
