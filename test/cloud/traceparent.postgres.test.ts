/** The `traceparent` of the request that queued a downlink: every store keeps it with the downlink. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/cloud/service.js';
import { seededRandom } from '../../src/kernel/random.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { QUIET, SERIAL, TOKEN } from '../support/cloud.js';
import { newDatabase, sharedServer, TEST_KEY } from '../support/postgres/databases.js';

// This call fails with a reason if the PostgreSQL server did not start.
await sharedServer();

const directory = mkdtempSync(join(tmpdir(), 'gf-'));
afterAll(() => rmSync(directory, { recursive: true }));

const VALID = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const STORES: readonly (readonly [string, () => Promise<string>])[] = [
  ['memory', async () => 'memory'],
  ['SQLite', async () => join(directory, 'cloud.db')],
  ['PostgreSQL', () => newDatabase()],
];

async function queue({ api, spaceId }: Service, device: string, traceparent: string): Promise<string> {
  const response = await fetch(`${api}/v2/spaces/${spaceId}/devices/${device}/commands`, {
    method: 'POST',
    headers: { 'x-api-key': 'k', 'content-type': 'application/json', traceparent },
    body: '["info show"]',
  });
  expect(response.status).toBe(201);
  return JSON.parse(await response.text()).id;
}

describe.each(STORES)('a service with its data in %s', (_, database) => {
  it('keeps the span of the caller with the downlink, and ignores one that is not valid', async () => {
    const events: TraceEvent[] = [];
    const service = await startService({
      ...{ db: await database(), secretsKey: TEST_KEY, apiKey: 'k', log: QUIET },
      ...{ host: '127.0.0.1', port: 0, udpPort: null, udpRawPort: null },
      ...{
        clock: new VirtualClock(),
        random: seededRandom('traceparent'),
        trace: { emit: (event) => events.push(event) },
      },
    });
    try {
      const registered = await fetch(`${service.api}/v2/spaces/${service.spaceId}/devices`, {
        method: 'POST',
        headers: { 'x-api-key': 'k', 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'freezer', serial_number: String(SERIAL), token: TOKEN }),
      });
      const { id } = JSON.parse(await registered.text());
      const ids = [await queue(service, id, VALID), await queue(service, id, `${VALID}-more`)];
      const details = ids.map(async (each) => (await service.courseOf(SERIAL, each))?.timeline[0]);
      expect(await Promise.all(details)).toEqual([
        expect.objectContaining({ what: 'queued', detail: VALID }),
        expect.objectContaining({ what: 'queued', detail: null }),
      ]);
      const queued = events.filter(({ kind }) => kind === 'downlink.queued');
      expect(queued.map((event) => 'traceparent' in event && event.traceparent)).toEqual([VALID, false]);
    } finally {
      await service.close();
    }
  });
});
