/** The model of the fleet in the console. */
import { expect, it } from 'vitest';
import type { DeviceCloudClient } from '../../src/client/client.js';
import { Fleet } from '../../web/src/model/fleet.js';

const summary = (id: string) => ({
  ...{ id, name: id, serial_number: '2159017985', label: {}, tag_names: [], last_seen: null, session_id: null },
  ...{ fw_bundle: null, fw_name: null, fw_version: null },
});

it('after a gap in the events, devices are listed again: deleted ones are gone, and new ones come last', async () => {
  let ids = ['a', 'b', 'c'];
  // The cast is safe because the listing needs only these two requests.
  const client = {
    deviceSummaries: async ({ order_by = 'asc' }) => (order_by === 'asc' ? ids : ids.toReversed()).map(summary),
    messages: async () => [],
  } as unknown as DeviceCloudClient;
  const fleet = new Fleet(client);
  await fleet.load();
  expect(fleet.rows.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  ids = ['a', 'c', 'd'];
  await fleet.load();
  expect(fleet.rows.map(({ id }) => id)).toEqual(['a', 'c', 'd']);
  expect(fleet.row('b')).toBeUndefined();
});
