/** SQLite reads that may scan very many rows. They run in steps, most of them on a reading thread that all tenants share. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import { SqliteDriver } from '../../../src/cloud/store/sqlite/driver.js';
import { Reader } from '../../../src/cloud/store/sqlite/reader.js';
import type { Store } from '../../../src/cloud/store/store.js';
import { furnish, insert, message, OTHER_SPACE, record, SPACE } from './rows.js';

const OWNER = { tenant: 'a', part: '' };

let directory: string;
let path: string;
let store: Store;
/** More messages than the first steps read. These steps are executed immediately, the later ones by the reading thread. */
const MESSAGES = 700;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ghostfleet-scans-'));
  path = join(directory, 'x.db');
  store = await openStore(path);
  await furnish(store);
  const typeOf = (n: number) => (n === 1 ? 'first' : n % 2 === 0 ? 'even' : 'odd');
  const rows = Array.from({ length: MESSAGES }, (_, index) => message(index + 1, { type: typeOf(index + 1) }));
  await store.commit(rows.map(insert.message));
});
afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

describe('a list of messages', () => {
  it('contains a message that only a late step finds, and nothing else', async () => {
    const found = await store.messages(SPACE, { types: ['first'], limit: 20 });
    expect(found.map(({ id }) => id)).toEqual([message(1).id]);
    expect(await store.messages(SPACE, { types: ['zzz'], limit: 20 })).toEqual([]);
  });

  it('has no gap and no repetition between steps or between pages', async () => {
    const even = Array.from({ length: MESSAGES / 2 }, (_, index) => message(MESSAGES - 2 * index).id);
    const list = (limit: number, after?: string) => store.messages(SPACE, { types: ['even'], limit, after });
    expect((await list(500)).map(({ id }) => id)).toEqual(even);
    const first = await list(200);
    const second = await list(200, first.at(-1)?.id);
    expect([...first, ...second].map(({ id }) => id)).toEqual(even);
  });

  it('begins with a step of as many messages as the page has', async () => {
    const all = vi.spyOn(SqliteDriver.prototype, 'all');
    for (const limit of [4, 200]) {
      all.mockClear();
      expect(await store.messages(SPACE, { types: ['even'], limit })).toHaveLength(limit);
      // One query for the end of the step, and one for its messages.
      expect(all).toHaveBeenCalledTimes(2);
    }
    all.mockRestore();
  });

  it('does not hide the records of later commits', async () => {
    await store.messages(SPACE, { types: ['zzz'], limit: 20 });
    await store.commit([insert.record(record(1)), insert.record(record(2, { key: 'b' }))]);
    const after = await store.records('variable', SPACE, { limit: 500, after: record(1).id });
    expect(after.map(({ id }) => id)).toEqual([record(2).id]);
  });
});

it('the waiting downlinks of all spaces are counted by the reading thread', async () => {
  const read = vi.spyOn(Reader.prototype, 'read');
  expect([await store.countPending(), (await store.countPendingBySpace()).size]).toEqual([0, 0]);
  expect(read).toHaveBeenCalledTimes(2);
  read.mockRestore();
});

it('more records than fit into a small page are read by the reading thread, also the first of them', async () => {
  const read = vi.spyOn(Reader.prototype, 'read');
  await store.records('member', SPACE, { limit: 50 });
  await store.countRecords('member', SPACE, 1000);
  expect(read).not.toHaveBeenCalled();
  await store.records('member', SPACE, { limit: 51 });
  expect(read).toHaveBeenCalledOnce();
  read.mockRestore();
});

describe('the reading thread', () => {
  it('takes turns between tenants', async () => {
    const reader = new Reader(path);
    const order: string[] = [];
    const read = async (tenant: string) => {
      await reader.read({ tenant, part: '' }, 'SELECT count(*) FROM message WHERE space_id = ?', [SPACE]);
      order.push(tenant);
    };
    await Promise.all(['a', 'a', 'a', 'a', 'b', 'c'].map(read));
    expect(order).toEqual(['a', 'b', 'c', 'a', 'a', 'a']);
    await reader.close();
  });

  it('rejects further queries of a tenant while a hundred wait, but not those of others', async () => {
    const reader = new Reader(path);
    const read = (tenant: string) => reader.read({ tenant, part: '' }, 'SELECT 1 AS one', []);
    const reads = Array.from({ length: 105 }, () => read('a'));
    const [settled, other] = await Promise.all([Promise.allSettled(reads), read('b')]);
    expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(4);
    await expect(Promise.all(reads)).rejects.toThrow('too many long reads of this account are waiting');
    expect(other).toEqual([{ one: 1 }]);
    await reader.close();
  });

  it('reports the error of a query and continues, and rejects waiting queries when it is closed', async () => {
    const reader = new Reader(path);
    await expect(reader.read(OWNER, 'SELECT x', [])).rejects.toMatchObject({ message: 'no such column: x' });
    expect(await reader.read(OWNER, 'SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
    const late = [reader.read(OWNER, 'SELECT 1', []), reader.read({ tenant: 'b', part: '' }, 'SELECT 1', [])];
    const outcomes = Promise.allSettled(late);
    await reader.close();
    expect((await outcomes).at(-1)).toMatchObject({ status: 'rejected' });
    await expect(reader.read(OWNER, 'SELECT 1', [])).rejects.toThrow('the store is closed');
  });
});

it('reads of all spaces of an account share the turns of the account; those of an account itself have its own', async () => {
  const read = vi.spyOn(Reader.prototype, 'read');
  const owner = { family: 'owner', id: SPACE, spaceId: SPACE, key: null, createdAt: 0, dueAt: null };
  await store.commit([{ kind: 'record.put', row: { ...owner, body: { userId: 'ann' } } }]);
  const range = { from: '', below: 'g' };
  await store.recordsInRange('audit', SPACE, range, 100);
  await store.recordsInRange('audit', OTHER_SPACE, range, 100);
  // A small page is read at once: it delays others less than a turn.
  await store.recordsInRange('audit', OTHER_SPACE, range, 50);
  await store.records('login-of/ann', null, { limit: 10, after: SPACE });
  expect(read.mock.calls.map(([{ tenant }]) => tenant)).toEqual(['ann', OTHER_SPACE, 'login-of/ann']);
  read.mockRestore();
});
