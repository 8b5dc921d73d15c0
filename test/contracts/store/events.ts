/** The store's contract about the journal of events. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Change, NewEvent, Store } from '../../../src/cloud/store/store.js';
import { device, furnish, insert, message, record, SPACE, T0 } from '../../cloud/store/rows.js';

export function aboutEvents(opened: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = opened();
  });

  const add = (kind: NewEvent['kind'], ref: string, detail: unknown = null): Change => ({
    kind: 'event.add',
    event: { kind, ref, at: T0, detail },
  });

  describe('the journal', () => {
    it('keeps entries in the order of the commits, with the space and the device of their rows', async () => {
      await furnish(store);
      const before = await store.newestEvent();
      const station = { what: 'sent', at: T0, detail: null };
      const update = record(1, { family: 'firmware', spaceId: SPACE });
      await store.commit([insert.message(message(1)), add('message', message(1).id)]);
      await store.commit([add('downlink', message(1).id, station), add('device', device(1).id, { change: 'changed' })]);
      await store.commit([{ kind: 'record.put', row: update }, add('firmware', update.id)]);
      const rows = await store.events(before, 99);
      const [spaceId, deviceId] = [SPACE, device(1).id];
      expect(rows.map(({ seq: _, ...row }) => row)).toEqual([
        { kind: 'message', ref: message(1).id, at: T0, detail: null, spaceId, deviceId },
        { kind: 'downlink', ref: message(1).id, at: T0, detail: station, spaceId, deviceId },
        { kind: 'device', ref: deviceId, at: T0, detail: { change: 'changed' }, spaceId, deviceId },
        { kind: 'firmware', ref: update.id, at: T0, detail: null, spaceId, deviceId: null },
      ]);
      const numbers = rows.map(({ seq }) => seq);
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect(await store.newestEvent()).toBe(numbers.at(-1));
      expect(await store.events(numbers[1] ?? 0, 1)).toMatchObject([{ seq: numbers[2] }]);
    });

    it('has no entry for a row that does not exist, or from a commit that failed', async () => {
      await furnish(store);
      const before = await store.newestEvent();
      await store.commit([add('message', message(7).id), add('delivery', message(7).id)]);
      await store.commit([insert.message(message(2))]);
      const late = [add('message', message(2).id), insert.message(message(1))];
      await expect(store.commit(late)).rejects.toThrow('newer message');
      expect(await store.events(before, 99)).toEqual([]);
    });

    it('keeps the entries of deleted devices, and uses no number twice, even after pruning', async () => {
      await furnish(store);
      await store.commit([{ kind: 'device.delete', id: device(1).id, at: T0 }, add('device', device(1).id)]);
      const last = await store.newestEvent();
      expect(await store.events(last - 1, 9)).toMatchObject([{ deviceId: device(1).id }]);
      await store.commit([{ kind: 'event.prune', below: last + 1 }]);
      expect([await store.events(0, 9), await store.newestEvent()]).toEqual([[], 0]);
      await store.commit([add('device', device(1).id)]);
      expect(await store.newestEvent()).toBeGreaterThan(last);
    });
  });
}
