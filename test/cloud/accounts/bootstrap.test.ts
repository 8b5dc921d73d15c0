import { describe, expect, it } from 'vitest';
import { ensureSpaceAndKey } from '../../../src/cloud/accounts/bootstrap.js';
import {
  type ApiKey,
  adopt,
  deleteKey,
  everyKey,
  hashKey,
  putKey,
  rotateKey,
} from '../../../src/cloud/accounts/keys.js';
import { createIds } from '../../../src/cloud/store/ids.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import { UsageError } from '../../../src/kernel/errors.js';
import { SILENT } from '../../../src/kernel/log.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';

function starts() {
  const store = new MemoryStore();
  const clock = new VirtualClock();
  const random = seededRandom('bootstrap');
  const ids = createIds(clock, random.fork('ids'));
  const warned: object[] = [];
  const log = { ...SILENT, warn: (fields: object, message: string) => warned.push({ ...fields, message }) };
  const start = (given: Partial<Parameters<typeof ensureSpaceAndKey>[1]> = {}) =>
    ensureSpaceAndKey(store, { ids, clock, random, log, ...given });
  const isValid = async (secret: string) => (await store.keyByHash(hashKey(secret))) !== undefined;
  /** Stores a key as the API does. */
  const putOwn = async (spaceId: string, secret: string, more: Partial<ApiKey> = {}) => {
    const fields = { id: ids.uuid(), spaceId, name: 'own', prefix: '', tagIds: null, access: 'write', createdAt: 1 };
    const key = { ...fields, ...more } as ApiKey;
    await store.commit(putKey(key, secret));
    return key;
  };
  return { store, start, warned, isValid, putOwn };
}

describe('the first start of the service', () => {
  it('creates a space and a key, and shows the key', async () => {
    const { store, start } = starts();
    const { spaceId, apiKey, created } = await start({ spaceName: 'lab' });
    expect(created).toBe(true);
    expect(apiKey).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await store.space(spaceId)).toMatchObject({ name: 'lab', type: 'team' });
    const row = await store.keyByHash(hashKey(apiKey ?? ''));
    expect(row?.spaceId).toBe(spaceId);
    expect(JSON.stringify(row)).not.toContain(apiKey);
  });

  it('uses the given key, and names the space "fleet" by default', async () => {
    const { store, start } = starts();
    const { spaceId, apiKey, created } = await start({ apiKey: 'my-own-key' });
    expect([apiKey, created]).toEqual(['my-own-key', true]);
    expect((await store.keyByHash(hashKey('my-own-key')))?.spaceId).toBe(spaceId);
    expect((await store.space(spaceId))?.name).toBe('fleet');
  });
});

describe('a later start of the service', () => {
  it('finds the space, and does not show its key again', async () => {
    const { start } = starts();
    const first = await start({ spaceName: 'lab' });
    for (const again of [await start(), await start({ spaceName: 'lab' })]) {
      expect(again).toEqual({ spaceId: first.spaceId, created: false });
    }
  });

  it('finds the space of the given key', async () => {
    const { start } = starts();
    await start({ spaceName: 'a' });
    const first = await start({ spaceName: 'b', apiKey: 'key-of-b' });
    expect(await start({ apiKey: 'key-of-b' })).toEqual({ spaceId: first.spaceId, apiKey: 'key-of-b', created: false });
  });

  it('adds another key to an existing space', async () => {
    const { start, store } = starts();
    const first = await start({ spaceName: 'lab' });
    const second = await start({ spaceName: 'lab', apiKey: 'second' });
    expect(second).toEqual({ spaceId: first.spaceId, apiKey: 'second', created: false });
    expect(await store.keyByHash(hashKey(first.apiKey ?? ''))).toBeDefined();
  });

  it('creates another space for another name', async () => {
    const { start } = starts();
    const first = await start({ spaceName: 'a' });
    const second = await start({ spaceName: 'b' });
    expect(second.created).toBe(true);
    expect(second.spaceId).not.toBe(first.spaceId);
  });
});

describe('a given key', () => {
  it('replaces the given keys of earlier starts, and the log names what has ended', async () => {
    const { start, store, warned, isValid } = starts();
    const { spaceId } = await start({ apiKey: 'leaked-key-1234567890' });
    const [leaked] = await everyKey(store, spaceId);
    await start({ apiKey: 'fresh-key-1234567890' });
    expect([await isValid('leaked-key-1234567890'), await isValid('fresh-key-1234567890')]).toEqual([false, true]);
    expect(await everyKey(store, spaceId)).toMatchObject([{ name: 'given key', prefix: 'fresh', isGiven: true }]);
    expect(warned).toMatchObject([{ ended: [{ id: leaked?.id, prefix: 'leake' }], children: [] }]);
    expect(JSON.stringify(warned)).not.toContain('leaked-key');
  });

  it('leaves the generated key, the keys of users, and those of other spaces', async () => {
    const { start, isValid, putOwn, warned } = starts();
    const first = await start();
    await putOwn(first.spaceId, 'a-secret-of-a-user-1234567890');
    await start({ spaceName: 'other', apiKey: 'key-of-the-other-space' });
    await start({ spaceName: 'fleet', apiKey: 'one' });
    await start({ spaceName: 'fleet', apiKey: 'two' });
    const kept = [first.apiKey ?? '', 'a-secret-of-a-user-1234567890', 'key-of-the-other-space', 'two'];
    expect(await Promise.all(kept.map(isValid))).toEqual([true, true, true, true]);
    expect([await isValid('one'), warned.length]).toEqual([false, 1]);
  });

  it('leaves the keys that the replaced key has created, and the log names them', async () => {
    const { start, store, warned, putOwn } = starts();
    const { spaceId } = await start({ apiKey: 'one' });
    const [given] = await everyKey(store, spaceId);
    const child = await putOwn(spaceId, 'a-child-with-a-long-enough-secret', { parentId: given?.id ?? '' });
    await start({ apiKey: 'two' });
    expect(await store.record('key', spaceId, child.id)).not.toMatchObject({ body: { parentId: given?.id } });
    expect(warned).toMatchObject([{ children: [{ id: child.id, prefix: 'a-child-' }] }]);
  });

  it.each(['deleted', 'rotated'] as const)(
    'that was %s by the holder of a leaked one has its keys in the log, with those that they have created',
    async (what) => {
      const { start, store, warned, putOwn } = starts();
      const { spaceId } = await start({ apiKey: 'one' });
      const [given] = await everyKey(store, spaceId);
      if (!given) throw new Error('the given key is stored');
      const child = await putOwn(spaceId, 'a-child-with-a-long-enough-secret', { parentId: given.id });
      const grandchild = await putOwn(spaceId, 'a-grandchild-with-a-secret-1234', { parentId: child.id });
      if (what === 'rotated') await store.commit(rotateKey(given, 'a-rotated-secret-1234567890'));
      else await store.commit([...adopt(given, await everyKey(store, spaceId)), ...deleteKey(given.id)]);
      await start({ apiKey: 'two' });
      const made = what === 'rotated' ? [given, child, grandchild] : [child, grandchild];
      expect(warned).toMatchObject([{ ended: [], children: made.map(({ id }) => ({ id })) }]);
      await start({ apiKey: 'two' });
      expect(warned).toHaveLength(1);
    },
  );

  it('names keys whose creators were deleted one after another', async () => {
    const { start, store, warned, putOwn } = starts();
    const { spaceId } = await start({ apiKey: 'one' });
    const [given] = await everyKey(store, spaceId);
    const child = await putOwn(spaceId, 'a-child-with-a-long-enough-secret', { parentId: given?.id ?? '' });
    const grandchild = await putOwn(spaceId, 'a-grandchild-with-a-secret-1234', { parentId: child.id });
    for (const name of ['given key', 'own']) {
      const keys = await everyKey(store, spaceId);
      const key = keys.find((each) => each.name === name && each.id !== grandchild.id);
      if (key) await store.commit([...adopt(key, keys), ...deleteKey(key.id)]);
    }
    await start({ apiKey: 'two' });
    expect(warned).toMatchObject([{ children: [{ id: grandchild.id }] }]);
  });

  it('may be a key of a user, which then stays when another one is given', async () => {
    const { start, isValid, putOwn } = starts();
    const { spaceId } = await start({ apiKey: 'one' });
    await putOwn(spaceId, 'a-secret-of-a-user-1234567890');
    await start({ apiKey: 'a-secret-of-a-user-1234567890' });
    expect(await isValid('one')).toBe(false);
    await start({ apiKey: 'two' });
    expect(await isValid('a-secret-of-a-user-1234567890')).toBe(true);
  });

  it('stays valid at a start without one, and the log says so', async () => {
    const { start, isValid, warned } = starts();
    await start({ apiKey: 'a-key-of-my-own-123' });
    await start();
    expect(await isValid('a-key-of-my-own-123')).toBe(true);
    expect(warned).toMatchObject([{ kept: [{ prefix: 'a-ke' }] }]);
  });

  it('writes nothing and says nothing when it is given again', async () => {
    const { start, store, warned } = starts();
    const { spaceId } = await start({ apiKey: 'one' });
    const before = await everyKey(store, spaceId);
    await start({ apiKey: 'one' });
    expect([await everyKey(store, spaceId), warned]).toEqual([before, []]);
  });

  it('is a key of the users after its secret was rotated by the API', async () => {
    const { start, store, isValid } = starts();
    const { spaceId } = await start({ apiKey: 'one' });
    const [given] = await everyKey(store, spaceId);
    if (!given) throw new Error('the given key is stored');
    await store.commit(rotateKey(given, 'a-rotated-secret-1234567890'));
    await start({ apiKey: 'two' });
    expect(await isValid('a-rotated-secret-1234567890')).toBe(true);
  });

  it.each([
    ['of fewer than 32 characters is replaced at once', 'a-short-one', 1],
    ['of 32 characters or more is replaced after a start with it', 'f'.repeat(64), 2],
  ])('of an earlier version, which did not mark it, %s', async (_, secret, startsNeeded) => {
    const { start, store, isValid, putOwn } = starts();
    const generated = await start();
    await putOwn(generated.spaceId, secret, { name: 'first key' });
    if (startsNeeded === 2) await start({ apiKey: secret });
    await start({ apiKey: generated.apiKey });
    await start({ apiKey: 'another' });
    expect([await isValid(secret), await isValid(generated.apiKey ?? '')]).toEqual([false, true]);
    expect(await everyKey(store, generated.spaceId)).toHaveLength(2);
  });
});

describe('a space that was deleted', () => {
  it('is ignored in the search for the oldest space and for a space by name', async () => {
    const { start, store } = starts();
    const first = await start({ spaceName: 'lab' });
    const row = await store.space(first.spaceId);
    if (!row) throw new Error('the space is stored');
    await store.commit([{ kind: 'space.put', row: { ...row, type: 'deleted' } }]);
    const second = await start();
    expect([second.created, second.spaceId === first.spaceId]).toEqual([true, false]);
    expect((await start({ spaceName: 'lab' })).created).toBe(true);
  });
});

describe('an invalid API key', () => {
  it('is rejected without being repeated in the message', async () => {
    const { start } = starts();
    await start({ spaceName: 'a', apiKey: 'key-of-a' });
    for (const [given, code] of [
      [{ apiKey: '' }, 'bad-api-key'],
      [{ apiKey: 'with space' }, 'bad-api-key'],
      [{ apiKey: 'key-of-a', spaceName: 'b' }, 'foreign-api-key'],
    ] as const) {
      const error = await start(given).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(UsageError);
      expect((error as UsageError).code).toBe(code);
      if (given.apiKey !== '') expect((error as UsageError).message).not.toContain(given.apiKey);
    }
  });
});
