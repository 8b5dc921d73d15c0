/** Access to the cloud of a run, whose port all programs and web pages on this machine can reach. */
import { createSocket } from 'node:dgram';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { DeviceCloudClient } from '../../../src/client/client.js';
import { StoreUnavailable } from '../../../src/cloud/store/store.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { EmbeddedCloud } from '../../../src/runner/targets/embedded-cloud.js';
import { ServiceFaults } from '../../../src/runner/targets/service-faults.js';
import { QUIET } from '../../support/cloud.js';
import { folderOfTest } from '../../support/folder-of-test.js';

const open: EmbeddedCloud[] = [];
afterAll(() => Promise.all(open.map((cloud) => cloud.close())));

async function started(options: Partial<ConstructorParameters<typeof EmbeddedCloud>[0]> = {}) {
  const cloud = new EmbeddedCloud({
    ...{ db: 'memory', space: 'run', udp: false, clock: new RealClock(), random: seededRandom('1') },
    ...{ trace: { emit: () => {} }, log: QUIET, ...options },
  });
  open.push(cloud);
  await cloud.start();
  const { service } = cloud;
  if (service?.apiKey === undefined) throw new Error('no key');
  const { port } = new URL(service.api);
  const get = (path: string, headers: Record<string, string>) =>
    new Promise<{ status: number | undefined; headers: Readonly<Record<string, unknown>> }>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, headers }, (answer) => {
        answer.resume().on('end', () => resolve({ status: answer.statusCode, headers: answer.headers }));
      })
        .on('error', reject)
        .end();
    });
  return { cloud, apiKey: service.apiKey, port, get };
}

describe('the cloud of a run', () => {
  it('has API keys that do not depend on the seed', async () => {
    const [one, other] = await Promise.all([started(), started()]);
    expect(one.apiKey).not.toBe(other.apiKey);
    const keys = await Promise.all([one, other].map(({ cloud }) => cloud.openSpace('second')));
    expect(keys[0]?.apiKey).not.toBe(keys[1]?.apiKey);
  });

  it('answers only under the names of this machine', async () => {
    const { apiKey, port, get } = await started();
    const status = async (host: string) => (await get('/v2/spaces', { host, 'x-api-key': apiKey })).status;
    expect(await status(`127.0.0.1:${port}`)).toBe(200);
    expect(await status(`LOCALHOST:${port}`)).toBe(200);
    expect(await status(`attacker.example:${port}`)).toBe(403);
    expect(await status(`127.0.0.1.attacker.example:${port}`)).toBe(403);
  });

  it('lets no web page read its answers, and no cache store them', async () => {
    const { apiKey, get } = await started();
    const { headers } = await get('/v2/spaces', { origin: 'https://attacker.example', 'x-api-key': apiKey });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('the process of the cloud', () => {
  /** Tries to take the ports of a cloud, as another program on this machine. Resolves with the number that it got. */
  async function taken(cloud: EmbeddedCloud, api: string): Promise<number> {
    const udp = Object.values(cloud.ports.udp ?? {}).map((port) => createSocket('udp4').bind(port, '127.0.0.1'));
    const others = [...udp, createServer().listen(Number(api), '127.0.0.1')];
    const got = await Promise.all(
      others.map(
        (other) =>
          new Promise<number>((resolve) => {
            other.once('listening', () => other.close(() => resolve(1)));
            other.once('error', () => resolve(0));
          }),
      ),
    );
    return got.reduce((sum, each) => sum + each, 0);
  }

  it('keeps its four ports while it is down, also if a start fails, and gives them back at the end', async () => {
    let broken = false;
    const store = new StoreUnavailable(new Error('a test'));
    const faults = new ServiceFaults({
      faults: [],
      clock: new VirtualClock(),
      random: seededRandom('1'),
      struck: () => {},
    });
    vi.spyOn(faults, 'useStore').mockImplementation(() => {
      if (broken) throw store;
    });
    const { cloud, port } = await started({ udp: true, virtual: true, faults });
    const { ports } = cloud;
    await cloud.kill();
    const whileDown = await taken(cloud, port);
    broken = true;
    await expect(cloud.start()).rejects.toThrow();
    const afterFailure = await taken(cloud, port);
    broken = false;
    await cloud.start();
    expect([whileDown, afterFailure, cloud.ports]).toEqual([0, 0, ports]);
    expect(cloud.service?.api).toMatch(new RegExp(`:${port}$`));
    await cloud.kill();
    await cloud.close();
    expect(await taken(cloud, port)).toBe(4);
  });

  it('ends although clients keep their ends of connections open, before, in and after a request', async () => {
    const { cloud, port } = await started();
    const head = 'GET /v2/spaces HTTP/1.1\r\nhost: 127.0.0.1\r\n';
    const clients = ['', head, `${head}\r\n`].map((text) => {
      const client = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
      client.write(text);
      return client.resume();
    });
    const answered = new Promise((resolve) => clients[2]?.once('data', resolve));
    await Promise.all(clients.map((client) => new Promise((resolve) => client.once('connect', resolve))));
    await answered;
    await cloud.kill();
    expect(cloud.running).toBe(false);
  });
});

describe('a session of the console', () => {
  /** Begins a session. Resolves with its secret, and with a client for the API of the cloud. */
  async function signedIn({ cloud, apiKey }: Awaited<ReturnType<typeof started>>) {
    const { service } = cloud;
    const { origin, hash } = new URL(service?.consoleLink() ?? '');
    const answer = await fetch(`${origin}/console/session`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ token: hash.replace('#token=', '') }),
    });
    const secret = answer.headers.get('set-cookie')?.split(';')[0]?.split('=')[1] ?? '';
    const api = new DeviceCloudClient({ baseUrl: service?.api ?? '', apiKey, spaceId: service?.spaceId ?? '' });
    return { secret, api };
  }

  it.each(['memory', 'sqlite'])(
    'ends with its key, also if the cloud (%s) is down before the next question',
    async (db) => {
      const run = await started({ db: db === 'memory' ? db : join(folderOfTest(), 'run.db'), webConsole: '/nowhere' });
      const [kept, deleted] = [await signedIn(run), await signedIn(run)];
      await deleted.api.deleteKey((await deleted.api.keys()).at(-1)?.id ?? '');
      await Promise.all([kept, deleted].map(({ api }) => api.close()));
      await run.cloud.kill();
      const whileDown = [await run.cloud.hasSession(kept.secret), await run.cloud.hasSession(deleted.secret)];
      await run.cloud.start();
      const afterwards = [await run.cloud.hasSession(kept.secret), await run.cloud.hasSession(deleted.secret)];
      expect([whileDown, afterwards]).toEqual([
        [true, false],
        [true, false],
      ]);
    },
  );
});
