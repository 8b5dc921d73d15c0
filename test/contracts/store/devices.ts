/** The store's contract about devices. */

import { beforeEach, describe, expect, it } from 'vitest';
import { placeOf } from '../../../src/cloud/store/order.js';
import {
  type Change,
  ConflictError,
  type DeviceChange,
  type DeviceRow,
  type Store,
} from '../../../src/cloud/store/store.js';
import { DEVICE_SORTS } from '../../../src/contract/devices.js';
import { findHealth, HEALTHS } from '../../../src/contract/health.js';
import { hours, minutes } from '../../../src/kernel/time.js';
import {
  device,
  downlink,
  furnish,
  insert,
  message,
  OTHER_SPACE,
  record,
  SPACE,
  T0,
  tag,
} from '../../cloud/store/rows.js';
import { at, bodiesOf, namesOf } from './queries.js';

export function aboutDevices(opened: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = opened();
  });

  describe('devices', () => {
    it('are visible only in their space, but a serial number is unique in the service', async () => {
      await furnish(store);
      expect(await store.device(OTHER_SPACE, device(1).id)).toBeUndefined();
      const rival = device(2, { spaceId: OTHER_SPACE, serial: device(1).serial });
      await expect(store.commit([insert.device(rival)])).rejects.toEqual(new ConflictError('serial'));
    });

    it('are listed, counted and watched by their health, in agreement with the rule', async () => {
      const rhythms = [null, minutes(1), minutes(30), hours(24)].flatMap((contactEvery) =>
        [null, T0, T0 - minutes(40), T0 - minutes(70), T0 - hours(40), T0 - hours(90)].map((lastContact) => ({
          ...{ lastContact, contactEvery, contactGaps: null },
        })),
      );
      const rows = rhythms.map((rhythm, n) => device(n + 1, rhythm));
      await furnish(store, rows);
      for (const at of [T0, T0 + minutes(56), T0 + hours(37)]) {
        const counts = { on_time: 0, late: 0, silent: 0, never_seen: 0 };
        for (const health of HEALTHS) {
          const wanted = rows.filter((row) => findHealth(row, at) === health).map(({ name }) => name);
          expect(await namesOf(store, { health: { among: [health], at } })).toEqual(wanted);
          expect(await store.countDevices(SPACE, { health: { among: [health], at } })).toBe(wanted.length);
          counts[health] = wanted.length;
        }
        expect(await store.countByHealth(at)).toEqual(new Map([[SPACE, counts]]));
        const from = at - minutes(20);
        const changed = rows.filter((row) => findHealth(row, from) !== findHealth(row, at));
        const wanted = changed.map((row) => ({ id: row.id, health: findHealth(row, at) }));
        const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
        expect([...(await store.healthChanges(from, at))].sort(byId)).toEqual(wanted);
      }
      const both = { health: { among: ['late', 'silent'], at: T0 } } as const;
      expect((await namesOf(store, both)).length).toBe(await store.countDevices(SPACE, both));
    });

    it('have claim tokens that are unique in the service, even when they are replaced', async () => {
      await furnish(store, [device(1), device(2)]);
      const { id, token } = device(1);
      const rival = device(3, { spaceId: OTHER_SPACE, token });
      await expect(store.commit([insert.device(rival)])).rejects.toEqual(new ConflictError('token'));
      const change = { kind: 'device.change', id: device(2).id, change: { token } } as const;
      await expect(store.commit([change])).rejects.toEqual(new ConflictError('token'));
      await store.commit([{ kind: 'device.change', id, change: { token } }]);
      await store.commit([{ kind: 'device.change', id, change: { token: 'f'.repeat(32) } }]);
      expect((await store.deviceBySerial(device(1).serial))?.token).toBe('f'.repeat(32));
      await store.commit([change]);
      await store.commit([{ kind: 'device.delete', id: device(2).id, at: T0 }, insert.device(rival)]);
      expect((await store.deviceBySerial(rival.serial))?.token).toBe(token);
    });

    it('never share a claim token: of concurrent commits that set the same one, only the first succeeds', async () => {
      await furnish(store, [device(1), device(2)]);
      const token = 'e'.repeat(32);
      const claims = await Promise.allSettled([
        store.commit([insert.device(device(3, { token }))]),
        store.commit([{ kind: 'device.change', id: device(1).id, change: { token } }]),
        store.commit([insert.device(device(4, { token })), insert.device(device(5, { token }))]),
        store.commit([{ kind: 'device.change', id: device(2).id, change: { token } }]),
      ]);
      expect(claims.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
      const reasons = claims.flatMap((claim) => (claim.status === 'rejected' ? [claim.reason] : []));
      for (const reason of reasons) expect(reason).toEqual(new ConflictError('token'));
      expect(await namesOf(store, {})).toEqual(['device-1', 'device-2', 'device-3']);
    });

    it('reject a commit that needs other rules than those of their tags and of the connectors of their space', async () => {
      const { id } = device(1);
      await furnish(store, [device(1), device(2)]);
      const change = (fields: DeviceChange) => store.commit([{ kind: 'device.change', id, change: fields }]);
      await store.commit([insert.tag(tag(1)), insert.tag(tag(2))]);
      await change({ tagIds: [tag(1).id, tag(2).id] });
      const needed = async () => {
        const row = await store.device(SPACE, id);
        const connectors = await store.connectorsVersion(SPACE);
        return {
          kind: 'rules.need',
          deviceId: id,
          version: row?.version ?? 0,
          tags: row?.tagIds.length ?? 0,
          connectors,
        } as const;
      };
      const connector = record(1, { family: 'connector' });
      for (const [n, edit] of [
        () => store.commit([{ kind: 'tag.delete', id: tag(1).id }]),
        () => change({ tagIds: [] }),
        () => change({ tagIds: [tag(2).id] }),
        () => store.commit([insert.record(connector)]),
        () => store.commit([{ kind: 'record.delete', family: 'connector', id: connector.id }]),
      ].entries()) {
        const before = await needed();
        await edit();
        const list = [insert.message(message(n + 1)), before];
        await expect(store.commit(list), `edit ${n}`).rejects.toEqual(new ConflictError('rules'));
        await store.commit([insert.message(message(n + 1)), await needed()]);
      }
      const before = await needed();
      await store.commit([insert.record(connector)]);
      await store.commit([{ ...before, connectors: null }]);
      await change({ lastSeen: T0 + 5 });
      await store.commit([await needed()]);
      await store.commit([{ kind: 'device.delete', id, at: T0 }]);
      await store.commit([before]);
    });

    it('reject every commit of one turn that needs outdated rules, and no other', async () => {
      await furnish(store, [device(1), device(2)]);
      const need = (n: number, version: number): Change => ({
        ...{ kind: 'rules.need', deviceId: device(n).id, version, tags: 0, connectors: null },
      });
      const results = await Promise.allSettled(
        [1, 0, 1, 0, 1].map((version, n) =>
          store.commit([insert.message(message(n + 1)), need(n % 3 === 0 ? 1 : 2, version)]),
        ),
      );
      expect(results.map(({ status }) => status === 'fulfilled')).toEqual([false, true, false, true, false]);
      expect(await bodiesOf(store, {})).toEqual([{ n: 4 }, { n: 2 }]);
    });

    it('change only in the given fields', async () => {
      await furnish(store, [device(1, { comment: 'old', label: { a: '1' }, sessionId: 5 })]);
      const change = { comment: null, lastSeen: T0 + 7, label: { b: '2' }, session: { fw_name: 'f' } };
      await store.commit([{ kind: 'device.change', id: device(1).id, change }]);
      expect(await store.device(SPACE, device(1).id)).toEqual(device(1, { ...change, sessionId: 5, version: 1 }));
      await store.commit([{ kind: 'device.change', id: device(1).id, change: { session: null, name: 'Renamed' } }]);
      const row = await store.device(SPACE, device(1).id);
      expect([row?.session, row?.name, row?.lastSeen]).toEqual([null, 'Renamed', T0 + 7]);
      expect(await namesOf(store, { name: 'RENAMED' })).toEqual(['Renamed']);
    });

    it('are changed by one of several users who know the same version; messages do not change the version', async () => {
      await furnish(store, [device(1, { tagIds: [] })]);
      await store.commit([{ kind: 'tag.put', row: tag(1) }]);
      const { id } = device(1);
      const edit = (change: DeviceChange, was?: number): Change => ({ kind: 'device.change', id, change, was });
      await store.commit([edit({ lastSeen: T0 + 1, sessionId: 7 })]);
      const edits = await Promise.allSettled([
        store.commit([edit({ tagIds: [tag(1).id] }, 0)]),
        store.commit([edit({ name: 'other', comment: 'late' }, 0)]),
      ]);
      expect(edits.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
      await expect(store.commit([edit({ label: {} }, 0)])).rejects.toEqual(new ConflictError('device-version'));
      await store.commit([edit({ externalId: 'x' }, 1)]);
      await store.commit([edit({ comment: 'without a condition' })]);
      const expected = { tagIds: [tag(1).id], externalId: 'x', comment: 'without a condition', version: 3 };
      expect(await store.device(SPACE, id)).toMatchObject({ ...expected, name: device(1).name, lastSeen: T0 + 1 });
      const row = (await store.devices(SPACE, { limit: 1, sortBy: 'id', order: 'asc' })) as readonly DeviceRow[];
      expect(row[0]?.version).toBe(3);
    });

    it('are not found when deleted; their messages are hidden, their queues empty, their serial numbers free', async () => {
      await furnish(store);
      await store.commit([insert.message(message(1)), insert.message(downlink(2))]);
      await store.commit([{ kind: 'device.delete', id: device(1).id, at: T0 + 9 }]);
      expect(await store.device(SPACE, device(1).id)).toBeUndefined();
      expect(await store.deviceBySerial(device(1).serial)).toBeUndefined();
      expect(await store.countDevices(SPACE, {})).toBe(0);
      expect(await bodiesOf(store, {})).toEqual([]);
      expect(await bodiesOf(store, { deviceId: device(1).id })).toEqual([]);
      expect(await store.message(SPACE, message(1).id)).toBeUndefined();
      expect(await store.pendingDownlinks(device(1).id)).toEqual([]);
      expect(await store.overdueDownlinks(T0 + 1e9, 9)).toEqual([]);
      await store.commit([insert.device(device(2, { serial: device(1).serial }))]);
      expect(await bodiesOf(store, {})).toEqual([]);
      expect(await namesOf(store, {})).toEqual(['device-2']);
    });

    it('reject new messages, and commits that need the device, from their deletion on', async () => {
      await furnish(store);
      const { id } = device(1);
      const needed: Change = { kind: 'device.need', id };
      await store.commit([needed, insert.record(record(1))]);
      const wishes = [
        store.commit([insert.message(downlink(1))]),
        store.commit([{ kind: 'device.delete', id, at: T0 }]),
        store.commit([insert.message(downlink(2))]),
        store.commit([insert.message(message(3)), insert.message(downlink(4))]),
        store.commit([needed, insert.record(record(2))]),
        store.commit([{ kind: 'message.insert', row: message(5, { fingerprint: 'print' }), newSince: T0 }]),
        store.commit([insert.message(message(6))]),
      ];
      const fates = (await Promise.allSettled(wishes)).map((fate) =>
        fate.status === 'fulfilled' ? 'stored' : fate.reason,
      );
      const gone = new ConflictError('device');
      expect(fates).toEqual(['stored', 'stored', gone, gone, gone, gone, gone]);
      expect(await store.countPending()).toBe(0);
      expect((await store.records('variable', SPACE, { limit: 9 })).map((row) => row.id)).toEqual([record(1).id]);
      expect(await store.newestMessage(id)).toBe(downlink(1).id);
    });

    it('can be deleted and created again in one commit', async () => {
      await furnish(store);
      const again = insert.device(device(2, { serial: device(1).serial }));
      await store.commit([{ kind: 'device.delete', id: device(1).id, at: T0 }, again]);
      expect(await namesOf(store, {})).toEqual(['device-2']);
    });

    it('are listed by id in both directions, even if the cursor is a deleted device', async () => {
      await furnish(
        store,
        [3, 1, 4, 2].map((n) => device(n)),
      );
      expect(await namesOf(store, { limit: 2 })).toEqual(['device-1', 'device-2']);
      expect(await namesOf(store, { order: 'desc', limit: 2 })).toEqual(['device-4', 'device-3']);
      await store.commit([{ kind: 'device.delete', id: device(2).id, at: T0 }]);
      expect(await namesOf(store, { after: at(device(2).id) })).toEqual(['device-3', 'device-4']);
      expect(await namesOf(store, { after: at(device(2).id), order: 'desc' })).toEqual(['device-1']);
    });

    it('are filtered by parts of the name and of the serial number, and by the whole external id', async () => {
      const rows = [
        device(1, { name: 'Čidlo-Šatna' }),
        device(2, { name: 'čidlo-100%_a', serial: 42, externalId: 'x' }),
        device(3, { name: 'other', externalId: 'xy' }),
      ];
      await furnish(store, rows);
      expect(await namesOf(store, { name: 'ČIDLO' })).toEqual(['Čidlo-Šatna', 'čidlo-100%_a']);
      expect(await namesOf(store, { name: '%_' })).toEqual(['čidlo-100%_a']);
      expect(await namesOf(store, { serial: '00042' })).toEqual(['čidlo-100%_a']);
      expect(await namesOf(store, { serial: String(rows[0]?.serial) })).toEqual(['Čidlo-Šatna']);
      expect(await namesOf(store, { externalId: 'x' })).toEqual(['čidlo-100%_a']);
      expect(await store.countDevices(SPACE, { name: 'čidlo' })).toBe(2);
      expect(await store.countDevices(OTHER_SPACE, {})).toBe(0);
    });

    it('are filtered by parts of the name in every script, in both cases, composed or decomposed', async () => {
      const names = ['ΟΔΟΣΑ', 'οδος', 'Žluťoučký', 'Straße 7', 'İzmir', 'Ｆｒｅｅｚｅｒ', 'ОФИС'];
      await furnish(
        store,
        names.map((name, n) => device(n + 1, { name })),
      );
      for (const [filter, found] of [
        ['ΟΔΟΣ', ['ΟΔΟΣΑ', 'οδος']],
        ['δοσ', ['ΟΔΟΣΑ', 'οδος']],
        ['οδοσα', ['ΟΔΟΣΑ']],
        ['Žluť'.normalize('NFD'), ['Žluťoučký']],
        ['STRASSE', ['Straße 7']],
        ['STRAẞE', ['Straße 7']],
        ['izmir', ['İzmir']],
        ['freezer', ['Ｆｒｅｅｚｅｒ']],
        ['офис', ['ОФИС']],
        ['zlut', []],
      ] as const) {
        expect([filter, await namesOf(store, { name: filter })]).toEqual([filter, found]);
      }
    });

    it('are listed with their claim tokens if the query requests them, and are counted up to a limit', async () => {
      const rows = [1, 2, 3].map((n) => device(n, { label: { n: String(n) }, session: { fw_name: 'f' } }));
      await furnish(store, rows);
      const query = { limit: 9, sortBy: 'id', order: 'asc' } as const;
      expect(await store.devices(SPACE, { ...query, withTokens: true })).toEqual(rows);
      expect(await store.devices(SPACE, query)).toMatchObject(rows.map(({ token: _, ...row }) => row));
      expect(await store.countDevices(SPACE, {}, 2)).toBe(2);
      expect(await store.countDevices(SPACE, { name: 'device-3' }, 2)).toBe(1);
    });

    it('are filtered by any or by all of the given tags', async () => {
      await furnish(store, []);
      const [a, b, c] = [tag(1).id, tag(2).id, tag(3).id];
      await store.commit([1, 2, 3].map((n) => insert.tag(tag(n))));
      await store.commit([
        insert.device(device(1, { tagIds: [a, b] })),
        insert.device(device(2, { tagIds: [b] })),
        insert.device(device(3)),
      ]);
      expect(await namesOf(store, { tagIds: [a, b] })).toEqual(['device-1', 'device-2']);
      expect(await namesOf(store, { tagIds: [a, b, a], tagLogic: 'all' })).toEqual(['device-1']);
      expect(await namesOf(store, { tagIds: [c] })).toEqual([]);
      expect(await namesOf(store, { tagIds: [] })).toEqual(['device-1', 'device-2', 'device-3']);
      expect(await store.countDevices(SPACE, { tagIds: [a, b], tagLogic: 'all' })).toBe(1);
      expect(await namesOf(store, { scope: [a, c] })).toEqual(['device-1']);
      expect(
        await namesOf(store, { scope: [a, b], tagIds: [b], tagLogic: 'all', sortBy: 'name', order: 'desc' }),
      ).toEqual(['device-2', 'device-1']);
      expect(await namesOf(store, { scope: [] })).toEqual([]);
      expect(await store.countDevices(SPACE, { scope: [b] })).toBe(2);
    });

    it('without a value to sort by are last in both directions; devices with equal values are sorted by id', async () => {
      const seen = [5, null, 7, 5, null].map((at, i) => device(i + 1, { lastSeen: at === null ? null : T0 + at }));
      await furnish(store, seen);
      const order = (names: number[]) => names.map((n) => `device-${n}`);
      expect(await namesOf(store, { sortBy: 'last_seen' })).toEqual(order([1, 4, 3, 2, 5]));
      expect(await namesOf(store, { sortBy: 'last_seen', order: 'desc' })).toEqual(order([3, 1, 4, 2, 5]));
    });

    it('are sorted by name in the order of code points', async () => {
      const names = ['b', 'B', '\u{1f600}', 'ｱ', 'a', 'ab'];
      await furnish(
        store,
        names.map((name, i) => device(i, { name })),
      );
      expect(await namesOf(store, { sortBy: 'name' })).toEqual(['B', 'a', 'ab', 'b', 'ｱ', '\u{1f600}']);
    });

    it('are each listed exactly once, in any order and page size', async () => {
      const names = ['b', 'a', 'b', 'c', 'a', 'd', 'b'];
      const rows = names.map((name, i) =>
        device(i, {
          name,
          externalId: i % 3 === 0 ? null : `e${i % 2}`,
          lastSeen: i % 2 === 0 ? null : T0 + (i % 4),
          sessionId: i % 3 === 1 ? null : 10 - i,
        }),
      );
      await furnish(store, rows);
      for (const sortBy of DEVICE_SORTS) {
        for (const order of ['asc', 'desc'] as const) {
          const whole = (await store.devices(SPACE, { limit: 100, sortBy, order })) as readonly DeviceRow[];
          expect(new Set(whole.map((row) => row.id)).size).toBe(rows.length);
          for (const limit of [1, 2, 3]) {
            const walked: DeviceRow[] = [];
            for (;;) {
              const last = walked.at(-1);
              const query = { limit, sortBy, order, ...(last && { after: placeOf(last, sortBy) }) };
              const page = (await store.devices(SPACE, query)) as readonly DeviceRow[];
              if (page.length === 0) break;
              walked.push(...page);
            }
            expect(walked).toEqual(whole);
          }
        }
      }
    });

    it('are listed after a place, whether or not its device is still there, up to the greatest value that is asked for', async () => {
      const rows = [1, 2, 3, 4, 5].map((n) => device(n, { lastSeen: n === 5 ? null : T0 + n, name: `n${n}` }));
      await furnish(store, rows);
      const place = { id: device(2).id, value: T0 + 2 };
      const listed = (order: 'asc' | 'desc', upTo?: number) =>
        namesOf(store, { sortBy: 'last_seen', order, after: place, ...(upTo !== undefined && { upTo }) });
      await store.commit([{ kind: 'device.change', id: device(2).id, change: { lastSeen: T0 + 9 } }]);
      expect([await listed('asc'), await listed('desc')]).toEqual([
        ['n3', 'n4', 'n2', 'n5'],
        ['n1', 'n5'],
      ]);
      expect(await listed('asc', T0 + 4)).toEqual(['n3', 'n4', 'n5']);
      await store.commit([{ kind: 'device.delete', id: device(2).id, at: T0 }]);
      expect([await listed('asc'), await listed('desc')]).toEqual([
        ['n3', 'n4', 'n5'],
        ['n1', 'n5'],
      ]);
      const ofNull = { sortBy: 'last_seen', after: { id: device(4).id, value: null } } as const;
      expect(await namesOf(store, ofNull)).toEqual(['n5']);
    });
  });
}
