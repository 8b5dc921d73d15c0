/** Reads of one tenant in PostgreSQL do not delay those of others. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Store } from '../../../src/cloud/store/store.js';
import { OWNERS } from '../../../src/cloud/store/tenants.js';
import { newDatabase, openShared, query } from '../../support/postgres/databases.js';
import { device, furnish, idAt, insert, key, OTHER_SPACE, record, SPACE, space, T0, tag } from './rows.js';

/** More than there are connections. */
const MANY = 40;
/** How many connections a tenant gets. */
const SHARE = 8;

const THIRD_SPACE = idAt(T0, 3);
const ACCOUNT = idAt(T0, 4);
const numbers = Array.from({ length: MANY }, (_, n) => n + 10);

let store: Store;
let url: string;
beforeAll(async () => {
  url = await newDatabase();
  store = await openShared(url);
  await furnish(store);
  const owner = (spaceId: string) =>
    insert.record(record(1, { family: OWNERS, id: spaceId, spaceId, key: null, body: { userId: ACCOUNT } }));
  const login = (n: number) =>
    insert.record(record(n, { family: 'login', spaceId: null, key: `login-${n}`, body: { userId: ACCOUNT } }));
  await store.commit([
    { kind: 'space.put', row: space({ id: THIRD_SPACE }) },
    owner(SPACE),
    owner(OTHER_SPACE),
    ...numbers.map((n) => insert.device(device(n))),
    ...numbers.map((n) => ({ kind: 'key.put', row: key(n) }) as const),
    ...numbers.map(login),
  ]);
  // What the store has read before, it knows to belong to the tenant.
  await Promise.all(
    numbers.flatMap((n) => [store.keyByHash(`hash-${n}`), store.recordByKey('login', null, `login-${n}`)]),
  );
  await Promise.all(numbers.map((n) => store.deviceBySerial(device(n).serial)));
  await store.space(THIRD_SPACE);
});
afterAll(() => store.close());

const KINDS: readonly (readonly [what: string, table: string, read: (n: number) => Promise<unknown>])[] = [
  ['reads of a space', 'tag', (n) => store.tag(SPACE, tag(n).id)],
  ['reads of two spaces of an owner', 'tag', (n) => store.tag(n % 2 === 0 ? SPACE : OTHER_SPACE, tag(n).id)],
  ['requests with the keys of a space', 'api_key', (n) => store.keyByHash(`hash-${n}`)],
  ['requests with the logins of an account', 'record', (n) => store.recordByKey('login', null, `login-${n}`)],
  ['requests with invented keys', 'api_key', (n) => store.keyByHash(`invented-${n}`)],
  ['reads of the devices of a space', 'message', (n) => store.pendingDownlinks(device(n).id)],
];

it.each(KINDS)('many %s leave connections to others', async (_, table, read) => {
  const waiting = async () => {
    const text = `SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted AND relation = '${table}'::regclass`;
    const [row] = await query<{ count: number }>(url, text);
    return row?.count;
  };
  const lock = new pg.Client({ connectionString: url });
  await lock.connect();
  await lock.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  const reads = Promise.allSettled(numbers.map(read));
  await expect.poll(waiting).toBe(SHARE);
  expect(await store.space(THIRD_SPACE)).toBeDefined();
  expect(await waiting()).toBe(SHARE);
  await lock.query('COMMIT');
  await lock.end();
  expect(new Set((await reads).map(({ status }) => status))).toEqual(new Set(['fulfilled']));
});

it.each([
  ['serial numbers', 'device', (n: number): Promise<unknown> => store.deviceBySerial(device(n).serial)],
  ['secrets', 'record', (n: number): Promise<unknown> => store.record('secret', SPACE, device(n).id)],
] as const)('reads of a space do not wait for many reads of its devices by %s', async (_, table, read) => {
  const lock = new pg.Client({ connectionString: url });
  await lock.connect();
  await lock.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  const flood = Promise.allSettled(numbers.map(read));
  expect(await store.tags(SPACE, { limit: 1 })).toEqual([]);
  await lock.query('COMMIT');
  await lock.end();
  expect(new Set((await flood).map(({ status }) => status))).toEqual(new Set(['fulfilled']));
});

it('most reads of many invented serial numbers are rejected, and a login not seen before is found', async () => {
  const lock = new pg.Client({ connectionString: url });
  await lock.connect();
  await lock.query('BEGIN; LOCK TABLE device IN ACCESS EXCLUSIVE MODE');
  const flood = Promise.allSettled(Array.from({ length: 10_000 }, (_, n) => store.deviceBySerial(3_000_000_000 + n)));
  expect(await store.recordByKey('login', null, 'unseen')).toBeUndefined();
  await lock.query('COMMIT');
  await lock.end();
  const found = (await flood).filter(({ status }) => status === 'fulfilled').length;
  // 64 parts of 64 each, and those that have begun; on a slow machine, some have waited too long.
  expect(found).toBeGreaterThan(0);
  expect(found).toBeLessThanOrEqual(64 * 64 + SHARE);
});
