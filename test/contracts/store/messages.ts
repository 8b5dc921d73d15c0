/** The store's contract about messages and their repetitions. */
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Change,
  ConflictError,
  type MessageQuery,
  type MessageRow,
  type Store,
} from '../../../src/cloud/store/store.js';
import {
  device,
  downlink,
  furnish,
  idAt,
  insert,
  message,
  OTHER_SPACE,
  SPACE,
  T0,
  tag,
} from '../../cloud/store/rows.js';
import { bodiesOf } from './queries.js';

export function aboutMessages(opened: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = opened();
  });

  describe('messages', () => {
    it('are listed newest first, page by page', async () => {
      await furnish(store, [device(1), device(2)]);
      const deviceId = device(2).id;
      await store.commit([message(2), message(1, { deviceId }), message(3)].map(insert.message));
      expect(await bodiesOf(store, { limit: 2 })).toEqual([{ n: 3 }, { n: 2 }]);
      expect(await bodiesOf(store, { limit: 2, after: message(2).id })).toEqual([{ n: 1 }]);
      expect(await bodiesOf(store, { after: idAt(T0 + 1500, 0) })).toEqual([{ n: 1 }]);
      expect(await bodiesOf(store, {}, OTHER_SPACE)).toEqual([]);
      expect(await bodiesOf(store, { deviceId: device(1).id }, OTHER_SPACE)).toEqual([]);
      expect(await store.message(OTHER_SPACE, message(1).id)).toBeUndefined();
    });

    it('are filtered by device, tag, type, direction and time', async () => {
      await furnish(store, []);
      await store.commit([
        insert.tag(tag(1)),
        insert.device(device(1, { tagIds: [tag(1).id] })),
        insert.device(device(2)),
      ]);
      await store.commit([
        insert.message(message(1)),
        insert.message(message(2, { type: 'session', deviceId: device(2).id })),
        insert.message(message(3, { type: 'stats' })),
        insert.message(message(4, { direction: 'down', type: 'shell' })),
      ]);
      const numbers = async (query: Partial<MessageQuery>) =>
        (await bodiesOf(store, query)).map((body) => (body as { n: number }).n);
      expect(await numbers({ deviceId: device(1).id })).toEqual([4, 3, 1]);
      expect(await numbers({ deviceId: idAt(T0, 999) })).toEqual([]);
      expect(await numbers({ tagId: tag(1).id })).toEqual([4, 3, 1]);
      expect(await numbers({ tagId: tag(2).id })).toEqual([]);
      expect(await numbers({ scope: [tag(1).id, tag(2).id] })).toEqual([4, 3, 1]);
      expect(await numbers({ scope: [] })).toEqual([]);
      expect(await numbers({ types: ['data'] })).toEqual([1]);
      expect(await numbers({ types: ['data', 'session'] })).toEqual([2, 1]);
      expect(await numbers({ types: [] })).toEqual([]);
      expect(await numbers({ direction: 'down' })).toEqual([4]);
      expect(await numbers({ createdAfter: T0 + 2000 })).toEqual([4, 3]);
      expect(await numbers({ createdBefore: T0 + 2000 })).toEqual([1]);
      expect(await numbers({ createdAfter: T0 + 1999, createdBefore: T0 + 2001 })).toEqual([2]);
      expect(await numbers({ createdAfter: -1e15, createdBefore: 1e17 })).toEqual([4, 3, 2, 1]);
      expect(await numbers({ deviceId: device(1).id, types: ['stats', 'data'], limit: 1 })).toEqual([3]);
    });

    it('are found by any combination of filters exactly as a plain scan finds them', async () => {
      const rows: MessageRow[] = [];
      for (let n = 0; n < 60; n++) {
        rows.push(
          message(n, {
            createdAt: T0 + n * 40_000,
            deviceId: device(1 + (n % 3)).id,
            type: ['data', 'data', 'session', 'shell'][n % 4] ?? 'data',
            direction: n % 5 === 0 ? 'down' : 'up',
          }),
        );
      }
      await furnish(
        store,
        [1, 2, 3].map((n) => device(n)),
      );
      await store.commit(rows.map(insert.message));
      const time = fc.option(fc.integer({ min: T0 - 50_000, max: T0 + 2_500_000 }), { nil: undefined });
      const query = fc.record(
        {
          limit: fc.integer({ min: 1, max: 70 }),
          after: fc.option(fc.constantFrom(...rows.map((row) => row.id)), { nil: undefined }),
          deviceId: fc.option(fc.constantFrom(device(1).id, device(2).id), { nil: undefined }),
          types: fc.option(fc.subarray(['data', 'session', 'shell']), { nil: undefined }),
          direction: fc.option(fc.constantFrom('up' as const, 'down' as const), { nil: undefined }),
          createdAfter: time,
          createdBefore: time,
        },
        { requiredKeys: ['limit'] },
      );
      await fc.assert(
        fc.asyncProperty(query, async (given) => {
          const expected = rows
            .filter((row) => given.after === undefined || row.id < given.after)
            .filter((row) => given.deviceId === undefined || row.deviceId === given.deviceId)
            .filter((row) => given.types === undefined || given.types.includes(row.type))
            .filter((row) => given.direction === undefined || row.direction === given.direction)
            .filter((row) => given.createdAfter === undefined || row.createdAt > given.createdAfter)
            .filter((row) => given.createdBefore === undefined || row.createdAt < given.createdBefore)
            .reverse()
            .slice(0, given.limit)
            .map((row) => row.id);
          // The cast is safe because an absent option and an undefined one mean the same here.
          const found = await store.messages(SPACE, given as MessageQuery);
          expect(found.map((row) => row.id)).toEqual(expected);
        }),
        { numRuns: 60 },
      );
    });

    it('show the current name of their device', async () => {
      await furnish(store);
      await store.commit([insert.message(message(1))]);
      await store.commit([{ kind: 'device.change', id: device(1).id, change: { name: 'renamed' } }]);
      const [listed] = await store.messages(SPACE, { limit: 1 });
      expect([listed?.deviceName, listed?.deviceSerial]).toEqual(['renamed', device(1).serial]);
    });
  });

  it('finds the newest message of a device with a fingerprint, if it is not older than the given time', async () => {
    await furnish(store, [device(1), device(2)]);
    await store.commit([
      insert.message(message(1, { fingerprint: 'p' })),
      insert.message(message(2, { fingerprint: 'p' })),
      insert.message(message(3, { fingerprint: 'q', deviceId: device(2).id })),
    ]);
    const at = T0 + 2000;
    expect(await store.copyOf(device(1).id, 'p', at)).toBe(message(2).id);
    expect(await store.copyOf(device(1).id, 'p', at + 1)).toBeUndefined();
    expect(await store.copyOf(device(1).id, 'q', T0)).toBeUndefined();
    expect(await store.copyOf(device(2).id, 'p', T0)).toBeUndefined();
  });

  describe('the messages of a device', () => {
    const conflict = new ConflictError('order');

    it('are stored in the order of their ids, or are rejected with their commit', async () => {
      await furnish(store, [device(1), device(2)]);
      await store.commit([insert.message(message(5))]);
      const seen: Change = { kind: 'device.change', id: device(1).id, change: { lastSeen: T0 + 5000 } };
      const late: Change[] = [
        insert.message(message(4)),
        insert.message(downlink(4)),
        { kind: 'message.insert', row: downlink(4), room: 9 },
        { kind: 'message.insert', row: message(4, { fingerprint: 'p' }), newSince: T0 },
      ];
      for (const change of late) await expect(store.commit([change, seen])).rejects.toEqual(conflict);
      const list = [insert.message(message(7)), insert.message(message(6))];
      await expect(store.commit(list)).rejects.toEqual(conflict);
      expect(conflict.message).toBe('the device has a newer message');
      expect((await store.device(SPACE, device(1).id))?.lastSeen).toBe(device(1).lastSeen);
      await store.commit([insert.message(message(4, { deviceId: device(2).id })), insert.message(message(6))]);
      expect(await bodiesOf(store, {})).toEqual([{ n: 6 }, { n: 5 }, { n: 4 }]);
    });

    it('have a newest one, whose id can be read for a device and for the whole service', async () => {
      await furnish(store, [device(1), device(2, { spaceId: OTHER_SPACE })]);
      expect([await store.newestMessage(), await store.newestMessage(device(1).id)]).toEqual([undefined, undefined]);
      const foreign = message(3, { spaceId: OTHER_SPACE, deviceId: device(2).id });
      await store.commit([message(1), foreign, message(2)].map(insert.message));
      expect(await store.newestMessage()).toBe(foreign.id);
      expect(await store.newestMessage(device(1).id)).toBe(message(2).id);
      expect(await store.newestMessage(idAt(T0, 999))).toBeUndefined();
    });
  });

  describe('a message that must be new', () => {
    const insertNew = (n: number, changes: Partial<MessageRow>, newSince: number): Change => ({
      kind: 'message.insert',
      row: message(n, changes),
      newSince,
    });
    const conflict = expect.objectContaining({ name: 'ConflictError', field: 'fingerprint' });

    it('is rejected if the device has a message with the same fingerprint since the given time, and nothing is written', async () => {
      await furnish(store);
      await store.commit([insertNew(1, { fingerprint: 'p' }, T0)]);
      const seen: Change = { kind: 'device.change', id: device(1).id, change: { lastSeen: T0 + 5000 } };
      await expect(store.commit([insertNew(2, { fingerprint: 'p' }, T0 + 1000), seen])).rejects.toEqual(conflict);
      expect(await store.message(SPACE, message(2).id)).toBeUndefined();
      expect((await store.device(SPACE, device(1).id))?.lastSeen).toBe(device(1).lastSeen);
      await store.commit([insertNew(2, { fingerprint: 'p' }, T0 + 1000.5)]);
      expect(await store.message(SPACE, message(2).id)).toMatchObject({ fingerprint: 'p', direction: 'up' });
    });

    it('is accepted if its fingerprint is new for its device, or if it has no fingerprint', async () => {
      await furnish(store, [device(1), device(2)]);
      await store.commit([insertNew(1, { fingerprint: 'p' }, T0), insertNew(2, {}, T0)]);
      await store.commit([insertNew(3, { fingerprint: 'q' }, T0)]);
      await store.commit([insertNew(4, {}, T0)]);
      await store.commit([insertNew(5, { fingerprint: 'p', deviceId: device(2).id }, T0)]);
      expect(await store.messages(SPACE, { limit: 9 })).toHaveLength(5);
    });

    it('does not affect other commits of the same turn if it is rejected', async () => {
      await furnish(store);
      const sent = downlink(2);
      await store.commit([insertNew(1, { fingerprint: 'p' }, T0), insert.message(sent)]);
      const state = { kind: 'message.state', id: sent.id, state: 'sent', at: T0 } as const;
      const outcomes = await Promise.allSettled([
        store.commit([insertNew(3, { fingerprint: 'q' }, T0)]),
        store.commit([insertNew(4, { fingerprint: 'p' }, T0)]),
        store.commit([state]),
        store.commit([insertNew(5, { fingerprint: 'r' }, T0), state]),
        store.commit([insertNew(6, { fingerprint: 'q' }, T0)]),
        store.commit([insertNew(7, { fingerprint: 's' }, T0)]),
      ]);
      expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, false, false, true]);
      const stored = await store.messages(SPACE, { limit: 9, direction: 'up' });
      expect(stored.map((row) => row.fingerprint)).toEqual(['s', 'q', 'p']);
    });
  });
}
