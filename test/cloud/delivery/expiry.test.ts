/** Downlinks that are not fetched in time end when they are offered, read or cancelled, or when the service starts. */
import { describe, expect, it } from 'vitest';
import { LONGEST_QUEUE } from '../../../src/cloud/interfaces/downlinks.js';
import { ConflictError } from '../../../src/cloud/store/store.js';
import { days, hours, minutes } from '../../../src/kernel/time.js';
import { ACK, FIRST, LAST, NOTHING, POLL } from '../../../src/protocol/flap/packet.js';
import { encodeUp } from '../../../src/protocol/messages/index.js';
import { SERIAL, testCloud } from '../../support/cloud.js';
import { updating } from './updating.js';

/** A downlink that expired a minute ago. The hourly sweep of the service has not ended it yet. */
async function overdue() {
  const cloud = await testCloud();
  const device = await cloud.addDevice();
  await cloud.clock.runUntil(minutes(30));
  const queuedAt = cloud.clock.wall;
  const row = await cloud.core.queue(device, { type: 'shell', commands: ['x'] });
  const session = await cloud.core.load(SERIAL);
  if (session === undefined) throw new Error('no session');
  await cloud.clock.runUntil(days(30) + minutes(31));
  const stored = async () => {
    const message = await cloud.store.message(cloud.spaceId, row.id);
    if (message === undefined) throw new Error('no message');
    return message;
  };
  expect((await stored()).downState).toBe('pending');
  return { cloud, device, row, session, stored, due: queuedAt + days(30) };
}

describe('a downlink whose time is over', () => {
  it('is neither announced nor offered, and ends', async () => {
    const { cloud, session, stored, row, due } = await overdue();
    expect(cloud.core.hasWaiting(session)).toBe(false);
    expect(cloud.core.hasNothing(session)).toBe(false);
    const answer = await cloud.exchange({ flags: POLL, sequence: 0, data: NOTHING });
    expect(answer?.data).toEqual(NOTHING);
    expect(await stored()).toMatchObject({ downState: 'expired', downStateAt: due, downAttempt: 0 });
    expect(session.queue).toEqual([]);
    expect(await cloud.store.timeline(row.id, { limit: 9 })).toMatchObject([
      { what: 'queued' },
      { what: 'expired', at: due },
    ]);
    expect(cloud.events.filter(({ kind }) => kind === 'downlink.expired')).toHaveLength(1);
  });

  it('is not announced in the acknowledgement of an uplink', async () => {
    const { cloud } = await overdue();
    const stats = encodeUp({ kind: 'upload-stats', stats: { uptime: 1 } });
    expect((await cloud.exchange({ flags: FIRST | LAST, sequence: 0, data: stats }))?.flags).toBe(ACK);
  });

  it('ends when it is read, and only once if it is read twice at the same time', async () => {
    const { cloud, stored, due } = await overdue();
    const row = await stored();
    expect(await Promise.all([cloud.core.endOverdue([row]), cloud.core.endOverdue([row])])).toEqual([true, true]);
    expect(await stored()).toMatchObject({ downState: 'expired', downStateAt: due });
    expect(await cloud.core.endOverdue([await stored()])).toBe(false);
    expect(cloud.events.filter(({ kind }) => kind === 'downlink.expired')).toHaveLength(1);
  });

  it('cannot be cancelled', async () => {
    const { cloud, stored } = await overdue();
    expect(await cloud.core.cancel(await stored())).toBe('not-pending');
    expect((await stored()).downState).toBe('expired');
  });

  it('ends at the start of the service', async () => {
    const { cloud, stored } = await overdue();
    const restarted = await testCloud({ store: cloud.store, clock: cloud.clock, seed: 'restarted' });
    await cloud.clock.runUntil(cloud.clock.now + 1);
    expect((await stored()).downState).toBe('expired');
    expect(restarted.events.map(({ kind }) => kind)).toEqual(['downlink.expired']);
  });

  it('makes room in a full queue', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    await cloud.clock.runUntil(minutes(30));
    const ask = () => cloud.core.queue(device, { type: 'shell', commands: ['x'] });
    await Promise.all(Array.from({ length: LONGEST_QUEUE }, ask));
    await expect(ask()).rejects.toThrow('full');
    await cloud.clock.runUntil(days(30) + minutes(31));
    await ask();
    expect(await cloud.store.countPending()).toBe(1);
  });

  it.each([
    ['a conflict other than a full queue', new ConflictError('fingerprint')],
    ['a failure of the store', Object.assign(new Error('disk full'), { field: 'queue' })],
  ])('is not expired to make room if another downlink cannot be queued because of %s', async (_, error) => {
    const { cloud, device, stored } = await overdue();
    const { commit } = cloud.store;
    cloud.store.commit = () => {
      cloud.store.commit = commit;
      return Promise.reject(error);
    };
    await expect(cloud.core.queue(device, { type: 'shell', commands: ['y'] })).rejects.toBe(error);
    expect((await stored()).downState).toBe('pending');
  });

  it('ends without an event if its device is deleted', async () => {
    const { cloud, device, row } = await overdue();
    await cloud.store.commit([{ kind: 'device.delete', id: device.id, at: cloud.clock.wall }]);
    expect(await cloud.core.endOverdue([row])).toBe(true);
    expect(cloud.events.map(({ kind }) => kind)).not.toContain('downlink.expired');
  });

  it('does not end its firmware update if it is a chunk that was delivered at the last moment', async () => {
    const { cloud, receive, job } = await updating();
    const pending = await cloud.store.pendingDownlinks((await cloud.device()).id);
    await receive();
    // Later, the update itself expires.
    await cloud.clock.runUntil(days(30) + minutes(30));
    const chunks = pending.filter(({ type }) => type === 'firmware');
    expect(await cloud.core.endOverdue(chunks)).toBe(true);
    expect((await job()).state).toBe('downloading');
  });
});

it('a downlink stays pending, and can be cancelled, until its time is over', async () => {
  const cloud = await testCloud();
  const device = await cloud.addDevice();
  const row = await cloud.core.queue(device, { type: 'shell', commands: ['x'] });
  await cloud.clock.runUntil(days(30) - hours(1));
  expect(await cloud.core.endOverdue([row])).toBe(false);
  expect(await cloud.core.cancel(row)).toBe('cancelled');
});
