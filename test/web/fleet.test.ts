/** The model of the fleet in the console. */
import { afterEach, expect, it, vi } from 'vitest';
import type { DeviceCloudClient } from '../../src/client/client.js';
import type { Device, Message } from '../../src/client/types.js';
import { Fleet } from '../../web/src/model/fleet.js';

const summary = (id: string) => ({
  ...{ id, name: id, serial_number: '2159017985', label: {}, tag_names: [], last_seen: null, session_id: null },
  ...{ fw_bundle: null, fw_name: null, fw_version: null },
});

afterEach(() => {
  vi.useRealTimers();
});

it('after a gap in the events, the fleet lists the devices again: deleted ones are gone, and new ones come last', async () => {
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

it('the fleet counts the changes of its list: new, changed and deleted devices, but not their messages', () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const fleet = new Fleet({} as DeviceCloudClient);
  const changes: (() => void)[] = [
    () => fleet.put(device('a')),
    () => fleet.put({ ...device('a'), name: 'other' }),
    () => fleet.remove('a'),
    () => fleet.put(device('b')),
  ];
  for (const [index, change] of changes.entries()) {
    change();
    vi.advanceTimersByTime(250);
    expect(fleet.listVersion.value).toBe(index + 1);
  }
  // The cast is safe because the fleet reads only these fields of an uplink without data.
  fleet.see({ device_id: 'b', direction: 'up', type: 'session', created_at: '2026-01-01T00:00:00Z' } as Message);
  vi.advanceTimersByTime(250);
  expect(fleet.version.value).toBe(changes.length + 1);
  expect(fleet.listVersion.value).toBe(changes.length);
});

/** The cast is safe because the fleet reads only these fields of a device. */
const device = (id: string) => ({ ...summary(id), session: null, tags: [] }) as unknown as Device;
