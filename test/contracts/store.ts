/**
 * The contract of the store port (src/cloud/store/store.ts), run for every implementation: same calls, same answers.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EncodedBody } from '../../src/cloud/store/encoded-body.js';
import {
  type Change,
  ConflictError,
  DEVICE_SORTS,
  type DeviceQuery,
  type DeviceRow,
  type DownState,
  type MessageQuery,
  type MessageRow,
  type Page,
  type RecordRow,
  type Store,
  type TimelineRow,
  WAITING_BODY,
} from '../../src/cloud/store/store.js';
import {
  device,
  downlink,
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
} from '../cloud/store/rows.js';
import { body, decoderOf, field } from '../protocol/fixtures.js';

const byId: DeviceQuery = { limit: 100, sortBy: 'id', order: 'asc' };

export function storeContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} keeps the contract of the store:`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const namesOf = async (query: Partial<DeviceQuery>): Promise<string[] | 'unknown-cursor'> => {
      const rows = await store.devices(SPACE, { ...byId, ...query });
      return rows === 'unknown-cursor' ? rows : rows.map((row) => row.name);
    };
    const bodiesOf = async (query: Partial<MessageQuery>, spaceId = SPACE): Promise<unknown[]> =>
      (await store.messages(spaceId, { limit: 100, ...query })).map((row) => row.body);

    describe('commits', () => {
      it('write all changes of a list, in order', async () => {
        await store.commit([
          insert.space(space()),
          insert.tag(tag(1)),
          insert.device(device(1, { tagIds: [tag(1).id] })),
        ]);
        expect(await store.device(SPACE, device(1).id)).toEqual(device(1, { tagIds: [tag(1).id] }));
      });

      it('write nothing when one change of the list conflicts', async () => {
        await furnish(store);
        const list = [
          insert.message(message(1)),
          insert.device(device(2)),
          insert.device(device(3, { serial: device(1).serial })),
        ];
        await expect(store.commit(list)).rejects.toEqual(new ConflictError('serial'));
        expect(await bodiesOf({})).toEqual([]);
        expect(await store.device(SPACE, device(2).id)).toBeUndefined();
      });

      it('do not suffer from a conflict in another commit of the same turn', async () => {
        await furnish(store);
        const results = await Promise.allSettled([
          store.commit([insert.message(message(1))]),
          store.commit([insert.message(message(2)), insert.device(device(9, { serial: device(1).serial }))]),
          store.commit([insert.message(message(3))]),
        ]);
        expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect(await bodiesOf({})).toEqual([{ n: 3 }, { n: 1 }]);
      });

      it('let one of two rivals of the same turn win', async () => {
        await furnish(store, []);
        const results = await Promise.allSettled([
          store.commit([insert.device(device(1))]),
          store.commit([insert.device(device(2, { serial: device(1).serial }))]),
        ]);
        expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected']);
        expect(await namesOf({})).toEqual(['device-1']);
      });

      it('reject a row that refers to nothing, and one that is there already', async () => {
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
        expect(await bodiesOf({})).toEqual([{ n: 1 }]);
      });

      it('write nothing when a body is no JSON', async () => {
        await furnish(store);
        const list = [insert.message(message(1)), insert.message(message(2, { body: { big: 1n } }))];
        await expect(store.commit(list)).rejects.toThrow();
        expect(await bodiesOf({})).toEqual([]);
      });

      it('do nothing to what does not exist', async () => {
        await furnish(store);
        const id = idAt(T0, 999);
        await store.commit([
          { kind: 'space.change', id, change: { name: 'x' } },
          { kind: 'key.change', id, hash: 'x' },
          { kind: 'tag.change', id, change: { name: 'x' } },
          { kind: 'device.change', id, change: { name: 'x' } },
          { kind: 'device.delete', id, at: T0 },
          { kind: 'tag.delete', id },
          { kind: 'message.state', id, state: 'sent', at: T0, attempt: 1 },
          { kind: 'message.answered', id, at: T0 },
          { kind: 'key.delete', id },
          { kind: 'record.delete', family: 'user', id },
        ]);
        expect(await namesOf({})).toEqual(['device-1']);
      });
    });

    describe('rows', () => {
      it('are not shared with whoever wrote them', async () => {
        await furnish(store, []);
        const label: Record<string, string> = { site: 'A' };
        const body = { list: [1, 2] };
        await store.commit([insert.device(device(1, { label })), insert.message(message(1, { body }))]);
        label.site = 'B';
        body.list.push(3);
        expect((await store.device(SPACE, device(1).id))?.label).toEqual({ site: 'A' });
        expect(await bodiesOf({})).toEqual([{ list: [1, 2] }]);
      });

      it('are not shared with whoever reads them', async () => {
        await furnish(store, [device(1, { label: { site: 'A' }, session: { fw_version: 'v1' } })]);
        await store.commit([
          insert.message(message(1, { body: { list: [1] } })),
          { kind: 'codec.put', row: { hash: 'c0', document: Uint8Array.of(1, 2) } },
        ]);
        const spoil = async () => {
          const label = (await store.device(SPACE, device(1).id))?.label as Record<string, string>;
          const body = (await store.message(SPACE, message(1).id))?.body as { list: number[] };
          (await store.codec('c0'))?.document.fill(9);
          body.list.push(2);
          // Because a store may also defend itself by handing out frozen rows.
          try {
            label.site = 'spoilt';
          } catch {}
        };
        await spoil();
        expect((await store.device(SPACE, device(1).id))?.label).toEqual({ site: 'A' });
        expect(await bodiesOf({})).toEqual([{ list: [1] }]);
        expect((await store.codec('c0'))?.document).toEqual(Uint8Array.of(1, 2));
      });

      it('come back as they were', async () => {
        const full = device(1, {
          name: 'Žofie "1" \u{1f600}',
          comment: 'line\nline\u0000end',
          externalId: 'ext-1',
          label: { a: '', b: 'ü' },
          lastSeen: T0 + 1,
          sessionId: 1_767_225_600,
          session: { vendor_name: 'X', imei: '351358815178345', watchdog_timeout: 0 },
          configHash: '0123456789abcdef',
          decoderHash: 'fedcba9876543210',
          encoderHash: '0000000000000000',
        });
        await furnish(store, [full]);
        expect(await store.device(SPACE, full.id)).toEqual(full);
        expect(await store.deviceBySerial(full.serial)).toEqual(full);
        const sent = downlink(1, { codecHash: 'c', raw: '00ff', print: 'p', downAttempt: 3, downAnsweredAt: T0 + 9 });
        await store.commit([insert.message(sent)]);
        const listed = { ...sent, deviceName: full.name, deviceSerial: full.serial };
        expect(await store.message(SPACE, sent.id)).toEqual(listed);
        expect(await store.messages(SPACE, { limit: 1 })).toEqual([listed]);
        expect(await store.pendingDownlinks(full.id)).toEqual([sent]);
      });

      it('hold a body as it came, and show it decoded', async () => {
        await furnish(store);
        const codec = decoderOf(field('list'));
        const sent = body([0, [1, 2]]);
        await store.commit([insert.message(message(1, { body: new EncodedBody(codec, sent) }))]);
        sent.fill(0);
        const read = (await store.message(SPACE, message(1).id))?.body as { list: number[] };
        expect(read).toEqual({ list: [1, 2] });
        read.list.push(3);
        expect(await bodiesOf({})).toEqual([{ list: [1, 2] }]);
      });

      it('hold any JSON value as a body', async () => {
        await furnish(store);
        let n = 0;
        await fc.assert(
          fc.asyncProperty(fc.jsonValue(), async (body) => {
            const row = message(n++, { body });
            await store.commit([insert.message(row)]);
            const expected = JSON.parse(JSON.stringify(body));
            expect((await store.message(SPACE, row.id))?.body).toEqual(expected);
          }),
          { numRuns: 30 },
        );
      });
    });

    describe('spaces and keys', () => {
      it('are found by id, and keys by their hash', async () => {
        await store.commit([insert.space(space()), insert.key(key(1))]);
        expect(await store.space(SPACE)).toEqual(space());
        expect(await store.space(OTHER_SPACE)).toBeUndefined();
        expect(await store.keyByHash('hash-1')).toEqual(key(1));
        expect(await store.keyByHash('hash-2')).toBeUndefined();
      });

      it('are replaced when they are put again', async () => {
        await store.commit([insert.space(space()), insert.key(key(1))]);
        await store.commit([insert.space(space({ name: 'new' })), insert.key(key(1, { hash: 'rotated' }))]);
        expect((await store.space(SPACE))?.name).toBe('new');
        expect(await store.keyByHash('hash-1')).toBeUndefined();
        expect((await store.keyByHash('rotated'))?.id).toBe(key(1).id);
      });

      it('change in what is given, and only what is there', async () => {
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

      it('let a key be deleted, after which its hash is free', async () => {
        await store.commit([insert.space(space()), insert.key(key(1)), insert.key(key(2))]);
        await store.commit([{ kind: 'key.delete', id: key(1).id }, insert.key(key(3, { hash: 'hash-1' }))]);
        expect((await store.keyByHash('hash-1'))?.id).toBe(key(3).id);
        await store.commit([{ kind: 'key.delete', id: key(2).id }]);
        expect(await store.keyByHash('hash-2')).toBeUndefined();
      });

      it('are listed in order of id, page by page', async () => {
        await store.commit([3, 1, 2].map((n) => insert.space(space({ id: idAt(T0, n), name: `s${n}` }))));
        expect((await store.spaces({ limit: 2 })).map((row) => row.name)).toEqual(['s1', 's2']);
        expect((await store.spaces({ limit: 2, after: idAt(T0, 2) })).map((row) => row.name)).toEqual(['s3']);
      });
    });

    describe('a space that is deleted', () => {
      const FAMILIES = ['variable', 'member/of-it'];
      const deletion = (id = SPACE): Change => ({ kind: 'space.delete', id, families: FAMILIES });
      const gone = new ConflictError('space');

      it('keeps its row, marked, and loses its keys, its tags and its records of the named families', async () => {
        await furnish(store, []);
        await store.commit([insert.key(key(1)), insert.tag(tag(1)), insert.record(record(1))]);
        await store.commit([insert.record(record(2, { family: 'member/of-it' }))]);
        await store.commit([insert.record(record(3, { family: 'delivery' }))]);
        const others = { spaceId: OTHER_SPACE };
        await store.commit([insert.key(key(2, others)), insert.tag(tag(2, others)), insert.record(record(4, others))]);
        await store.commit([deletion()]);
        expect((await store.space(SPACE))?.type).toBe('deleted');
        expect(await store.keyByHash('hash-1')).toBeUndefined();
        expect(await store.tags(SPACE, { limit: 9 })).toEqual([]);
        expect(await store.records('variable', SPACE, { limit: 9 })).toEqual([]);
        expect(await store.records('member/of-it', SPACE, { limit: 9 })).toEqual([]);
        expect((await store.records('delivery', SPACE, { limit: 9 })).length).toBe(1);
        expect(await store.keyByHash('hash-2')).toEqual(key(2, others));
        expect(await store.tag(OTHER_SPACE, tag(2).id)).toEqual(tag(2, others));
        expect((await store.records('variable', OTHER_SPACE, { limit: 9 })).length).toBe(1);
      });

      it('takes in no device, key, tag or record any more, and nothing brings it back', async () => {
        await furnish(store, []);
        await store.commit([deletion()]);
        for (const late of [
          insert.device(device(1)),
          insert.key(key(1)),
          insert.tag(tag(1)),
          insert.record(record(1)),
        ]) {
          const free = insert.record(record(9, { spaceId: null }));
          await expect(store.commit([free, late])).rejects.toEqual(gone);
          await expect(store.commit([late])).rejects.toEqual(gone);
        }
        expect(await store.records('variable', null, { limit: 9 })).toEqual([]);
        await store.commit([{ kind: 'space.change', id: SPACE, change: { name: 'again', type: 'team' } }]);
        expect(await store.space(SPACE)).toEqual(space({ type: 'deleted' }));
        await store.commit([insert.device(device(1, { spaceId: OTHER_SPACE }))]);
        expect(gone.message).toBe('the space is gone');
      });

      it('still takes in what its deleted devices have said', async () => {
        await furnish(store);
        await store.commit([{ kind: 'device.delete', id: device(1).id, at: T0 }, deletion()]);
        await store.commit([insert.message(message(1)), insert.record(record(1, { family: 'delivery' }))]);
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

      it('is never left with anything in it, however many want to put something in at that moment', async () => {
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

    describe('tags', () => {
      it('have a name of their own in their space', async () => {
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

      it('can be renamed, also into a name that was just given up', async () => {
        await furnish(store, []);
        await store.commit([insert.tag(tag(1)), insert.tag(tag(2))]);
        await store.commit([insert.tag(tag(1, { name: 'new' })), insert.tag(tag(2, { name: 'tag-1' }))]);
        expect((await store.tags(SPACE, { limit: 9 })).map((row) => row.name)).toEqual(['new', 'tag-1']);
      });

      it('change in what is given, and do not come back by it', async () => {
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

      it('are listed page by page, also behind one that is gone', async () => {
        await furnish(store, []);
        await store.commit([1, 2, 3, 4].map((n) => insert.tag(tag(n))));
        await store.commit([{ kind: 'tag.delete', id: tag(2).id }]);
        expect(await store.tags(SPACE, { limit: 1, after: tag(2).id })).toEqual([tag(3)]);
        expect(await store.tags(OTHER_SPACE, { limit: 9 })).toEqual([]);
        expect(await store.tag(OTHER_SPACE, tag(1).id)).toBeUndefined();
        expect(await store.tag(SPACE, tag(1).id)).toEqual(tag(1));
      });

      it('come off every device when they are deleted', async () => {
        await furnish(store, []);
        const tagIds = [tag(2).id, tag(1).id];
        await store.commit([insert.tag(tag(1)), insert.tag(tag(2)), insert.device(device(1, { tagIds }))]);
        expect((await store.device(SPACE, device(1).id))?.tagIds).toEqual(tagIds);
        await store.commit([{ kind: 'tag.delete', id: tag(2).id }]);
        expect((await store.device(SPACE, device(1).id))?.tagIds).toEqual([tag(1).id]);
        expect(await namesOf({ tagIds: [tag(2).id] })).toEqual([]);
      });

      it('that do not exist are left out of a device', async () => {
        await furnish(store, []);
        await store.commit([
          insert.tag(tag(1)),
          insert.device(device(1, { tagIds: [tag(7).id, tag(1).id, tag(1).id] })),
        ]);
        expect((await store.device(SPACE, device(1).id))?.tagIds).toEqual([tag(1).id]);
        await store.commit([{ kind: 'device.change', id: device(1).id, change: { tagIds: [tag(7).id] } }]);
        expect((await store.device(SPACE, device(1).id))?.tagIds).toEqual([]);
      });
    });

    describe('devices', () => {
      it('are only seen in their own space, but a serial number is taken everywhere', async () => {
        await furnish(store);
        expect(await store.device(OTHER_SPACE, device(1).id)).toBeUndefined();
        const rival = device(2, { spaceId: OTHER_SPACE, serial: device(1).serial });
        await expect(store.commit([insert.device(rival)])).rejects.toEqual(new ConflictError('serial'));
      });

      it('change only in the fields that a change names', async () => {
        await furnish(store, [device(1, { comment: 'old', label: { a: '1' }, sessionId: 5 })]);
        const change = { comment: null, lastSeen: T0 + 7, label: { b: '2' }, session: { fw_name: 'f' } };
        await store.commit([{ kind: 'device.change', id: device(1).id, change }]);
        expect(await store.device(SPACE, device(1).id)).toEqual(device(1, { ...change, sessionId: 5 }));
        await store.commit([{ kind: 'device.change', id: device(1).id, change: { session: null, name: 'Renamed' } }]);
        const row = await store.device(SPACE, device(1).id);
        expect([row?.session, row?.name, row?.lastSeen]).toEqual([null, 'Renamed', T0 + 7]);
        expect(await namesOf({ name: 'RENAMED' })).toEqual(['Renamed']);
      });

      it('are gone when deleted, with their messages out of sight, their downlinks cancelled and their serial number free', async () => {
        await furnish(store);
        await store.commit([insert.message(message(1)), insert.message(downlink(2))]);
        await store.commit([{ kind: 'device.delete', id: device(1).id, at: T0 + 9 }]);
        expect(await store.device(SPACE, device(1).id)).toBeUndefined();
        expect(await store.deviceBySerial(device(1).serial)).toBeUndefined();
        expect(await store.countDevices(SPACE, {})).toBe(0);
        expect(await bodiesOf({})).toEqual([]);
        expect(await bodiesOf({ deviceId: device(1).id })).toEqual([]);
        expect(await store.message(SPACE, message(1).id)).toBeUndefined();
        expect(await store.pendingDownlinks(device(1).id)).toEqual([]);
        expect(await store.overdueDownlinks(T0 + 1e9, 9)).toEqual([]);
        await store.commit([insert.device(device(2, { serial: device(1).serial })), insert.message(message(3))]);
        expect(await bodiesOf({})).toEqual([]);
        expect(await namesOf({})).toEqual(['device-2']);
      });

      it('can be deleted and made again in one commit', async () => {
        await furnish(store);
        const again = insert.device(device(2, { serial: device(1).serial }));
        await store.commit([{ kind: 'device.delete', id: device(1).id, at: T0 }, again]);
        expect(await namesOf({})).toEqual(['device-2']);
      });

      it('are listed by id in both directions, also behind one that is gone', async () => {
        await furnish(
          store,
          [3, 1, 4, 2].map((n) => device(n)),
        );
        expect(await namesOf({ limit: 2 })).toEqual(['device-1', 'device-2']);
        expect(await namesOf({ order: 'desc', limit: 2 })).toEqual(['device-4', 'device-3']);
        await store.commit([{ kind: 'device.delete', id: device(2).id, at: T0 }]);
        expect(await namesOf({ after: device(2).id })).toEqual(['device-3', 'device-4']);
        expect(await namesOf({ after: device(2).id, order: 'desc' })).toEqual(['device-1']);
      });

      it('are filtered by parts of the name and of the serial number, and by the whole external id', async () => {
        const rows = [
          device(1, { name: 'Čidlo-Šatna' }),
          device(2, { name: 'čidlo-100%_a', serial: 42, externalId: 'x' }),
          device(3, { name: 'other', externalId: 'xy' }),
        ];
        await furnish(store, rows);
        expect(await namesOf({ name: 'ČIDLO' })).toEqual(['Čidlo-Šatna', 'čidlo-100%_a']);
        expect(await namesOf({ name: '%_' })).toEqual(['čidlo-100%_a']);
        expect(await namesOf({ serial: '00042' })).toEqual(['čidlo-100%_a']);
        expect(await namesOf({ serial: String(rows[0]?.serial) })).toEqual(['Čidlo-Šatna']);
        expect(await namesOf({ externalId: 'x' })).toEqual(['čidlo-100%_a']);
        expect(await store.countDevices(SPACE, { name: 'čidlo' })).toBe(2);
        expect(await store.countDevices(OTHER_SPACE, {})).toBe(0);
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
        expect(await namesOf({ tagIds: [a, b] })).toEqual(['device-1', 'device-2']);
        expect(await namesOf({ tagIds: [a, b, a], tagLogic: 'all' })).toEqual(['device-1']);
        expect(await namesOf({ tagIds: [c] })).toEqual([]);
        expect(await namesOf({ tagIds: [] })).toEqual(['device-1', 'device-2', 'device-3']);
        expect(await store.countDevices(SPACE, { tagIds: [a, b], tagLogic: 'all' })).toBe(1);
        expect(await namesOf({ scope: [a, c] })).toEqual(['device-1']);
        expect(await namesOf({ scope: [a, b], tagIds: [b], tagLogic: 'all', sortBy: 'name', order: 'desc' })).toEqual([
          'device-2',
          'device-1',
        ]);
        expect(await namesOf({ scope: [] })).toEqual([]);
        expect(await store.countDevices(SPACE, { scope: [b] })).toBe(2);
      });

      it('that lack the value sorted by come last in both directions; ties go by id', async () => {
        const seen = [5, null, 7, 5, null].map((at, i) => device(i + 1, { lastSeen: at === null ? null : T0 + at }));
        await furnish(store, seen);
        const order = (names: number[]) => names.map((n) => `device-${n}`);
        expect(await namesOf({ sortBy: 'last_seen' })).toEqual(order([1, 4, 3, 2, 5]));
        expect(await namesOf({ sortBy: 'last_seen', order: 'desc' })).toEqual(order([3, 1, 4, 2, 5]));
      });

      it('are sorted by name in the order of code points', async () => {
        const names = ['b', 'B', '\u{1f600}', 'ｱ', 'a', 'ab'];
        await furnish(
          store,
          names.map((name, i) => device(i, { name })),
        );
        expect(await namesOf({ sortBy: 'name' })).toEqual(['B', 'a', 'ab', 'b', 'ｱ', '\u{1f600}']);
      });

      it('can be walked in any order, whatever the page size, each exactly once', async () => {
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
                const after = walked.at(-1)?.id;
                const query = { limit, sortBy, order, ...(after === undefined ? {} : { after }) };
                const page = (await store.devices(SPACE, query)) as readonly DeviceRow[];
                if (page.length === 0) break;
                walked.push(...page);
              }
              expect(walked).toEqual(whole);
            }
          }
        }
      });

      it('refuse a cursor that is no device of the space, except by id', async () => {
        await furnish(store);
        const foreign = device(2, { spaceId: OTHER_SPACE });
        await store.commit([insert.device(foreign)]);
        expect(await namesOf({ sortBy: 'name', after: foreign.id })).toBe('unknown-cursor');
        expect(await namesOf({ sortBy: 'name', after: idAt(T0, 999) })).toBe('unknown-cursor');
        expect(await namesOf({ after: idAt(T0, 1) })).toEqual(['device-1']);
      });
    });

    describe('messages', () => {
      it('are listed newest first, page by page', async () => {
        await furnish(store);
        await store.commit([2, 1, 3].map((n) => insert.message(message(n))));
        expect(await bodiesOf({ limit: 2 })).toEqual([{ n: 3 }, { n: 2 }]);
        expect(await bodiesOf({ limit: 2, after: message(2).id })).toEqual([{ n: 1 }]);
        expect(await bodiesOf({ after: idAt(T0 + 1500, 0) })).toEqual([{ n: 1 }]);
        expect(await bodiesOf({}, OTHER_SPACE)).toEqual([]);
        expect(await bodiesOf({ deviceId: device(1).id }, OTHER_SPACE)).toEqual([]);
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
          (await bodiesOf(query)).map((body) => (body as { n: number }).n);
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

      it('answer every combination of filters as a plain scan would', async () => {
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
            // Because an option that is not there and one that is undefined mean the same here.
            const found = await store.messages(SPACE, given as MessageQuery);
            expect(found.map((row) => row.id)).toEqual(expected);
          }),
          { numRuns: 60 },
        );
      });

      it('show the name that their device has now', async () => {
        await furnish(store);
        await store.commit([insert.message(message(1))]);
        await store.commit([{ kind: 'device.change', id: device(1).id, change: { name: 'renamed' } }]);
        const [listed] = await store.messages(SPACE, { limit: 1 });
        expect([listed?.deviceName, listed?.deviceSerial]).toEqual(['renamed', device(1).serial]);
      });
    });

    describe('downlinks', () => {
      it('wait in the order in which they were queued, each device for itself', async () => {
        await furnish(store, [device(1), device(2)]);
        const other = downlink(2, { deviceId: device(2).id });
        await store.commit([downlink(3), other, downlink(1)].map(insert.message));
        await store.commit([insert.message(message(4))]);
        expect(await store.pendingDownlinks(device(1).id)).toEqual([downlink(1), downlink(3)]);
        expect(await store.pendingDownlinks(device(2).id)).toEqual([other]);
        expect(await store.pendingDownlinks(idAt(T0, 999))).toEqual([]);
      });

      it('count attempts while pending, and leave the queue when their state changes', async () => {
        await furnish(store);
        await store.commit([insert.message(downlink(1))]);
        const { id } = downlink(1);
        await store.commit([{ kind: 'message.state', id, state: 'pending', at: T0 + 5000, attempt: 1 }]);
        expect(await store.pendingDownlinks(device(1).id)).toEqual([downlink(1, { downAttempt: 1 })]);
        await store.commit([{ kind: 'message.state', id, state: 'sent', at: T0 + 6000, attempt: 2 }]);
        expect(await store.pendingDownlinks(device(1).id)).toEqual([]);
        expect(await store.overdueDownlinks(T0 + 1e9, 9)).toEqual([]);
        expect(await store.countPending()).toBe(0);
        const row = await store.message(SPACE, id);
        expect([row?.downState, row?.downStateAt, row?.downAttempt]).toEqual(['sent', T0 + 6000, 2]);
      });

      it('leave state pending once, whoever tries', async () => {
        await furnish(store);
        await store.commit([1, 2, 3].map((n) => insert.message(downlink(n))));
        const move = (n: number, state: DownState) =>
          ({ kind: 'message.state', id: downlink(n).id, state, at: T0 + 9000, attempt: 1 }) as const;
        const late = new ConflictError('down-state');
        await store.commit([move(1, 'sent')]);
        for (const state of ['cancelled', 'expired', 'pending', 'sent'] as const) {
          await expect(store.commit([insert.message(message(9)), move(1, state)])).rejects.toEqual(late);
        }
        await expect(store.commit([move(2, 'cancelled'), move(2, 'sent')])).rejects.toEqual(late);
        await store.commit([move(2, 'pending'), move(2, 'expired')]);
        const deletion = { kind: 'device.delete', id: device(1).id, at: T0 } as const;
        await expect(store.commit([deletion, move(3, 'sent')])).rejects.toEqual(late);
        const states = (await store.messages(SPACE, { limit: 9 })).map((row) => row.downState);
        expect(states).toEqual(['pending', 'expired', 'sent']);
        expect(late.message).toBe('the downlink is not pending any more');
      });

      it('are overdue when they were queued before a moment, over all devices and spaces', async () => {
        await furnish(store, [device(1), device(2, { spaceId: OTHER_SPACE })]);
        const foreign = downlink(2, { deviceId: device(2).id, spaceId: OTHER_SPACE });
        await store.commit([downlink(3), foreign, downlink(1), downlink(200)].map(insert.message));
        expect((await store.overdueDownlinks(T0 + 3000, 9)).map((row) => row.id)).toEqual([downlink(1).id, foreign.id]);
        expect((await store.overdueDownlinks(T0 + 3001, 9)).length).toBe(3);
        expect(await store.countPending()).toBe(4);
        expect((await store.overdueDownlinks(T0 + 3001, 2)).length).toBe(2);
      });

      it('of config and shell are unanswered from being sent until the answer', async () => {
        await furnish(store);
        const rows = [downlink(2, { type: 'config' }), downlink(1), downlink(3, { type: 'data' }), downlink(4)];
        await store.commit(rows.map(insert.message));
        const send = (row: MessageRow) =>
          ({ kind: 'message.state', id: row.id, state: 'sent', at: T0 + 9000, attempt: 1 }) as const;
        await store.commit(rows.slice(0, 3).map(send));
        expect((await store.unansweredDownlinks(device(1).id)).map((row) => row.id)).toEqual([
          downlink(1).id,
          downlink(2).id,
        ]);
        await store.commit([{ kind: 'message.answered', id: downlink(1).id, at: T0 + 9999 }]);
        expect((await store.unansweredDownlinks(device(1).id)).map((row) => row.id)).toEqual([downlink(2).id]);
        expect((await store.message(SPACE, downlink(1).id))?.downAnsweredAt).toBe(T0 + 9999);
      });

      it('that are long stay in the store when a queue is read', async () => {
        await furnish(store);
        const { body: _, ...long } = downlink(1, { body: ['x'.repeat(WAITING_BODY)] });
        const short = ['x'.repeat(WAITING_BODY - 4)];
        await store.commit([insert.message({ ...long, body: ['x'.repeat(WAITING_BODY)] })]);
        await store.commit([insert.message(downlink(2, { body: short })), insert.message(downlink(3, { body: null }))]);
        const pending = await store.pendingDownlinks(device(1).id);
        expect(pending).toEqual([long, downlink(2, { body: short }), downlink(3, { body: null })]);
        expect(pending.map((row) => 'body' in row)).toEqual([false, true, true]);
      });

      it('may need room in the queue of their device: without, nothing is written', async () => {
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
        // What the cloud queues by itself needs no room; what has ended takes none.
        await store.commit([insert.message(downlink(9))]);
        expect((await store.pendingDownlinks(device(1).id)).length).toBe(3);
        const end = (n: number): Change => {
          return { kind: 'message.state', id: downlink(n).id, state: 'cancelled', at: T0, attempt: 0 };
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

      it('has its stations in the order in which they were written', async () => {
        const rows = ['queued', 'contact', 'offered', 'sent'].map((what) =>
          station(what, what === 'sent' ? 'final-ack' : null),
        );
        await store.commit(rows.map(add));
        await store.commit([add(station('x', null, 2))]);
        expect(await plain()).toEqual(rows);
        expect(await plain(3)).toEqual([]);
      });

      it('keeps of what goes on and on the first and the latest', async () => {
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

      it('is read page by page, and each station has an id of its own', async () => {
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

    it('finds the newest copy of a message of the same device, if it is not too old', async () => {
      await furnish(store, [device(1), device(2)]);
      await store.commit([
        insert.message(message(2, { print: 'p' })),
        insert.message(message(1, { print: 'p' })),
        insert.message(message(3, { print: 'q', deviceId: device(2).id })),
      ]);
      const at = T0 + 2000;
      expect(await store.copyOf(device(1).id, 'p', at)).toBe(message(2).id);
      expect(await store.copyOf(device(1).id, 'p', at + 1)).toBeUndefined();
      expect(await store.copyOf(device(1).id, 'q', T0)).toBeUndefined();
      expect(await store.copyOf(device(2).id, 'p', T0)).toBeUndefined();
    });

    describe('a message that must be new', () => {
      const insertNew = (n: number, changes: Partial<MessageRow>, newSince: number): Change => ({
        kind: 'message.insert',
        row: message(n, changes),
        newSince,
      });
      const conflict = expect.objectContaining({ name: 'ConflictError', field: 'print' });

      it('is refused while the device has one with its print that is not older, and nothing is written', async () => {
        await furnish(store);
        await store.commit([insertNew(1, { print: 'p' }, T0)]);
        const seen: Change = { kind: 'device.change', id: device(1).id, change: { lastSeen: T0 + 5000 } };
        await expect(store.commit([insertNew(2, { print: 'p' }, T0 + 1000), seen])).rejects.toEqual(conflict);
        expect(await store.message(SPACE, message(2).id)).toBeUndefined();
        expect((await store.device(SPACE, device(1).id))?.lastSeen).toBe(device(1).lastSeen);
        await store.commit([insertNew(2, { print: 'p' }, T0 + 1000.5)]);
        expect(await store.message(SPACE, message(2).id)).toMatchObject({ print: 'p', direction: 'up' });
      });

      it('is not taken for one with another print, without any, or of another device', async () => {
        await furnish(store, [device(1), device(2)]);
        await store.commit([insertNew(1, { print: 'p' }, T0), insertNew(2, {}, T0)]);
        await store.commit([insertNew(3, { print: 'q' }, T0)]);
        await store.commit([insertNew(4, {}, T0)]);
        await store.commit([insertNew(5, { print: 'p', deviceId: device(2).id }, T0)]);
        expect(await store.messages(SPACE, { limit: 9 })).toHaveLength(5);
      });

      it('leaves alone what is written with it', async () => {
        await furnish(store);
        const sent = downlink(9);
        await store.commit([insertNew(1, { print: 'p' }, T0), insert.message(sent)]);
        const state = { kind: 'message.state', id: sent.id, state: 'sent', at: T0, attempt: 1 } as const;
        const outcomes = await Promise.allSettled([
          store.commit([insertNew(2, { print: 'q' }, T0)]),
          store.commit([insertNew(3, { print: 'p' }, T0)]),
          store.commit([state]),
          store.commit([insertNew(4, { print: 'r' }, T0), state]),
          store.commit([insertNew(5, { print: 'q' }, T0)]),
          store.commit([insertNew(6, { print: 's' }, T0)]),
        ]);
        expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, false, false, true]);
        const stored = await store.messages(SPACE, { limit: 9, direction: 'up' });
        expect(stored.map((row) => row.print)).toEqual(['s', 'q', 'p']);
      });
    });

    describe('pruning', () => {
      const stored = async () => (await store.messages(SPACE, { limit: 99 })).map((row) => row.id).reverse();

      it('deletes what was created before a moment, oldest first, a few at a time', async () => {
        await furnish(store, [device(1), device(2)]);
        const rows = [3, 1, 2, 4, 5].map((n) => message(n, { deviceId: device(1 + (n % 2)).id }));
        await store.commit(rows.map(insert.message));
        expect(await store.prune(T0 + 4000, 2)).toBe(2);
        expect(await stored()).toEqual([3, 4, 5].map((n) => message(n).id));
        expect(await store.prune(T0 + 4000, 2)).toBe(1);
        expect(await store.prune(T0 + 4000, 2)).toBe(0);
        expect(await stored()).toEqual([4, 5].map((n) => message(n).id));
        expect(await store.message(SPACE, message(1).id)).toBeUndefined();
        expect(await store.messages(SPACE, { limit: 9, deviceId: device(2).id })).toHaveLength(1);
      });

      it('takes the timelines along, and lets copies in again', async () => {
        await furnish(store);
        const line = (n: number) => ({ messageId: message(n).id, at: T0, what: 'queued', detail: null });
        await store.commit([1, 2].map((n) => insert.message(message(n, { print: `print-${n}` }))));
        await store.commit([1, 2].map((n) => ({ kind: 'timeline.add', row: line(n) }) as const));
        await store.prune(T0 + 2000, 9);
        expect(await store.timeline(message(1).id, { limit: 9 })).toEqual([]);
        expect(await store.timeline(message(2).id, { limit: 9 })).toMatchObject([line(2)]);
        expect(await store.copyOf(device(1).id, 'print-1', T0)).toBeUndefined();
        expect(await store.copyOf(device(1).id, 'print-2', T0)).toBe(message(2).id);
        await store.commit([insert.message(message(1))]);
      });

      it('leaves pending downlinks alone, however old, and codecs', async () => {
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

      it('also deletes what devices left behind that are deleted themselves', async () => {
        await furnish(store);
        await store.commit([insert.message(message(1)), insert.message(downlink(2))]);
        await store.commit([{ kind: 'device.delete', id: device(1).id, at: T0 }]);
        expect(await store.prune(T0 + 1e9, 9)).toBe(2);
      });

      it('deletes deliveries that are over, and no other record', async () => {
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

    describe('records', () => {
      const idsOf = (rows: readonly RecordRow[]) => rows.map((row) => row.id);

      it('that lose to another of the same moment can read the one that won', async () => {
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

      it('come back as they were, in their own family and space only', async () => {
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

      it('are not shared with whoever writes or reads them', async () => {
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

      it('are replaced when they are put again, and gone when deleted', async () => {
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

      it('have a key of their own in their family and space, where every record may go without', async () => {
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

      it('are changed while they are what they were when they were read, and only then', async () => {
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

      it('are changed by one of those who want to at the same moment', async () => {
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

      it('may take a key that another gives up before in the same commit', async () => {
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

      it('are due from their moment on, earliest first, over all spaces', async () => {
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

      it('must belong to a space that exists, if to any, and have JSON bodies', async () => {
        await furnish(store, []);
        await expect(store.commit([insert.record(record(1, { spaceId: idAt(T0, 999) }))])).rejects.toThrow();
        const list = [insert.record(record(2)), insert.record(record(3, { body: 1n }))];
        await expect(store.commit(list)).rejects.toThrow();
        expect(await store.records('variable', SPACE, { limit: 9 })).toEqual([]);
      });
    });

    it('keeps the first document of a codec hash', async () => {
      const row = { hash: '0123456789abcdef', document: Uint8Array.of(1, 2, 3) };
      await store.commit([{ kind: 'codec.put', row }]);
      await store.commit([{ kind: 'codec.put', row: { ...row, document: Uint8Array.of(9) } }]);
      expect(await store.codec(row.hash)).toEqual(row);
      expect(await store.codec('0000000000000000')).toBeUndefined();
    });
  });
}
