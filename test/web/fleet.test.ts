/** The model of the fleet in the console. */
import { afterEach, expect, it, vi } from 'vitest';
import { ApiError, type DeviceCloudClient } from '../../src/client/client.js';
import type { Device, Message } from '../../src/client/types.js';
import { AGAIN } from '../../web/src/api/answering.js';
import { Downlinks } from '../../web/src/model/downlinks.js';
import type { Listener, Station } from '../../web/src/model/feed.js';
import { Fleet } from '../../web/src/model/fleet.js';

const summary = (id: string) => ({
  ...{ id, name: id, serial_number: '2159017985', label: {}, tag_names: [], last_seen: null, session_id: null },
  ...{ fw_bundle: null, fw_name: null, fw_version: null, last_contact: null, contact_every: null },
});

/** A feed without events. */
const SILENT = { listen: () => () => {} };

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
  const fleet = new Fleet(client, SILENT);
  await fleet.load();
  expect(fleet.rows.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  ids = ['a', 'c', 'd'];
  await fleet.load();
  expect(fleet.rows.map(({ id }) => id)).toEqual(['a', 'c', 'd']);
  expect(fleet.row('b')).toBeUndefined();
});

it('the fleet asks again for a page that the service did not answer, and then goes on where it was', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const down = new ApiError(503, {}, 'GET', '/');
  const failures = [down, down];
  const lists: string[] = [];
  // The cast is safe because the listing needs only these two requests.
  const client = {
    deviceSummaries: async ({ order_by = 'asc' }) => {
      lists.push(order_by);
      const failure = order_by === 'desc' && failures.pop();
      if (failure) throw failure;
      return (order_by === 'asc' ? ['a', 'b'] : ['c', 'b']).map(summary);
    },
    messages: async () => [],
  } as unknown as DeviceCloudClient;
  const fleet = new Fleet(client, SILENT);
  const failed = vi.fn();
  const loaded = fleet.load(failed);
  // The second pause is twice as long.
  await vi.advanceTimersByTimeAsync(3 * AGAIN);
  await loaded;
  expect(fleet.rows.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(lists).toEqual(['asc', 'desc', 'desc', 'desc']);
  expect(failed.mock.calls).toEqual([[down], [down]]);
});

it('the fleet does not ask again for what the user may not see', async () => {
  const refusal = new ApiError(403, {}, 'GET', '/');
  // The cast is safe because the listing needs only this request.
  const client = { deviceSummaries: () => Promise.reject(refusal) } as unknown as DeviceCloudClient;
  await expect(new Fleet(client, SILENT).load()).rejects.toBe(refusal);
});

it('a downlink that is delivered while the list of downlinks is read does not wait afterwards', async () => {
  const listeners = new Set<Listener>();
  const listen = (listener: Listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const feed = { listen };
  // The casts are safe because the console reads only these fields.
  const message = { id: 'm', device_id: 'a', direction: 'down', type: 'shell', down_state: 'pending' } as Message;
  const sent = { message_id: 'm', device_id: 'a', what: 'sent', down_state: 'sent', at: '2026-01-01' } as Station;
  const client = {
    deviceSummaries: async () => [summary('a')],
    messages: async () => {
      for (const { station } of listeners) station?.(sent);
      return [message];
    },
  } as unknown as DeviceCloudClient;
  const fleet = new Fleet(client, feed);
  await fleet.load();
  expect(fleet.row('a')?.waiting.size).toBe(0);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const downlinks = new Downlinks(client, feed);
  await downlinks.load();
  vi.advanceTimersByTime(250);
  expect(downlinks.all.value.get('m')?.message.down_state).toBe('sent');
});

it('the fleet says that it does not know yet how many downlinks wait, although all devices are listed', async () => {
  const seen: (readonly [boolean, boolean])[] = [];
  // The cast is safe because the listing needs only these requests.
  const client = {
    deviceSummaries: async () => [summary('a')],
    messages: async () => {
      seen.push([fleet.isComplete.value, fleet.isWaitingKnown.value]);
      return [];
    },
  } as unknown as DeviceCloudClient;
  const fleet = new Fleet(client, SILENT);
  await fleet.load();
  expect([...seen, [fleet.isComplete.value, fleet.isWaitingKnown.value]]).toEqual([
    [true, false],
    [true, true],
  ]);
});

it('the fleet counts the changes of its list: new, changed and deleted devices, but not their messages', () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const fleet = new Fleet({} as DeviceCloudClient, SILENT);
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

it('a device keeps its last known voltage and signal when a report, such as the first one after a boot, has none', async () => {
  const body = (voltage_rest: number | null, rsrp: number | null, temperature: number) => ({
    ...{ system: { voltage_rest }, network: { parameter: { rsrp } }, thermometer: { temperature } },
  });
  const asked = [report('08:00', body(3.6, -90, 20)), report('08:15', body(null, null, 21))];
  // The cast is safe because the fleet requests only reports of devices in view.
  const client = { messages: async () => asked.toReversed() } as unknown as DeviceCloudClient;
  const fleet = new Fleet(client, SILENT);
  fleet.put(device('a'));
  const latest = () => {
    const { rsrp, voltage, readings = [] } = fleet.row('a')?.report ?? {};
    return [rsrp, voltage, ...readings.map(({ value }) => value)];
  };
  // Not in view yet: only the voltage and the signal are kept.
  fleet.see(report('07:45', body(3.5, -95, 19)));
  fleet.see(report('08:15', body(null, null, 21)));
  expect(latest()).toEqual([-95, 3.5]);
  fleet.ask(fleet.rows);
  await vi.waitFor(() => expect(latest()).toEqual([-90, 3.6, 21]));
  fleet.see(report('08:30', body(null, -80, 22)));
  expect(latest()).toEqual([-80, 3.6, 22]);
  // Made in an outage, and sent after the newest one.
  const message = { timestamp: Date.parse('2026-01-01T08:20:00Z') / 1000 };
  fleet.see(report('08:31', { ...body(3.4, -99, 5), message }));
  expect(latest()).toEqual([-80, 3.6, 22]);
});

/** A report of device `a`. The cast is safe because the fleet reads only these fields. */
const report = (time: string, body: object) =>
  ({ device_id: 'a', direction: 'up', type: 'data', created_at: `2026-01-01T${time}:00Z`, body }) as unknown as Message;

/** The cast is safe because the fleet reads only these fields of a device. */
const device = (id: string) => ({ ...summary(id), session: null, tags: [] }) as unknown as Device;
