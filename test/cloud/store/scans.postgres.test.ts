/** Long reads of one space in PostgreSQL do not take the connections of others. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Store } from '../../../src/cloud/store/store.js';
import { newDatabase, openShared, query } from '../../support/postgres/databases.js';
import { device, furnish, SPACE } from './rows.js';

let store: Store;
let url: string;
beforeAll(async () => {
  url = await newDatabase();
  store = await openShared(url);
  await furnish(store);
});
afterAll(() => store.close());

/** The running queries of the store that wait for the lock of the test. */
async function waitingQueries(): Promise<number> {
  const text = `SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted AND relation = 'message'::regclass`;
  const [row] = await query<{ count: number }>(url, text);
  return row?.count ?? 0;
}

it('a space with many slow lists of messages uses two connections, and other reads find one', async () => {
  const lock = new pg.Client({ connectionString: url });
  await lock.connect();
  await lock.query('BEGIN; LOCK TABLE message IN ACCESS EXCLUSIVE MODE');
  const lists = Promise.allSettled(Array.from({ length: 30 }, () => store.messages(SPACE, { limit: 20 })));
  await expect.poll(waitingQueries).toBe(2);
  expect(await store.device(SPACE, device(1).id)).toBeDefined();
  expect(await waitingQueries()).toBe(2);
  await lock.query('COMMIT');
  await lock.end();
  expect(await lists).toHaveLength(30);
});
