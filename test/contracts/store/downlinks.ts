/** The store's contract about downlinks and their timelines. */

import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Change,
  ConflictError,
  type MessageRow,
  type Page,
  type Store,
  type TimelineRow,
  WAITING_CONTENT,
} from '../../../src/cloud/store/store.js';
import type { DownState } from '../../../src/contract/messages.js';
import {
  device,
  downlink,
  furnish,
  idAt,
  insert,
  message,
  OTHER_SPACE,
  record,
  SPACE,
  T0,
} from '../../cloud/store/rows.js';

export function aboutDownlinks(opened: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = opened();
  });

  describe('downlinks', () => {
    it('are queued in order, separately for each device', async () => {
      await furnish(store, [device(1), device(2)]);
      const other = downlink(2, { deviceId: device(2).id });
      await store.commit([downlink(1), downlink(3), other].map(insert.message));
      await store.commit([insert.message(message(4))]);
      expect(await store.pendingDownlinks(device(1).id)).toEqual([downlink(1), downlink(3)]);
      expect(await store.pendingDownlinks(device(2).id)).toEqual([other]);
      expect(await store.pendingDownlinks(idAt(T0, 999))).toEqual([]);
    });

    it('count their offers, and leave the queue when they end', async () => {
      await furnish(store);
      await store.commit([insert.message(downlink(1))]);
      const { id } = downlink(1);
      await store.commit([{ kind: 'message.offer', id, attempt: 1 }]);
      expect(await store.pendingDownlinks(device(1).id)).toEqual([downlink(1, { downAttempt: 1 })]);
      await store.commit([{ kind: 'message.offer', id, attempt: 2 }]);
      await store.commit([{ kind: 'message.state', id, state: 'sent', at: T0 + 6000 }]);
      expect(await store.pendingDownlinks(device(1).id)).toEqual([]);
      expect(await store.overdueDownlinks(T0 + 1e9, 9)).toEqual([]);
      expect(await store.countPending()).toBe(0);
      const row = await store.message(SPACE, id);
      expect([row?.downState, row?.downStateAt, row?.downAttempt]).toEqual(['sent', T0 + 6000, 2]);
    });

    it('are offered only while they are pending, and each attempt only once', async () => {
      await furnish(store);
      await store.commit([1, 2].map((n) => insert.message(downlink(n))));
      const offer = (n: number, attempt: number): Change => ({ kind: 'message.offer', id: downlink(n).id, attempt });
      const outdated = new ConflictError('attempt');
      await expect(store.commit([insert.message(message(3)), offer(1, 2)])).rejects.toEqual(outdated);
      await store.commit([offer(1, 1)]);
      const rivals = await Promise.allSettled([store.commit([offer(1, 2)]), store.commit([offer(1, 2)])]);
      expect(rivals.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
      expect(outdated.message).toBe('another service has offered the downlink meanwhile');
      await store.commit([{ kind: 'message.state', id: downlink(2).id, state: 'cancelled', at: T0 }]);
      await expect(store.commit([offer(2, 1)])).rejects.toEqual(new ConflictError('down-state'));
      const attempts = (await store.messages(SPACE, { limit: 9 })).map((row) => row.downAttempt);
      expect(attempts).toEqual([0, 2]);
    });

    it('leave the state pending only once', async () => {
      await furnish(store);
      await store.commit([1, 2, 3].map((n) => insert.message(downlink(n))));
      const move = (n: number, state: Exclude<DownState, 'pending'>) =>
        ({ kind: 'message.state', id: downlink(n).id, state, at: T0 + 9000 }) as const;
      const late = new ConflictError('down-state');
      await store.commit([move(1, 'sent')]);
      for (const state of ['cancelled', 'expired', 'sent'] as const) {
        await expect(store.commit([insert.message(message(9)), move(1, state)])).rejects.toEqual(late);
      }
      await expect(store.commit([move(2, 'cancelled'), move(2, 'sent')])).rejects.toEqual(late);
      await store.commit([{ kind: 'message.offer', id: downlink(2).id, attempt: 1 }, move(2, 'expired')]);
      const deletion = { kind: 'device.delete', id: device(1).id, at: T0 } as const;
      await expect(store.commit([deletion, move(3, 'sent')])).rejects.toEqual(late);
      const states = (await store.messages(SPACE, { limit: 9 })).map((row) => row.downState);
      expect(states).toEqual(['pending', 'expired', 'sent']);
      expect(late.message).toBe('the downlink is not pending');
    });

    it('are overdue if they were queued before the given time, whatever their device and space', async () => {
      await furnish(store, [device(1), device(2, { spaceId: OTHER_SPACE })]);
      const foreign = downlink(2, { deviceId: device(2).id, spaceId: OTHER_SPACE });
      await store.commit([downlink(1), downlink(3), foreign, downlink(200)].map(insert.message));
      expect((await store.overdueDownlinks(T0 + 3000, 9)).map((row) => row.id)).toEqual([downlink(1).id, foreign.id]);
      expect((await store.overdueDownlinks(T0 + 3001, 9)).length).toBe(3);
      expect(await store.countPending()).toBe(4);
      expect([...(await store.countPendingBySpace()).values()].reduce((a, b) => a + b)).toBe(4);
      expect((await store.overdueDownlinks(T0 + 3001, 2)).length).toBe(2);
    });

    it('of type config and shell are unanswered after they are sent, until their answer', async () => {
      await furnish(store);
      const rows = [downlink(1), downlink(2, { type: 'config' }), downlink(3, { type: 'data' }), downlink(4)];
      await store.commit(rows.map(insert.message));
      const send = (row: MessageRow) => ({ kind: 'message.state', id: row.id, state: 'sent', at: T0 + 9000 }) as const;
      await store.commit(rows.slice(0, 3).map(send));
      expect((await store.unansweredDownlinks(device(1).id)).map((row) => row.id)).toEqual([
        downlink(1).id,
        downlink(2).id,
      ]);
      await store.commit([{ kind: 'message.answered', id: downlink(1).id, at: T0 + 9999 }]);
      expect((await store.unansweredDownlinks(device(1).id)).map((row) => row.id)).toEqual([downlink(2).id]);
      expect((await store.message(SPACE, downlink(1).id))?.downAnsweredAt).toBe(T0 + 9999);
    });

    it('are read from a queue without their content if it is long', async () => {
      await furnish(store);
      const { body, raw, ...long } = downlink(1, { body: ['x'.repeat(WAITING_CONTENT)] });
      const short = ['x'.repeat(WAITING_CONTENT - 4)];
      await store.commit([insert.message({ ...long, body, raw })]);
      await store.commit([insert.message(downlink(2, { body: short })), insert.message(downlink(3, { body: null }))]);
      const pending = await store.pendingDownlinks(device(1).id);
      expect(pending).toEqual([long, downlink(2, { body: short }), downlink(3, { body: null })]);
      expect(pending.map((row) => 'body' in row)).toEqual([false, true, true]);
    });

    it('are read from a queue without their raw bytes if these are long', async () => {
      await furnish(store);
      const short = downlink(1, { type: 'data', body: null, raw: 'ab'.repeat(WAITING_CONTENT / 2 - 2) });
      const { body, raw, ...long } = downlink(2, {
        type: 'data',
        body: null,
        raw: 'ab'.repeat(WAITING_CONTENT / 2 - 1),
      });
      await store.commit([insert.message(short), insert.message({ ...long, body, raw })]);
      const pending = await store.pendingDownlinks(device(1).id);
      expect(pending).toEqual([short, long]);
      expect(pending.map((row) => ['body' in row, 'raw' in row])).toEqual([
        [true, true],
        [false, false],
      ]);
    });

    it('are rejected if the queue of their device is full, and nothing is written', async () => {
      await furnish(store, [device(1), device(2)]);
      const ask = (n: number, deviceId = device(1).id): Change => ({
        kind: 'message.insert',
        row: downlink(n, { deviceId }),
        room: 2,
      });
      await store.commit([ask(1)]);
      const fates = await Promise.allSettled([2, 3, 4].map((n) => store.commit([insert.record(record(n)), ask(n)])));
      expect(fates.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
      await expect(store.commit([ask(5)])).rejects.toEqual(new ConflictError('queue'));
      await expect(store.commit([ask(6, device(2).id), ask(7, device(2).id), ask(8, device(2).id)])).rejects.toEqual(
        new ConflictError('queue'),
      );
      expect(await store.pendingDownlinks(device(2).id)).toEqual([]);
      expect((await store.records('variable', SPACE, { limit: 9 })).length).toBe(1);
      // Downlinks that the cloud queues by itself need no room, and ended downlinks take none.
      await store.commit([insert.message(downlink(9))]);
      expect((await store.pendingDownlinks(device(1).id)).length).toBe(3);
      const end = (n: number): Change => {
        return { kind: 'message.state', id: downlink(n).id, state: 'cancelled', at: T0 };
      };
      await store.commit([end(1), end(2), ask(10)]);
      expect((await store.pendingDownlinks(device(1).id)).map((row) => row.id)).toEqual([
        downlink(9).id,
        downlink(10).id,
      ]);
    });
  });

  describe('a timeline', () => {
    const page = { limit: 100 };
    const station = (what: string, detail: string | null = null, n = 1): TimelineRow => ({
      ...{ messageId: message(n).id, at: T0, what, detail },
    });
    const add = (row: TimelineRow) => ({ kind: 'timeline.add', row }) as const;
    const plain = async (n = 1, query: Page = page) =>
      (await store.timeline(message(n).id, query)).map(({ id: _, ...row }) => row);

    it('has its entries in the order in which they were written', async () => {
      const rows = ['queued', 'contact', 'offered', 'sent'].map((what) =>
        station(what, what === 'sent' ? 'final-ack' : null),
      );
      await store.commit(rows.map(add));
      await store.commit([add(station('x', null, 2))]);
      expect(await plain()).toEqual(rows);
      expect(await plain(3)).toEqual([]);
    });

    it('keeps the first and the latest of repeated entries', async () => {
      const offer = (n: number, message = 1): Change => ({
        ...add(station('offered', `${n}`, message)),
        latest: true,
      });
      await store.commit([add(station('queued')), offer(1)]);
      await store.commit([offer(2), add(station('contact')), offer(7)]);
      for (let n = 3; n < 50; n++) await store.commit([offer(n)]);
      await store.commit([offer(1, 2), add(station('sent'))]);
      const first = [station('queued'), station('offered', '1'), station('contact')];
      expect(await plain()).toEqual([...first, station('offered', '49'), station('sent')]);
      expect(await plain(2)).toEqual([station('offered', '1', 2)]);
    });

    it('is read page by page, and each entry has an id', async () => {
      const rows = ['a', 'b', 'c', 'd', 'e'].map((what) => station(what));
      await store.commit(rows.flatMap((row) => [add(row), add(station('between', null, 2))]));
      const seen: string[] = [];
      for (let after: string | undefined; ; ) {
        const stations = await store.timeline(message(1).id, { limit: 2, after });
        if (stations.length === 0) break;
        seen.push(...stations.map(({ what }) => what));
        after = stations.at(-1)?.id;
      }
      expect(seen.join('')).toBe('abcde');
      expect((await store.timeline(message(1).id, { limit: 2, after: message(1).id })).length).toBe(0);
      const ids = (await store.timeline(message(1).id, page)).map(({ id }) => id);
      expect(new Set(ids).size).toBe(5);
      expect([...ids].sort()).toEqual(ids);
    });
  });
}
