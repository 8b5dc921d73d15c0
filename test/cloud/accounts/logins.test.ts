/**
 * `Logins`: a token is valid only while all logins of its chain are stored, whatever the order of their records. Earlier
 * versions stored chains of any length. The order differs from the order of creation if a clock was set back, or if the clocks
 * of two services on one database differ.
 */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { hashKey } from '../../../src/cloud/accounts/keys.js';
import { endLogins, Logins, type Proof, proofOf } from '../../../src/cloud/accounts/logins.js';
import { createIds } from '../../../src/cloud/store/ids.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import type { Id } from '../../../src/cloud/store/store.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { hours } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { SPACE } from '../store/rows.js';

const USER = 'aaaaaaaa-0000-7000-8000-000000000000';
const START = 1_767_225_600_000;
const ALL = { limit: 500 };

let store: MemoryStore;
let logins: Logins;
let clock: VirtualClock;
let proof: Proof;

beforeEach(async () => {
  store = new MemoryStore();
  clock = new VirtualClock({ start: START });
  const random = seededRandom('logins');
  logins = new Logins({ store, clock, ids: createIds(clock, random), random });
  proof = await setPassword('hash of the first password');
});

async function setPassword(password: string): Promise<Proof> {
  const row = { family: 'user', id: USER, spaceId: null, key: 'eva@example.org', createdAt: 0, dueAt: null };
  await store.commit([{ kind: 'record.put', row: { ...row, body: { password } } }]);
  return proofOf(USER, password);
}

const idOf = (place: number): Id => `00000000-0000-7000-8000-${String(place).padStart(12, '0')}`;
const tokenOf = (place: number) => `token ${place}`;

/** Stores a login as earlier versions did; `place` is its place in the order of the records. */
async function put(place: number, origin?: number, lifetime = hours(24)): Promise<void> {
  const made = origin === undefined ? { spaceId: null } : { spaceId: SPACE, origin: idOf(origin) };
  const key = hashKey(tokenOf(place));
  const times = { createdAt: START, dueAt: START + lifetime };
  const row = { family: 'login', id: idOf(place), spaceId: null, key, ...times };
  const body = { ...proof, ...made };
  const copy = { ...row, family: `login-of/${USER}`, key: null };
  await store.commit([row, copy].map((each) => ({ kind: 'record.put', row: { ...each, body } })));
}

/** A chain of logins at these places, each made with the token of the one before. */
async function chain(places: readonly number[]): Promise<void> {
  for (const [n, place] of places.entries()) await put(place, places[n - 1]);
}

const isValid = async (place: number) => (await logins.find(tokenOf(place))) !== undefined;
const valid = (places: readonly number[]) => Promise.all(places.map(isValid));
const listed = async () => (await logins.list(USER)).map(({ id }) => id);
const stored = async () => (await store.records('login', null, ALL)).map(({ id }) => id);

function orders(places: readonly number[]): number[][] {
  if (places.length < 2) return [[...places]];
  return places.flatMap((first) => orders(places.filter((place) => place !== first)).map((rest) => [first, ...rest]));
}

it('the list of the logins of an account reads them together, and none of them alone', async () => {
  await chain([1, 2, 3, 4]);
  await put(5, 1);
  const record = vi.spyOn(store, 'record');
  expect(await listed()).toHaveLength(5);
  expect(record.mock.calls.filter(([family]) => family === 'login')).toEqual([]);
});

describe('the end of a login', () => {
  it.each(orders([1, 2, 3, 4]))(
    'ends its descendants with the records in the order %i, %i, %i, %i',
    async (...places) => {
      for (const [n, place] of places.entries()) {
        await chain(places);
        expect(await valid(places)).toEqual([true, true, true, true]);
        expect(await logins.end(USER, idOf(place))).toBe(true);
        expect(await valid(places)).toEqual(places.map((_, m) => m < n));
        const left = places.slice(0, n).map(idOf).sort();
        expect([await listed(), await stored()]).toEqual([left, left]);
      }
    },
  );

  it('also ends a token that is stored later, and the tokens made with it; the next end deletes them', async () => {
    await chain([1, 2]);
    await put(9);
    await logins.end(USER, idOf(1));
    await put(3, 2);
    await put(4, 3);
    expect(await valid([3, 4, 9])).toEqual([false, false, true]);
    expect(await listed()).toEqual([idOf(9)]);
    expect(await logins.end(USER, idOf(4))).toBe(false);
    await logins.end(USER, idOf(9));
    expect(await stored()).toEqual([]);
  });

  it('is the end of the whole chain at a logout, with any token of the chain', async () => {
    for (const place of [3, 4, 1, 2]) {
      await chain([3, 4, 1, 2]);
      const session = await logins.find(tokenOf(place));
      if (session) await logins.endChain(session);
      expect([session?.id, await stored()]).toEqual([idOf(place), []]);
    }
  });

  it('leaves other logins, also those of the same account', async () => {
    await chain([1, 2]);
    await chain([3, 4]);
    await logins.end(USER, idOf(1));
    expect(await valid([1, 2, 3, 4])).toEqual([false, false, true, true]);
  });
});

describe('a login', () => {
  it('is not valid after the first login of its chain has expired, nor with a chain of more than 100 logins', async () => {
    await put(1, undefined, hours(1));
    await put(2, 1);
    await put(3, 2);
    await clock.runUntil(hours(2));
    expect([await valid([1, 2, 3]), await listed()]).toEqual([[false, false, false], []]);
    await chain(Array.from({ length: 101 }, (_, n) => 200 - n));
    expect(await valid([200, 101, 100])).toEqual([true, true, false]);
  });

  it('is not listed after a change of the password', async () => {
    await put(1);
    proof = await setPassword('hash of the second password');
    await put(2);
    expect(await listed()).toEqual([idOf(2)]);
  });

  it('that opens one space is its own token for this space', async () => {
    const first = await logins.issue({ ...proof, spaceId: null });
    const bind = async (token: string) => {
      const session = await logins.find(token);
      return session && logins.issueFor(SPACE, token, session);
    };
    const second = await bind(first.token);
    expect(second?.token).not.toBe(first.token);
    expect(await bind(second?.token ?? '')).toEqual(second);
    expect(await stored()).toHaveLength(2);
  });
});

describe('the logins of an account', () => {
  it('are listed, ended and replaced without a read of the logins of others', async () => {
    for (let n = 0; n < 700; n++)
      await logins.issue({ userId: 'cccccccc-0000-7000-8000-000000000000', spaceId: null, password: 'x' });
    const { token } = await logins.issue({ ...proof, spaceId: null });
    const own = await logins.find(token);
    if (!own) throw new Error('no login');
    const read: (Id | undefined)[] = [];
    const { records } = store;
    store.records = async (family, spaceId, page) => {
      const rows = await records.call(store, family, spaceId, page);
      read.push(...rows.map(({ id }) => id));
      return rows;
    };
    expect(await listed()).toEqual([own.id]);
    expect(await endLogins(store, USER)).toHaveLength(2);
    await logins.endChain(own);
    expect(new Set(read)).toEqual(new Set([own.id]));
  });

  it('are at most 500: a further one ends the oldest', async () => {
    const issued = [];
    for (let n = 0; n < 501; n++) issued.push(await logins.issue({ ...proof, spaceId: null }));
    expect(await listed()).toHaveLength(500);
    expect(await logins.find(issued[0]?.token ?? '')).toBeUndefined();
    expect(await logins.find(issued[1]?.token ?? '')).toBeDefined();
  });
});
