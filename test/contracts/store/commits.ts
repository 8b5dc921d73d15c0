/** The store's contract about commits: all or nothing, in order. */
import { beforeEach, describe, expect, it } from 'vitest';
import { ConflictError, type Store } from '../../../src/cloud/store/store.js';
import { device, furnish, idAt, insert, key, message, SPACE, space, T0, tag } from '../../cloud/store/rows.js';
import { bodiesOf, namesOf } from './queries.js';

export function aboutCommits(opened: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = opened();
  });

  describe('commits', () => {
    it('write all changes of a list, in order', async () => {
      await store.commit([
        insert.space(space()),
        insert.tag(tag(1)),
        insert.device(device(1, { tagIds: [tag(1).id] })),
      ]);
      expect(await store.device(SPACE, device(1).id)).toEqual(device(1, { tagIds: [tag(1).id] }));
    });

    it('write nothing if one change of the list conflicts', async () => {
      await furnish(store);
      const list = [
        insert.message(message(1)),
        insert.device(device(2)),
        insert.device(device(3, { serial: device(1).serial })),
      ];
      await expect(store.commit(list)).rejects.toEqual(new ConflictError('serial'));
      expect(await bodiesOf(store, {})).toEqual([]);
      expect(await store.device(SPACE, device(2).id)).toBeUndefined();
    });

    it('are not affected by a conflict in another commit of the same turn', async () => {
      await furnish(store);
      const results = await Promise.allSettled([
        store.commit([insert.message(message(1))]),
        store.commit([insert.message(message(2)), insert.device(device(9, { serial: device(1).serial }))]),
        store.commit([insert.message(message(3))]),
      ]);
      expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await bodiesOf(store, {})).toEqual([{ n: 3 }, { n: 1 }]);
    });

    it('let one of two conflicting commits of the same turn succeed', async () => {
      await furnish(store, []);
      const results = await Promise.allSettled([
        store.commit([insert.device(device(1))]),
        store.commit([insert.device(device(2, { serial: device(1).serial }))]),
      ]);
      expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected']);
      expect(await namesOf(store, {})).toEqual(['device-1']);
    });

    it('reject a row that refers to a missing row, and one that exists already', async () => {
      await furnish(store);
      await store.commit([insert.message(message(1))]);
      for (const row of [
        insert.device(device(2, { spaceId: idAt(T0, 999) })),
        insert.key(key(1, { spaceId: idAt(T0, 999) })),
        insert.tag(tag(1, { spaceId: idAt(T0, 999) })),
        insert.message(message(2, { deviceId: idAt(T0, 999) })),
        insert.message(message(1)),
      ]) {
        await expect(store.commit([row])).rejects.toThrow();
      }
      expect(await bodiesOf(store, {})).toEqual([{ n: 1 }]);
    });

    it('write nothing if a body cannot be written as JSON', async () => {
      await furnish(store);
      const list = [insert.message(message(1)), insert.message(message(2, { body: { big: 1n } }))];
      await expect(store.commit(list)).rejects.toThrow();
      expect(await bodiesOf(store, {})).toEqual([]);
    });

    it('ignore changes of missing rows', async () => {
      await furnish(store);
      const id = idAt(T0, 999);
      await store.commit([
        { kind: 'space.change', id, change: { name: 'x' } },
        { kind: 'key.change', id, hash: 'x' },
        { kind: 'tag.change', id, change: { name: 'x' } },
        { kind: 'device.change', id, change: { name: 'x' } },
        { kind: 'device.delete', id, at: T0 },
        { kind: 'tag.delete', id },
        { kind: 'message.offer', id, attempt: 1 },
        { kind: 'message.state', id, state: 'sent', at: T0 },
        { kind: 'message.answered', id, at: T0 },
        { kind: 'key.delete', id },
        { kind: 'record.delete', family: 'user', id },
      ]);
      expect(await namesOf(store, {})).toEqual(['device-1']);
    });
  });
}
