/** Writes devices directly into a store, without the requests that would register them. */
import type { Store } from '../../src/cloud/store/store.js';
import { device, idAt, T0, tag } from '../../test/cloud/store/rows.js';

/** Number of devices in one commit. */
const AT_ONCE = 1_000;
const HASH = '5fd1a3c2b7e09846';

/**
 * Inserts devices in the state after their first day: each has a tag, a label and a session.
 * @returns their ids
 */
export async function fillFleet(store: Store, spaceId: string, count: number): Promise<readonly string[]> {
  const tags = ['cold', 'north', 'south'].map((name, n) => ({ ...tag(n), id: idAt(T0, 50 + n), spaceId, name }));
  await store.commit(tags.map((row) => ({ kind: 'tag.put', row })));
  const ids: string[] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const rows = Array.from({ length: AT_ONCE }, (_, i) => {
      const n = from + i;
      const id = idAt(T0, 100_000 + n);
      ids.push(id);
      return device(n, {
        ...{ id, spaceId, name: `cellar-${String(n + 1).padStart(6, '0')}`, serial: 2_159_000_000 + n },
        ...{ token: n.toString(16).padStart(32, '0'), tagIds: [tags[n % tags.length]?.id ?? ''] },
        ...{ label: { region: 'north' }, lastSeen: T0 + n, lastContact: T0 + n, sessionId: 1_767_225_600 },
        ...{ session: SESSION, configHash: HASH, decoderHash: HASH, encoderHash: HASH },
      });
    });
    await store.commit(rows.map((row) => ({ kind: 'device.insert', row })));
  }
  return ids;
}

const SESSION = {
  ...{ vendor_name: 'HARDWARIO', product_name: 'CHESTER-M', hw_variant: 'CDGLS', hw_revision: 'R3.4' },
  ...{ fw_bundle: 'com.hardwario.chester.app.clime', fw_name: 'CHESTER Clime', fw_version: 'v4.0.0' },
  ...{ ble_passkey: '123456', imsi: '901288910018982', imei: '351358811123456', iccid: '8942310022000000000' },
};
