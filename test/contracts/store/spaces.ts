/** The store's contract about spaces, their keys, and the rows that are deleted with a space. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type Change, ConflictError, type Store } from '../../../src/cloud/store/store.js';
import {
  device,
  furnish,
  idAt,
  insert,
  key,
  message,
  OTHER_SPACE,
  record,
  SPACE,
  space,
  T0,
  tag,
} from '../../cloud/store/rows.js';

export function aboutSpaces(opened: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = opened();
  });

  describe('spaces and keys', () => {
    it('are found by id, and keys by their hash', async () => {
      await store.commit([insert.space(space()), insert.key(key(1))]);
      expect(await store.space(SPACE)).toEqual(space());
      expect(await store.space(OTHER_SPACE)).toBeUndefined();
      expect(await store.keyByHash('hash-1')).toEqual(key(1));
      expect(await store.keyByHash('hash-2')).toBeUndefined();
    });

    it('are replaced in one commit that puts a key, and changes and deletes another one with its record', async () => {
      const { body, ...rest } = record(1, { family: 'key' });
      await store.commit([insert.space(space()), insert.key(key(1)), { kind: 'record.put', row: { ...rest, body } }]);
      await store.commit([
        insert.key(key(2)),
        { kind: 'record.change', row: { ...rest, body }, was: body },
        { kind: 'key.delete', id: key(1).id },
        { kind: 'record.delete', family: 'key', id: rest.id },
      ]);
      expect([await store.keyByHash('hash-1'), await store.record('key', SPACE, rest.id)]).toEqual([
        undefined,
        undefined,
      ]);
      expect(await store.keyByHash('hash-2')).toEqual(key(2));
    });

    it('are replaced when they are put again', async () => {
      await store.commit([insert.space(space()), insert.key(key(1))]);
      await store.commit([insert.space(space({ name: 'new' })), insert.key(key(1, { hash: 'rotated' }))]);
      expect((await store.space(SPACE))?.name).toBe('new');
      expect(await store.keyByHash('hash-1')).toBeUndefined();
      expect((await store.keyByHash('rotated'))?.id).toBe(key(1).id);
    });

    it('are changed in the given fields only; a change of a deleted key has no effect', async () => {
      await store.commit([insert.space(space()), insert.key(key(1)), insert.key(key(2))]);
      await store.commit([
        { kind: 'space.change', id: SPACE, change: { name: 'new' } },
        { kind: 'key.change', id: key(1).id, hash: 'rotated' },
        { kind: 'key.delete', id: key(2).id },
        { kind: 'key.change', id: key(2).id, hash: 'back' },
      ]);
      expect(await store.space(SPACE)).toEqual(space({ name: 'new' }));
      expect(await store.keyByHash('hash-1')).toBeUndefined();
      expect(await store.keyByHash('rotated')).toEqual(key(1, { hash: 'rotated' }));
      expect(await store.keyByHash('back')).toBeUndefined();
    });

    it('no longer contain a deleted key, and its hash can be used again', async () => {
      await store.commit([insert.space(space()), insert.key(key(1)), insert.key(key(2))]);
      await store.commit([{ kind: 'key.delete', id: key(1).id }, insert.key(key(3, { hash: 'hash-1' }))]);
      expect((await store.keyByHash('hash-1'))?.id).toBe(key(3).id);
      await store.commit([{ kind: 'key.delete', id: key(2).id }]);
      expect(await store.keyByHash('hash-2')).toBeUndefined();
    });

    it('are listed sorted by id, page by page', async () => {
      await store.commit([3, 1, 2].map((n) => insert.space(space({ id: idAt(T0, n), name: `s${n}` }))));
      expect((await store.spaces({ limit: 2 })).map((row) => row.name)).toEqual(['s1', 's2']);
      expect((await store.spaces({ limit: 2, after: idAt(T0, 2) })).map((row) => row.name)).toEqual(['s3']);
    });
  });

  describe('a space that is deleted', () => {
    const FAMILIES = ['variable', 'member/of-it'];
    const deletion = (id = SPACE): Change => ({ kind: 'space.delete', id, families: FAMILIES });
    const gone = new ConflictError('space');

    it('keeps its row, with type deleted, and loses its keys and its records of the given families', async () => {
      await furnish(store, []);
      await store.commit([insert.key(key(1)), insert.tag(tag(1)), insert.record(record(1))]);
      await store.commit([insert.record(record(2, { family: 'member/of-it' }))]);
      await store.commit([insert.record(record(3, { family: 'delivery' }))]);
      const others = { spaceId: OTHER_SPACE };
      await store.commit([insert.key(key(2, others)), insert.tag(tag(2, others)), insert.record(record(4, others))]);
      await store.commit([deletion()]);
      expect((await store.space(SPACE))?.type).toBe('deleted');
      expect(await store.keyByHash('hash-1')).toBeUndefined();
      expect(await store.records('variable', SPACE, { limit: 9 })).toEqual([]);
      expect(await store.records('member/of-it', SPACE, { limit: 9 })).toEqual([]);
      expect((await store.records('delivery', SPACE, { limit: 9 })).length).toBe(1);
      expect(await store.keyByHash('hash-2')).toEqual(key(2, others));
      expect(await store.tag(OTHER_SPACE, tag(2).id)).toEqual(tag(2, others));
      expect((await store.records('variable', OTHER_SPACE, { limit: 9 })).length).toBe(1);
    });

    it('loses its tags and its other records in pieces, and no other space loses any', async () => {
      await furnish(store, []);
      const own = [1, 2, 3].flatMap((n) => [insert.tag(tag(n)), insert.record(record(n))]);
      const late = insert.record(record(4, { family: 'delivery' }));
      const others = { spaceId: OTHER_SPACE };
      await store.commit([...own, late, insert.tag(tag(5, others)), insert.record(record(5, others))]);
      await store.commit([{ kind: 'space.delete', id: SPACE, families: [] }]);
      expect((await store.tags(SPACE, { limit: 9 })).length).toBe(3);
      const left = async () => [
        (await store.tags(SPACE, { limit: 9 })).length,
        (await store.records('variable', SPACE, { limit: 9 })).length,
      ];
      let total = 0;
      for (let deleted = 1; deleted > 0; total += deleted) {
        expect((await left()).reduce((sum, count) => sum + count)).toBe(6 - total);
        deleted = await store.clearSpace(SPACE, ['user', 'variable'], 2);
        expect(deleted).toBeLessThanOrEqual(2);
      }
      expect(total).toBe(6);
      expect((await store.records('delivery', SPACE, { limit: 9 })).length).toBe(1);
      expect((await store.tags(OTHER_SPACE, { limit: 9 })).length).toBe(1);
      expect((await store.records('variable', OTHER_SPACE, { limit: 9 })).length).toBe(1);
    });

    it('rejects new devices, keys, tags and variables, and cannot be restored', async () => {
      await furnish(store, []);
      await store.commit([deletion()]);
      for (const late of [insert.device(device(1)), insert.key(key(1)), insert.tag(tag(1)), insert.record(record(1))]) {
        const free = insert.record(record(9, { spaceId: null }));
        await expect(store.commit([free, late])).rejects.toEqual(gone);
        await expect(store.commit([late])).rejects.toEqual(gone);
      }
      expect(await store.records('variable', null, { limit: 9 })).toEqual([]);
      await store.commit([{ kind: 'space.change', id: SPACE, change: { name: 'again', type: 'team' } }]);
      expect(await store.space(SPACE)).toEqual(space({ type: 'deleted' }));
      await store.commit([insert.device(device(1, { spaceId: OTHER_SPACE }))]);
      expect(gone.message).toBe('the space has been deleted');
    });

    it('accepts deliveries of messages of its deleted devices, and no new messages', async () => {
      await furnish(store);
      await store.commit([{ kind: 'device.delete', id: device(1).id, at: T0 }, deletion()]);
      await store.commit([insert.record(record(1, { family: 'delivery' }))]);
      await expect(store.commit([insert.message(message(1))])).rejects.toEqual(new ConflictError('device'));
      expect((await store.records('delivery', SPACE, { limit: 9 })).length).toBe(1);
    });

    it('must have no devices', async () => {
      await furnish(store);
      await store.commit([insert.key(key(1))]);
      await expect(store.commit([deletion()])).rejects.toEqual(new ConflictError('space-devices'));
      expect([await store.space(SPACE), await store.keyByHash('hash-1')]).toEqual([space(), key(1)]);
      const both = [deletion(), insert.device(device(2))];
      await expect(store.commit(both)).rejects.toBeInstanceOf(ConflictError);
      await store.commit([deletion(OTHER_SPACE), deletion(OTHER_SPACE), deletion(idAt(T0, 99))]);
      expect((await store.space(OTHER_SPACE))?.type).toBe('deleted');
    });

    it('is empty afterwards, also with concurrent insertions', async () => {
      await furnish(store, []);
      const wishes = [1, 2, 3, 4].flatMap((n) => [
        store.commit([insert.key(key(n))]),
        store.commit([insert.record(record(n))]),
        ...(n === 3 ? [store.commit([deletion()])] : []),
      ]);
      const late = store.commit([insert.device(device(1))]);
      const fates = (await Promise.allSettled(wishes)).map(({ status }) => status);
      await expect(late).rejects.toEqual(gone);
      expect(fates.filter((fate) => fate === 'fulfilled').length).toBe(7);
      expect(await store.keyByHash('hash-1')).toBeUndefined();
      expect(await store.records('variable', SPACE, { limit: 9 })).toEqual([]);
      expect(await store.countDevices(SPACE, {})).toBe(0);
    });
  });
}
