/** A service whose database goes away while it runs. */
import { afterEach, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/cloud/service.js';
import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { startPostgres } from '../support/postgres/server.js';
import { until } from '../support/until.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('a service whose database goes away', () => {
  it('goes on when it is back, and says so while it is not, without an error of its own', async () => {
    const server = await startPostgres();
    closing.push(() => server.stop());
    const failures: string[] = [];
    const service: Service = await startService({
      ...{ db: server.url, host: '127.0.0.1', port: 0, udpPort: null, udpRawPort: null, apiKey: 'key', operated: true },
      ...{ clock: new RealClock(), random: seededRandom('outage'), trace: { emit: () => {} } },
      log: { info: () => {}, warn: () => {}, error: (_, message) => failures.push(message) },
    });
    closing.push(() => service.close());
    const ask = async (path: string) => {
      const answer = await fetch(service.api + path, { headers: { 'x-api-key': 'key' } });
      return { status: answer.status, text: await answer.text(), retryAfter: answer.headers.get('retry-after') };
    };

    await server.crash();
    await until(async () => (await ask('/readyz')).status === 200);
    expect((await ask('/v2/spaces')).status).toBe(200);
    await server.stop();
    expect(await ask('/v2/spaces')).toMatchObject({ status: 503, retryAfter: '1' });
    expect((await ask('/readyz')).status).toBe(503);
    expect((await ask('/healthz')).status).toBe(200);
    expect((await ask('/metrics')).text).toContain('ghostfleet_http_request_seconds_count');
    await service.close();
    expect(failures.filter((message) => message === 'a request failed')).toEqual([]);
  });
});
