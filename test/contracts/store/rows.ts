/** The store's contract about rows: they are returned unchanged. */
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { EncodedBody } from '../../../src/cloud/store/encoded-body.js';
import type { Store } from '../../../src/cloud/store/store.js';
import { device, downlink, furnish, insert, message, SPACE, T0 } from '../../cloud/store/rows.js';
import { body, decoderOf, field } from '../../protocol/fixtures.js';
import { bodiesOf } from './queries.js';

export function aboutRows(opened: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = opened();
  });

  describe('rows', () => {
    it('are not shared with their writer', async () => {
      await furnish(store, []);
      const label: Record<string, string> = { site: 'A' };
      const body = { list: [1, 2] };
      await store.commit([insert.device(device(1, { label })), insert.message(message(1, { body }))]);
      label.site = 'B';
      body.list.push(3);
      expect((await store.device(SPACE, device(1).id))?.label).toEqual({ site: 'A' });
      expect(await bodiesOf(store, {})).toEqual([{ list: [1, 2] }]);
    });

    it('are not shared with their readers', async () => {
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
        // A store may also return frozen rows, to which writing throws.
        try {
          label.site = 'spoilt';
        } catch {}
      };
      await spoil();
      expect((await store.device(SPACE, device(1).id))?.label).toEqual({ site: 'A' });
      expect(await bodiesOf(store, {})).toEqual([{ list: [1] }]);
      expect((await store.codec('c0'))?.document).toEqual(Uint8Array.of(1, 2));
    });

    it('are returned unchanged', async () => {
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
      const sent = downlink(1, {
        codecHash: 'c',
        raw: '00ff',
        fingerprint: 'p',
        downAttempt: 3,
        downAnsweredAt: T0 + 9,
      });
      await store.commit([insert.message(sent)]);
      const listed = { ...sent, deviceName: full.name, deviceSerial: full.serial };
      expect(await store.message(SPACE, sent.id)).toEqual(listed);
      expect(await store.messages(SPACE, { limit: 1 })).toEqual([listed]);
      expect(await store.pendingDownlinks(full.id)).toEqual([sent]);
    });

    it('may contain an encoded body, which is returned decoded', async () => {
      await furnish(store);
      const codec = decoderOf(field('list'));
      const sent = body([0, [1, 2]]);
      await store.commit([insert.message(message(1, { body: new EncodedBody(codec, sent) }))]);
      sent.fill(0);
      const read = (await store.message(SPACE, message(1).id))?.body as { list: number[] };
      expect(read).toEqual({ list: [1, 2] });
      read.list.push(3);
      expect(await bodiesOf(store, {})).toEqual([{ list: [1, 2] }]);
    });

    it('with an encoded body has all its fields, is recognised as a copy, and is deleted like others', async () => {
      await furnish(store);
      const codec = decoderOf(field('list'));
      const encoded = (n: number) =>
        message(n, { body: new EncodedBody(codec, body([0, [n]])), codecHash: codec.hash, fingerprint: printOf(n) });
      const [first, second] = [encoded(1), encoded(2)];
      await store.commit([insert.message(first)]);
      await store.commit([
        insert.message(second),
        { kind: 'device.change', id: second.deviceId, change: { lastSeen: T0 } },
      ]);
      const { name, serial } = (await store.device(SPACE, first.deviceId)) ?? {};
      expect(await store.message(SPACE, first.id)).toEqual({
        ...first,
        ...{ body: { list: [1] }, deviceName: name, deviceSerial: serial },
      });
      expect(await store.copyOf(first.deviceId, printOf(1), 0)).toBe(first.id);
      await expect(store.commit([insert.message(encoded(2))])).rejects.toThrow();
      const copy = { ...insert.message({ ...encoded(3), fingerprint: printOf(2) }), newSince: 0 };
      await expect(store.commit([copy])).rejects.toMatchObject({ field: 'fingerprint' });
      expect(await store.prune(second.createdAt, 9)).toBe(1);
      expect((await store.messages(SPACE, { limit: 9 })).map(({ id }) => id)).toEqual([second.id]);
    });

    it('with encoded bodies are read and deleted one by one, however many there are', async () => {
      await furnish(store, [device(1), device(2)]);
      const codec = decoderOf(field('text'));
      const texts = Array.from({ length: 300 }, (_, n) => `${n} `.repeat(n));
      const rows = texts.map((text, n) => {
        const encoded = new EncodedBody(codec, body([0, text]));
        const fingerprint = n % 3 === 0 ? null : printOf(n);
        return message(n, { deviceId: device(1 + (n % 2)).id, body: encoded, codecHash: codec.hash, fingerprint });
      });
      await store.commit(rows.map((row) => insert.message(row)));
      const expectRows = async (from: number) => {
        const decoded = rows.slice(from).map((row, i) => ({ ...row, body: { text: texts[from + i] } }));
        expect(await store.messages(SPACE, { limit: 300 })).toMatchObject(decoded.toReversed());
        const ofDevice = decoded.filter(({ deviceId }) => deviceId === device(2).id);
        expect(await store.messages(SPACE, { limit: 300, deviceId: device(2).id })).toMatchObject(
          ofDevice.toReversed(),
        );
      };
      await expectRows(0);
      expect(await store.prune(rows[290]?.createdAt as number, 200)).toBe(200);
      await expectRows(200);
      expect(await store.copyOf(device(2).id, printOf(199), 0)).toBeUndefined();
      expect(await store.copyOf(device(2).id, printOf(203), 0)).toBe(rows[203]?.id);
      expect(await store.prune(T0 + 300_000, 300)).toBe(100);
      expect(await store.messages(SPACE, { limit: 300 })).toEqual([]);
    });

    it('may contain any JSON value as a body', async () => {
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
}

/** A fingerprint in the form that services compute. Every fifth one has the same first digits. */
function printOf(n: number): string {
  return `${n % 5}`.repeat(8) + (n + 1).toString(16).padStart(8, '0');
}
