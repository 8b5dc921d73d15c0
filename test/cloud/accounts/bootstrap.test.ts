import { describe, expect, it } from 'vitest';
import { ensureSpaceAndKey } from '../../../src/cloud/accounts/bootstrap.js';
import { hashKey } from '../../../src/cloud/accounts/keys.js';
import { createIds } from '../../../src/cloud/store/ids.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import { UsageError } from '../../../src/kernel/errors.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';

function starts() {
  const store = new MemoryStore();
  const clock = new VirtualClock();
  const random = seededRandom('bootstrap');
  const ids = createIds(clock, random.fork('ids'));
  const start = (given: Partial<Parameters<typeof ensureSpaceAndKey>[1]> = {}) =>
    ensureSpaceAndKey(store, { ids, clock, random, ...given });
  return { store, start };
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
