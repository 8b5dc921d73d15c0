/** The store's contract about records and about the documents of codecs. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type Change, ConflictError, type RecordRow, type Store } from '../../../src/cloud/store/store.js';
import { furnish, idAt, insert, OTHER_SPACE, record, SPACE, T0 } from '../../cloud/store/rows.js';

export function aboutRecords(opened: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = opened();
  });

  describe('records', () => {
    const idsOf = (rows: readonly RecordRow[]) => rows.map((row) => row.id);

    it('can be read by their key as soon as a concurrent commit with the same key is rejected', async () => {
      await furnish(store, []);
      const readWinner = async (n: number) => {
        const row = record(n, { key: 'once' });
        const lost = await store.commit([insert.record(row)]).then(
          () => false,
          (error: unknown) => error instanceof ConflictError,
        );
        return lost ? await store.recordByKey(row.family, row.spaceId, 'once') : row;
      };
      const seen = await Promise.all([1, 2, 3, 4].map(readWinner));
      expect(new Set(seen.map((row) => row?.id)).size).toBe(1);
      expect(seen[0]).toBeDefined();
    });

    it('are returned unchanged, in their own family and space only', async () => {
      await furnish(store, []);
      const body = { name: 'ü', list: [1, null, { deep: true }] };
      const row = record(1, { dueAt: T0 + 5, body });
      const global = record(2, { spaceId: null, key: null, body: null });
      await store.commit([insert.record(row), insert.record(global)]);
      expect(await store.record('variable', SPACE, row.id)).toEqual(row);
      expect(await store.recordByKey('variable', SPACE, 'key-1')).toEqual(row);
      expect(await store.record('variable', null, global.id)).toEqual(global);
      for (const [family, spaceId] of [
        ['variable', OTHER_SPACE],
        ['variable', null],
        ['user', SPACE],
      ] as const) {
        expect(await store.record(family, spaceId, row.id)).toBeUndefined();
        expect(await store.recordByKey(family, spaceId, 'key-1')).toBeUndefined();
      }
      expect(await store.record('variable', SPACE, global.id)).toBeUndefined();
    });

    it('are counted in their own family and space, up to a maximum', async () => {
      await furnish(store, []);
      await store.commit([1, 2, 3].map((n) => insert.record(record(n))));
      await store.commit([insert.record(record(4, { spaceId: null, key: null }))]);
      const count = (spaceId: string | null, most: number) => store.countRecords('variable', spaceId, most);
      expect(await Promise.all([count(SPACE, 10), count(SPACE, 2), count(null, 10), count(OTHER_SPACE, 10)])).toEqual([
        ...[3, 2, 1, 0],
      ]);
      await store.commit([{ kind: 'record.delete', family: 'variable', id: record(2).id }]);
      expect([await count(SPACE, 10), await store.countRecords('user', SPACE, 10)]).toEqual([2, 0]);
    });

    it('of connectors are counted for each space: every creation, change and deletion', async () => {
      await furnish(store, []);
      const row = record(1, { family: 'connector' });
      const versions = [await store.connectorsVersion(SPACE)];
      for (const changes of [
        [insert.record(row)],
        [{ kind: 'record.change', row: { ...row, body: 2 }, was: row.body }],
        [insert.record(record(2, { family: 'connector' }))],
        [insert.record({ ...row, body: 3 })],
        [{ kind: 'record.delete', family: 'connector', id: row.id }],
      ] as const) {
        await store.commit(changes);
        versions.push(await store.connectorsVersion(SPACE));
      }
      await store.commit([
        insert.record(record(3)),
        insert.record(record(4, { family: 'connector', spaceId: OTHER_SPACE })),
      ]);
      expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
      expect(await store.connectorsVersion(SPACE)).toBe(versions.at(-1));
    });

    it('are not shared with writers or readers', async () => {
      await furnish(store, []);
      const body = { list: [1] };
      await store.commit([insert.record(record(1, { body }))]);
      body.list.push(2);
      const read = (await store.record('variable', SPACE, record(1).id)) as RecordRow;
      (read.body as { list: number[] }).list.push(3);
      expect((await store.record('variable', SPACE, record(1).id))?.body).toEqual({ list: [1] });
    });

    it('are listed oldest first, page by page', async () => {
      await furnish(store, []);
      const elsewhere = [
        record(4, { spaceId: OTHER_SPACE }),
        record(5, { family: 'user' }),
        record(6, { spaceId: null }),
      ];
      await store.commit([...[3, 1, 2].map((n) => record(n)), ...elsewhere].map(insert.record));
      expect(await store.records('variable', SPACE, { limit: 2 })).toEqual([record(1), record(2)]);
      await store.commit([{ kind: 'record.delete', family: 'variable', id: record(2).id }]);
      expect(await store.records('variable', SPACE, { limit: 2, after: record(2).id })).toEqual([record(3)]);
      expect(idsOf(await store.records('variable', null, { limit: 9 }))).toEqual([record(6).id]);
      expect(await store.records('connector', SPACE, { limit: 9 })).toEqual([]);
    });

    it('are found by a range of keys, greatest first', async () => {
      await furnish(store, []);
      const keys = ['a/1', 'a/2', 'a/B', 'a/a', 'a0', 'a', 'b/1', null];
      const elsewhere = [
        record(20, { key: 'a/3', spaceId: OTHER_SPACE }),
        record(21, { key: 'a/4', family: 'user' }),
        record(22, { key: 'a/5', spaceId: null }),
      ];
      await store.commit([...keys.map((key, n) => record(n, { key })), ...elsewhere].map(insert.record));
      const found = async (from: string, below: string, limit: number, spaceId: string | null = SPACE) =>
        (await store.recordsInRange('variable', spaceId, { from, below }, limit)).map((row) => row.key);
      expect(await found('a/', 'a0', 9)).toEqual(['a/a', 'a/B', 'a/2', 'a/1']);
      expect(await found('a/', 'a/B', 1)).toEqual(['a/2']);
      expect(await found('a/', 'a/1', 9)).toEqual([]);
      expect(await found('a/', 'a0', 9, null)).toEqual(['a/5']);
    });

    it('reject a commit that requires that none has a key of a range, if one has and the commit does not delete it', async () => {
      await furnish(store, []);
      await store.commit([1, 2, 3].map((n) => insert.record(record(n))));
      const deletion = (n: number): Change => ({ kind: 'record.delete', family: 'variable', id: record(n).id });
      const none = (from: string, below: string, more: object = {}): Change => ({
        ...{ kind: 'record.none', family: 'variable', spaceId: SPACE, range: { from, below } },
        ...more,
      });
      const found = new ConflictError('record-body');
      await expect(store.commit([deletion(1), none('key-1', 'key-3')])).rejects.toEqual(found);
      expect(await store.record('variable', SPACE, record(1).id)).toBeDefined();
      await store.commit([
        none('key-1', 'key-4', { spaceId: OTHER_SPACE }),
        none('key-1', 'key-4', { family: 'user' }),
      ]);
      const keyless = record(2, { key: null });
      await store.commit([
        deletion(1),
        { kind: 'record.change', row: keyless, was: record(2).body },
        none('key-1', 'key-3'),
      ]);
      expect((await store.records('variable', SPACE, { limit: 9 })).map(({ key }) => key)).toEqual([null, 'key-3']);
    });

    it('are replaced when they are put again, and not found when deleted', async () => {
      await furnish(store, []);
      await store.commit([insert.record(record(1, { dueAt: T0 }))]);
      const changed = record(1, { key: 'new', body: 'other', spaceId: OTHER_SPACE });
      await store.commit([insert.record(changed)]);
      expect(await store.records('variable', SPACE, { limit: 9 })).toEqual([]);
      expect(await store.records('variable', OTHER_SPACE, { limit: 9 })).toEqual([changed]);
      expect(await store.recordByKey('variable', SPACE, 'key-1')).toBeUndefined();
      expect(await store.recordByKey('variable', OTHER_SPACE, 'new')).toEqual(changed);
      expect(await store.dueRecords('variable', T0 + 9, 9)).toEqual([]);
      await store.commit([{ kind: 'record.delete', family: 'user', id: changed.id }]);
      expect(await store.record('variable', OTHER_SPACE, changed.id)).toEqual(changed);
      await store.commit([{ kind: 'record.delete', family: 'variable', id: changed.id }]);
      expect(await store.record('variable', OTHER_SPACE, changed.id)).toBeUndefined();
      expect(await store.recordByKey('variable', OTHER_SPACE, 'new')).toBeUndefined();
    });

    it('have a key that is unique in their family and space, or have no key', async () => {
      await furnish(store, []);
      const conflict = new ConflictError('record-key');
      const same = { key: 'same' };
      await store.commit([
        insert.record(record(1, same)),
        insert.record(record(2, { ...same, spaceId: OTHER_SPACE })),
        insert.record(record(3, { ...same, spaceId: null })),
        insert.record(record(4, { ...same, family: 'user' })),
        insert.record(record(5, { key: null })),
        insert.record(record(6, { key: null })),
      ]);
      await expect(store.commit([insert.record(record(7, same))])).rejects.toEqual(conflict);
      await expect(store.commit([insert.record(record(7, { ...same, spaceId: null }))])).rejects.toEqual(conflict);
      await expect(store.commit([insert.record(record(5, same))])).rejects.toEqual(conflict);
      const twice = [insert.record(record(8, { key: 'x' })), insert.record(record(9, { key: 'x' }))];
      await expect(store.commit(twice)).rejects.toEqual(conflict);
      expect(idsOf(await store.records('variable', SPACE, { limit: 9 }))).toEqual([1, 5, 6].map((n) => record(n).id));
    });

    it('are changed only if they are unchanged since they were read', async () => {
      await furnish(store, []);
      const before = record(1, { key: 'old', body: { n: 1, text: 'ü\0' } });
      await store.commit([insert.record(before), insert.record(record(2))]);
      const after = { ...before, key: 'new', dueAt: T0 + 1, body: { n: 2 } };
      await store.commit([{ kind: 'record.change', row: after, was: before.body }]);
      expect(await store.record('variable', SPACE, before.id)).toEqual(after);
      expect(await store.recordByKey('variable', SPACE, 'old')).toBeUndefined();
      expect(idsOf(await store.dueRecords('variable', T0 + 9, 9))).toEqual([before.id]);

      const late = { ...after, body: { n: 3 } };
      const list = [insert.record(record(3)), { kind: 'record.change', row: late, was: before.body } as const];
      await expect(store.commit(list)).rejects.toEqual(new ConflictError('record-body'));
      expect(idsOf(await store.records('variable', SPACE, { limit: 9 }))).toEqual([before.id, record(2).id]);
      const taken = { ...after, key: 'key-2' };
      const rename = store.commit([{ kind: 'record.change', row: taken, was: after.body }]);
      await expect(rename).rejects.toEqual(new ConflictError('record-key'));

      await store.commit([{ kind: 'record.delete', family: 'variable', id: before.id }]);
      await store.commit([{ kind: 'record.change', row: late, was: after.body }]);
      expect(await store.record('variable', SPACE, before.id)).toBeUndefined();
    });

    it('are changed by exactly one of several concurrent commits', async () => {
      await furnish(store, []);
      const before = record(1, { body: 0 });
      await store.commit([insert.record(before)]);
      const rivals = [1, 2, 3].map((body) =>
        store.commit([{ kind: 'record.change', row: { ...before, body }, was: 0 }]),
      );
      const won = (await Promise.allSettled(rivals)).findIndex(({ status }) => status === 'fulfilled');
      expect((await Promise.allSettled(rivals)).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect((await store.record('variable', SPACE, before.id))?.body).toBe(won + 1);
    });

    it('may take a key that another record releases earlier in the same commit', async () => {
      await furnish(store, []);
      await store.commit([insert.record(record(1)), insert.record(record(2))]);
      await store.commit([
        { kind: 'record.delete', family: 'variable', id: record(1).id },
        insert.record(record(2, { key: 'key-1' })),
        insert.record(record(3, { key: 'key-2' })),
      ]);
      expect((await store.recordByKey('variable', SPACE, 'key-1'))?.id).toBe(record(2).id);
      expect((await store.recordByKey('variable', SPACE, 'key-2'))?.id).toBe(record(3).id);
    });

    it('are listed as due from their due time on, earliest first, over all spaces', async () => {
      await furnish(store, []);
      const rows = [
        record(1, { dueAt: T0 + 3 }),
        record(2, { dueAt: T0 + 1, spaceId: OTHER_SPACE }),
        record(3, { dueAt: T0 + 3, spaceId: null }),
        record(4),
        record(5, { dueAt: T0 + 4 }),
        record(6, { dueAt: T0, family: 'user' }),
      ];
      await store.commit(rows.map(insert.record));
      expect(await store.dueRecords('variable', T0 + 3, 9)).toEqual([rows[1], rows[0], rows[2]]);
      expect(await store.dueRecords('variable', T0 + 3, 1)).toEqual([rows[1]]);
      await store.commit([insert.record(record(2, { spaceId: OTHER_SPACE }))]);
      expect(idsOf(await store.dueRecords('variable', T0 + 2, 9))).toEqual([]);
    });

    it('that are due can be listed for one space, and the spaces that have due records can be listed', async () => {
      await furnish(store, []);
      const rows = [
        record(1, { dueAt: T0 + 3 }),
        record(2, { dueAt: T0 + 1 }),
        record(3, { dueAt: T0 + 9 }),
        record(4, { dueAt: T0 + 2, spaceId: OTHER_SPACE }),
        record(5, { dueAt: T0, spaceId: null }),
        record(6, { dueAt: T0, family: 'user', spaceId: OTHER_SPACE }),
      ];
      await store.commit(rows.map(insert.record));
      expect(await store.dueRecords('variable', T0 + 3, 9, SPACE)).toEqual([rows[1], rows[0]]);
      expect(await store.dueRecords('variable', T0 + 3, 1, SPACE)).toEqual([rows[1]]);
      expect(await store.dueRecords('variable', T0 + 3, 9, OTHER_SPACE)).toEqual([rows[3]]);
      expect(await store.dueSpaces('variable', T0 + 3)).toEqual([SPACE, OTHER_SPACE].sort());
      expect(await store.dueSpaces('variable', T0 + 1)).toEqual([SPACE]);
      expect(await store.dueSpaces('variable', T0)).toEqual([]);
    });

    it('must belong to an existing space or to no space, and have JSON bodies', async () => {
      await furnish(store, []);
      await expect(store.commit([insert.record(record(1, { spaceId: idAt(T0, 999) }))])).rejects.toThrow();
      const list = [insert.record(record(2)), insert.record(record(3, { body: 1n }))];
      await expect(store.commit(list)).rejects.toThrow();
      expect(await store.records('variable', SPACE, { limit: 9 })).toEqual([]);
    });
  });

  it('keeps the first document that was stored for a codec hash', async () => {
    const row = { hash: '0123456789abcdef', document: Uint8Array.of(1, 2, 3) };
    await store.commit([{ kind: 'codec.put', row }]);
    await store.commit([{ kind: 'codec.put', row: { ...row, document: Uint8Array.of(9) } }]);
    expect(await store.codec(row.hash)).toEqual(row);
    expect(await store.codec('0000000000000000')).toBeUndefined();
  });
}
