/** The store's contract about the deletion of old rows. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/cloud/store/store.js';
import { device, downlink, furnish, insert, message, record, SPACE, T0 } from '../../cloud/store/rows.js';

export function aboutPruning(opened: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = opened();
  });

  describe('pruning', () => {
    const stored = async () => (await store.messages(SPACE, { limit: 99 })).map((row) => row.id).reverse();

    it('deletes messages created before a time, oldest first, up to a limit', async () => {
      await furnish(store, [device(1), device(2)]);
      const rows = [2, 1, 3, 4, 5].map((n) => message(n, { deviceId: device(1 + (n % 2)).id }));
      await store.commit(rows.map(insert.message));
      expect(await store.prune(T0 + 4000, 2)).toBe(2);
      expect(await stored()).toEqual([3, 4, 5].map((n) => message(n).id));
      expect(await store.prune(T0 + 4000, 2)).toBe(1);
      expect(await store.prune(T0 + 4000, 2)).toBe(0);
      expect(await stored()).toEqual([4, 5].map((n) => message(n).id));
      expect(await store.message(SPACE, message(1).id)).toBeUndefined();
      expect(await store.messages(SPACE, { limit: 9, deviceId: device(2).id })).toHaveLength(1);
    });

    it('deletes the timelines of the deleted messages, and lets copies of these messages be stored again', async () => {
      await furnish(store);
      const line = (n: number) => ({ messageId: message(n).id, at: T0, what: 'queued', detail: null });
      await store.commit([1, 2].map((n) => insert.message(message(n, { fingerprint: `print-${n}` }))));
      await store.commit([1, 2].map((n) => ({ kind: 'timeline.add', row: line(n) }) as const));
      await store.prune(T0 + 2000, 9);
      expect(await store.timeline(message(1).id, { limit: 9 })).toEqual([]);
      expect(await store.timeline(message(2).id, { limit: 9 })).toMatchObject([line(2)]);
      expect(await store.copyOf(device(1).id, 'print-1', T0)).toBeUndefined();
      expect(await store.copyOf(device(1).id, 'print-2', T0)).toBe(message(2).id);
      const again = message(3, { fingerprint: 'print-1' });
      await store.commit([{ kind: 'message.insert', row: again, newSince: T0 }]);
    });

    it('keeps pending downlinks of any age, and codecs', async () => {
      await furnish(store);
      const codec = { hash: '0123456789abcdef', document: Uint8Array.of(1) };
      const sent = downlink(2, { downState: 'sent' });
      await store.commit([downlink(1), sent, message(3, { codecHash: codec.hash })].map(insert.message));
      await store.commit([{ kind: 'codec.put', row: codec }]);
      expect(await store.prune(T0 + 1e9, 9)).toBe(2);
      expect(await store.pendingDownlinks(device(1).id)).toEqual([downlink(1)]);
      expect(await store.unansweredDownlinks(device(1).id)).toEqual([]);
      expect(await store.codec(codec.hash)).toEqual(codec);
    });

    it('also deletes messages of deleted devices', async () => {
      await furnish(store);
      await store.commit([insert.message(message(1)), insert.message(downlink(2))]);
      await store.commit([{ kind: 'device.delete', id: device(1).id, at: T0 }]);
      expect(await store.prune(T0 + 1e9, 9)).toBe(2);
    });

    it('deletes finished deliveries, and no other record', async () => {
      await furnish(store, []);
      const family = 'delivery';
      const rows = [
        record(1, { family }),
        record(2, { family, dueAt: T0 }),
        record(3, { family, createdAt: T0 + 5000 }),
        record(4),
        record(5, { family, spaceId: null, key: null }),
      ];
      await store.commit(rows.map(insert.record));
      expect(await store.prune(T0 + 1, 1)).toBe(1);
      expect(await store.prune(T0 + 1, 9)).toBe(1);
      expect(await store.records(family, SPACE, { limit: 9 })).toEqual([rows[1], rows[2]]);
      expect(await store.records('variable', SPACE, { limit: 9 })).toEqual([rows[3]]);
      expect(await store.recordByKey(family, SPACE, 'key-1')).toBeUndefined();
    });
  });
}
