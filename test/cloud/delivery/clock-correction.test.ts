/** The order of a device's messages when the clock of the machine goes back (ADR 16). */
import { describe, expect, it } from 'vitest';
import type { DeviceRow } from '../../../src/cloud/store/store.js';
import { hours, minutes } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { SERIAL, type TestCloud, testCloud } from '../../support/cloud.js';
import { ingressOf, post } from '../../support/ingress.js';

const START = Date.UTC(2026, 5, 1, 12);
const reading = (n: number) => ({ type: 'data', body: { n } });

/** A service that is restarted on its data with a clock that is an hour behind. */
async function restartedAnHourEarlier(before: TestCloud): Promise<TestCloud> {
  return testCloud({ store: before.store, clock: new VirtualClock({ start: START - hours(1) }), seed: 'again' });
}

async function setUp() {
  const before = await testCloud({ clock: new VirtualClock({ start: START }), seed: 'first' });
  const device = await before.addDevice();
  const store = before.store;
  const uplinks = () => before.messages(device);
  const latest = async (of: DeviceRow = device) =>
    (await store.messages(of.spaceId, { deviceId: of.id, types: ['data'], limit: 1 }))[0];
  return { before, device, store, uplinks, latest };
}

describe('after a restart with a clock that is an hour behind', () => {
  it('the latest value of a device is the one that was stored last', async () => {
    const { before, latest } = await setUp();
    await post(ingressOf(before), 'uplink', reading(1));
    const after = await restartedAnHourEarlier(before);
    const app = ingressOf(after);
    for (const n of [2, 3, 4]) {
      await post(app, 'uplink', reading(n));
      expect((await latest())?.body).toEqual({ n });
    }
    await after.clock.runUntil(hours(2));
    await post(app, 'uplink', reading(5));
    expect(await latest()).toMatchObject({ body: { n: 5 }, createdAt: after.clock.wall });
  });

  it('older downlinks are delivered first', async () => {
    const { before, device } = await setUp();
    const older = await before.core.queue(device, { type: 'shell', commands: ['older'] });
    const after = await restartedAnHourEarlier(before);
    const newer = [];
    for (const name of ['newer', 'newest']) {
      newer.push(await after.core.queue(device, { type: 'shell', commands: [name] }));
    }
    const app = ingressOf(after);
    const offered = [];
    for (let n = 0; n < 3; n++) {
      const { downlink } = (await post(app, 'poll')).json;
      offered.push(downlink.id);
      await post(app, 'ack', { id: downlink.id });
    }
    expect(offered).toEqual([older, ...newer].map(({ id }) => id));
  });

  it('the creation times of the messages of a device never go back, and those of a device without messages follow the clock', async () => {
    const { before, uplinks, latest } = await setUp();
    const other = await before.addDevice(SERIAL + 1, 'f'.repeat(32));
    await post(ingressOf(before), 'uplink', reading(1));
    const after = await restartedAnHourEarlier(before);
    const app = ingressOf(after);
    await post(app, 'session', { fw_version: 'v1' });
    for (const n of [2, 3]) {
      await after.clock.runUntil(minutes(20 * n));
      await post(app, 'uplink', reading(n));
    }
    await post(app, 'uplink', reading(1), { serial: String(other.serial), token: 'f'.repeat(32) });
    expect(await latest(other)).toMatchObject({ createdAt: START });
    const stored = await uplinks();
    expect(stored.map(({ type }) => type)).toEqual(['data', 'session', 'session', 'data', 'data']);
    expect(stored.map(({ createdAt }) => createdAt)).toEqual([START, START, START, START, START]);
    const pages = [];
    for (let cursor: string | undefined; ; cursor = pages.at(-1)?.id) {
      const page = { deviceId: stored[0]?.deviceId, limit: 1, after: cursor };
      const [row] = await before.store.messages(other.spaceId, page);
      if (row === undefined) break;
      pages.push(row);
    }
    expect(pages.reverse()).toEqual(stored);
  });

  it('an uplink from before the restart is not stored again when it is repeated', async () => {
    const { before, uplinks } = await setUp();
    const dated = { type: 'data', body: { message: { sequence: 7 } } };
    await post(ingressOf(before), 'uplink', dated);
    const app = ingressOf(await restartedAnHourEarlier(before));
    await post(app, 'uplink', { type: 'stats', body: {} });
    for (let n = 0; n < 2; n++) expect((await post(app, 'uplink', dated)).status).toBe(200);
    expect((await uplinks()).map(({ type }) => type)).toEqual(['data', 'stats']);
  });
});
