/** Access to the cloud of a run, whose port all programs and web pages on this machine can reach. */
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DeviceCloudClient } from '../../../src/client/client.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { EmbeddedCloud } from '../../../src/runner/targets/embedded-cloud.js';
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
