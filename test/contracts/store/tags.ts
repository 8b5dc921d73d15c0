/** The store's contract about tags. */
import { beforeEach, describe, expect, it } from 'vitest';
import { ConflictError, type Id, type Store, type TagRow } from '../../../src/cloud/store/store.js';
import { device, furnish, insert, OTHER_SPACE, SPACE, tag } from '../../cloud/store/rows.js';
import { namesOf } from './queries.js';

export function aboutTags(opened: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = opened();
  });

  describe('tags', () => {
    it('of a device are replaced only among the tags of a given list; the others stay', async () => {
      const [a, b, c, d] = [1, 2, 3, 4].map((n) => tag(n)) as [TagRow, TagRow, TagRow, TagRow];
      await furnish(store, []);
      await store.commit([a, b, c, d].map(insert.tag));
      await store.commit([insert.device(device(1, { tagIds: [a.id, b.id, c.id] }))]);
      const tagIds = async () => (await store.device(SPACE, device(1).id))?.tagIds;
      const replace = (given: readonly Id[], within: readonly Id[]) =>
        store.commit([{ kind: 'device.change', id: device(1).id, change: { tagIds: given }, within }]);
      await replace([d.id, c.id], [c.id, b.id, d.id]);
      expect(await tagIds()).toEqual([a.id, d.id, c.id]);
      await replace([], [c.id]);
      expect(await tagIds()).toEqual([a.id, d.id]);
      await Promise.all([replace([b.id], [b.id]), replace([c.id, a.id], [a.id, c.id])]);
      expect(await tagIds()).toEqual([d.id, b.id, c.id, a.id]);
      await store.commit([{ kind: 'device.change', id: device(1).id, change: { name: 'x' }, within: [a.id] }]);
      expect(await tagIds()).toHaveLength(4);
    });

    it('have a unique name in their space', async () => {
      await furnish(store, []);
      await store.commit([insert.tag(tag(1)), insert.tag(tag(2))]);
      await expect(store.commit([insert.tag(tag(3, { name: 'tag-1' }))])).rejects.toEqual(
        new ConflictError('tag-name'),
      );
      await expect(store.commit([insert.tag(tag(2, { name: 'tag-1' }))])).rejects.toEqual(
        new ConflictError('tag-name'),
      );
      await store.commit([insert.tag(tag(4, { name: 'tag-1', spaceId: OTHER_SPACE }))]);
      expect(await store.tags(SPACE, { limit: 9 })).toEqual([tag(1), tag(2)]);
    });

    it('can be renamed, even to a name that another tag has just released', async () => {
      await furnish(store, []);
      await store.commit([insert.tag(tag(1)), insert.tag(tag(2))]);
      await store.commit([insert.tag(tag(1, { name: 'new' })), insert.tag(tag(2, { name: 'tag-1' }))]);
      expect((await store.tags(SPACE, { limit: 9 })).map((row) => row.name)).toEqual(['new', 'tag-1']);
    });

    it('change only in the given fields, and a change does not restore a deleted tag', async () => {
      await furnish(store, []);
      await store.commit([1, 2, 3].map((n) => insert.tag(tag(n))));
      await store.commit([
        { kind: 'tag.change', id: tag(1).id, change: { name: 'new', accessType: 'read' } },
        { kind: 'tag.change', id: tag(2).id, change: { color: '#000000' } },
        { kind: 'tag.delete', id: tag(3).id },
        { kind: 'tag.change', id: tag(3).id, change: { name: 'back' } },
      ]);
      expect(await store.tags(SPACE, { limit: 9 })).toEqual([
        tag(1, { name: 'new', accessType: 'read' }),
        tag(2, { color: '#000000' }),
      ]);
      const rename = store.commit([{ kind: 'tag.change', id: tag(2).id, change: { name: 'new' } }]);
      await expect(rename).rejects.toEqual(new ConflictError('tag-name'));
    });

    it('are listed page by page, even if the cursor is a deleted tag', async () => {
      await furnish(store, []);
      await store.commit([1, 2, 3, 4].map((n) => insert.tag(tag(n))));
      await store.commit([{ kind: 'tag.delete', id: tag(2).id }]);
      expect(await store.tags(SPACE, { limit: 1, after: tag(2).id })).toEqual([tag(3)]);
      expect(await store.tags(OTHER_SPACE, { limit: 9 })).toEqual([]);
      expect(await store.tag(OTHER_SPACE, tag(1).id)).toBeUndefined();
      expect(await store.tag(SPACE, tag(1).id)).toEqual(tag(1));
    });

    it('are removed from every device when they are deleted', async () => {
      await furnish(store, []);
      const tagIds = [tag(2).id, tag(1).id];
      await store.commit([insert.tag(tag(1)), insert.tag(tag(2)), insert.device(device(1, { tagIds }))]);
      expect((await store.device(SPACE, device(1).id))?.tagIds).toEqual(tagIds);
      await store.commit([{ kind: 'tag.delete', id: tag(2).id }]);
      expect((await store.device(SPACE, device(1).id))?.tagIds).toEqual([tag(1).id]);
      expect(await namesOf(store, { tagIds: [tag(2).id] })).toEqual([]);
    });

    it('that do not exist are ignored for a device', async () => {
      await furnish(store, []);
      await store.commit([insert.tag(tag(1)), insert.device(device(1, { tagIds: [tag(7).id, tag(1).id, tag(1).id] }))]);
      expect((await store.device(SPACE, device(1).id))?.tagIds).toEqual([tag(1).id]);
      await store.commit([{ kind: 'device.change', id: device(1).id, change: { tagIds: [tag(7).id] } }]);
      expect((await store.device(SPACE, device(1).id))?.tagIds).toEqual([]);
    });
  });
}
