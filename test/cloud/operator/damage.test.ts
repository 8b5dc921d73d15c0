import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startService } from '../../../src/cloud/service.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { RealClock } from '../../../src/kernel/real-clock.js';

it('a service whose database is damaged stays alive and readable, is not ready, and stores nothing', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-damage-'));
  const db = join(directory, 'cloud.db');
  const errors: unknown[] = [];
  const log = { info: () => {}, warn: () => {}, error: (fields: object) => void errors.push(fields) };
  const start = () =>
    startService({
      ...{ db, host: '127.0.0.1', port: 0, udpPort: null, udpRawPort: null, apiKey: 'k', operated: true, log },
      ...{ clock: new RealClock(), random: seededRandom('damage'), trace: { emit: () => {} } },
    });
  const running = await start();
  const ask = async (path: string, body?: object) => {
    const headers = { 'x-api-key': 'k', ...(body && { 'content-type': 'application/json' }) };
    const init = { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) };
    const answer = await fetch(running.api + path, init);
    const { code } = (await answer.json()) as { readonly code?: string };
    return [answer.status, answer.headers.get('retry-after'), code];
  };
  rmSync(`${db}-wal`);
  expect(await ask('/readyz')).toEqual([503, '5', 'store-damaged']);
  expect(await ask('/healthz')).toEqual([200, null, undefined]);
  const tags = `/v2/spaces/${running.spaceId}/tags`;
  expect(await ask(tags, { name: 'roof', color: '#00ff00' })).toEqual([503, '60', 'store-damaged']);
  expect(await ask(tags)).toEqual([200, null, undefined]);
  expect(errors).toEqual([{ damage: `"${db}-wal" was removed or replaced while the service was running` }]);
  await running.close();

  truncateSync(db, 0);
  await expect(start()).rejects.toThrow('is missing or empty');
  rmSync(directory, { recursive: true });
});
