/** Lists a large fleet through the API, page by page, from each store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeviceCloudClient } from '../../src/client/client.js';
import { openStore } from '../../src/cloud/open-store.js';
import { type ServiceOptions, startService } from '../../src/cloud/service.js';
import { MemoryTables } from '../../src/cloud/store/memory/tables.js';
import { keyFrom } from '../../src/cloud/store/secrets/key.js';
import { startPostgres } from '../../test/support/postgres/server.js';
import { fillFleet } from './fleet.js';

/** Number of devices in a page, as the console requests them. */
const PAGE = 2_000;
const SECRETS = keyFrom('5'.repeat(64), 'the key of the measurement');

/** @returns CPU time of this process, service and client together, in ms, by the name of the store */
export async function listedFromStores(
  options: Omit<ServiceOptions, 'db'>,
  count: number,
): Promise<ReadonlyMap<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), 'gf-speed-'));
  const postgres = await startPostgres({ durable: true });
  const took = new Map<string, number>();
  try {
    const stores = { memory: 'memory', SQLite: join(folder, 'cloud.db'), PostgreSQL: postgres.url };
    for (const [name, db] of Object.entries(stores)) took.set(name, await listed({ ...options, db }, count));
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true });
  }
  return took;
}

async function listed(given: ServiceOptions, count: number): Promise<number> {
  const memory = new MemoryTables();
  const options = { ...given, embedded: { memory }, secretsKey: SECRETS };
  const { spaceId, close } = await startService(options);
  await close();
  const store = await openStore(options.db, { memory, secretsKey: SECRETS });
  await fillFleet(store, spaceId, count);
  await store.close();

  const service = await startService(options);
  const client = new DeviceCloudClient({ baseUrl: service.api, apiKey: options.apiKey ?? '', spaceId });
  await client.deviceSummaries({ limit: PAGE });
  const before = process.cpuUsage();
  let found = 0;
  for (let offset: string | undefined; found < count; ) {
    const page = await client.deviceSummaries({ limit: PAGE, ...(offset !== undefined && { offset }) });
    if (page.length === 0) throw new Error(`the list ended after ${found} of ${count} devices`);
    found += page.length;
    offset = page.at(-1)?.id;
  }
  const { user, system } = process.cpuUsage(before);
  await client.close();
  await service.close();
  return (user + system) / 1000;
}
