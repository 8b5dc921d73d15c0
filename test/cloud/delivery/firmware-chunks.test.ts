/** The chunks of an update in the queue of its device, beside other downlinks and other services. */
import { describe, expect, it } from 'vitest';
import type { DeviceSession } from '../../../src/cloud/delivery/device-session.js';
import type { Change } from '../../../src/cloud/store/store.js';
import { seconds } from '../../../src/kernel/time.js';
import { parseDown } from '../../../src/protocol/messages/index.js';
import { SERIAL, testCloud } from '../../support/cloud.js';
import { SIZE, updating } from './updating.js';

type Update = Awaited<ReturnType<typeof updating>>;

const types = (session: DeviceSession) => session.queue.map(({ row }) => row.type);
const chunkOf = async ({ cloud }: Update) => {
  const pending = await cloud.store.pendingDownlinks((await cloud.device()).id);
  const chunk = pending.find(({ type }) => type === 'firmware');
  if (chunk === undefined) throw new Error('no chunk');
  return chunk;
};
/** Another service on the same store. */
const beside = ({ cloud }: Update) => testCloud({ store: cloud.store, clock: cloud.clock, seed: 'other' });

describe('a scheduled update', () => {
  it('is reported, and committed with its chunk and with further changes of the caller, which come first', async () => {
    const { cloud, image, job } = await updating();
    await cloud.core.firmware.cancel(await job());
    const { commit } = cloud.store;
    const commits: (readonly Change[])[] = [];
    cloud.store.commit = (changes) => {
      commits.push(changes);
      return commit.call(cloud.store, changes);
    };
    const device = await cloud.device();
    const along: Change = { kind: 'device.change', id: device.id, change: { comment: 'updated' } };
    const { id } = await cloud.core.firmware.schedule(device, image, ({ version }) =>
      version === 'v2.0.0' ? [along] : [],
    );
    const kinds = ['device.change', 'record.put', 'message.insert'];
    expect(commits.map((changes) => changes.map(({ kind }) => kind))).toEqual([kinds]);
    expect(cloud.events.filter(({ kind }) => kind === 'update.moved').at(-1)).toEqual({
      ...{ kind: 'update.moved', at: 0, serial: SERIAL, update: id, state: 'scheduled', offset: 0, why: '' },
    });
  });

  it('is committed only with its chunk, if the caller adds no changes', async () => {
    const { cloud, image, job } = await updating();
    await cloud.core.firmware.cancel(await job());
    const { commit } = cloud.store;
    const kinds: string[] = [];
    cloud.store.commit = (changes) => {
      kinds.push(...changes.map(({ kind }) => kind));
      return commit.call(cloud.store, changes);
    };
    await cloud.core.firmware.schedule(await cloud.device(), image);
    expect(kinds).toEqual(['record.put', 'message.insert']);
  });

  it('needs no session of its device', async () => {
    const update = await updating();
    const other = await beside(update);
    await other.core.firmware.cancel(await update.job());
    const { id } = await other.core.firmware.schedule(await update.cloud.device(), update.image);
    expect((await other.core.load(SERIAL))?.queue.map(({ row }) => row.type)).toContain('firmware');
    expect(id).not.toBe(update.id);
  });

  it('is in progress again after a restart of the service', async () => {
    const update = await updating();
    const restarted = await (await beside(update)).core.load(SERIAL);
    expect(restarted?.update).toEqual({ silentSince: undefined });
  });
});

describe('the end of an update', () => {
  it('leaves other downlinks of the device in the queue', async () => {
    const { cloud, session, job } = await updating();
    await cloud.core.queue(await cloud.device(), { type: 'shell', commands: ['info show'] });
    await cloud.core.firmware.cancel(await job());
    expect(types(session)).not.toContain('firmware');
    expect(types(session)).toContain('shell');
    const pending = await cloud.store.pendingDownlinks((await cloud.device()).id);
    expect(pending.map(({ type }) => type)).toContain('shell');
  });

  it('cannot be requested while the device swaps its images', async () => {
    const { cloud, receive, report, job } = await updating();
    await receive();
    await report('swap', { offset: SIZE });
    expect(await cloud.core.firmware.cancel(await job())).toBe('too-late');
    expect((await job()).state).toBe('swapping');
  });

  it('is not caused by the cancellation of a chunk that was delivered', async () => {
    const update = await updating();
    const chunk = await chunkOf(update);
    await update.receive();
    expect(await update.cloud.core.cancel(chunk)).toBe('not-pending');
    expect((await update.job()).state).toBe('downloading');
  });

  it('is not reported for a removed device without an open update', async () => {
    const { cloud, job } = await updating();
    await cloud.core.firmware.cancel(await job());
    const moves = () => cloud.events.filter(({ kind }) => kind === 'update.moved').length;
    const before = moves();
    const changes = await cloud.core.firmware.prepareRemoval(await cloud.device());
    expect(changes.map(({ kind }) => kind)).toEqual(['record.none']);
    expect(moves()).toBe(before);
  });

  it('on another service is noticed with the next report', async () => {
    const update = await updating();
    await update.receive();
    await (await beside(update)).core.firmware.cancel(await update.job());
    expect(update.session.update).toBeDefined();
    await update.report('next', { offset: 256, maxLength: 256 });
    expect(update.session.update).toBeUndefined();
  });

  it('on another service is noticed with the next poll', async () => {
    const update = await updating();
    await update.receive();
    await (await beside(update)).core.firmware.cancel(await update.job());
    await update.cloud.clock.runUntil(seconds(5));
    expect(await update.take()).toBeUndefined();
    expect(update.session.update).toBeUndefined();
    expect((await update.job()).state).toBe('cancelled');
  });
});

describe('a chunk', () => {
  it('is confirmed by a report of the device with a later offset', async () => {
    const update = await updating();
    const { id } = await chunkOf(update);
    await update.take();
    await update.report('next', { offset: 256, maxLength: 256 });
    expect(update.cloud.events.filter(({ kind }) => kind === 'downlink.delivered').at(-1)).toMatchObject({
      ...{ downlink: id, evidence: 'next-packet' },
    });
  });

  it.each([
    ['was offered, but ends after the reported offset', true, 100],
    ['was never offered', false, 256],
  ])('that %s is superseded', async (_, offered, offset) => {
    const update = await updating();
    await update.receive();
    // The device requests the second chunk.
    await update.report('next', { offset: 256, maxLength: 256 });
    const { id } = await chunkOf(update);
    if (offered) await update.take();
    await update.report('next', { offset: 256 + offset, maxLength: 256 });
    expect(await update.cloud.store.message(update.cloud.spaceId, id)).toMatchObject({ downState: 'cancelled' });
    expect((await update.cloud.store.timeline(id, { limit: 10 })).at(-1)).toMatchObject({
      ...{ what: 'cancelled', detail: 'superseded' },
    });
    expect(update.cloud.events.some((event) => event.kind === 'downlink.cancelled' && event.downlink === id)).toBe(
      true,
    );
  });

  it('replaces only chunks, not other downlinks', async () => {
    const { cloud, session, receive, report } = await updating();
    await receive();
    await cloud.core.queue(await cloud.device(), { type: 'shell', commands: ['info show'] });
    await report('next', { offset: 256, maxLength: 256 });
    expect(types(session)).toEqual(['shell', 'firmware']);
  });

  it('is confirmed although its update has ended meanwhile', async () => {
    const update = await updating();
    await update.take();
    update.session.update = undefined;
    await update.cloud.core.confirm(update.session, 'final-ack');
    expect((await update.job()).state).toBe('downloading');
  });
});

describe('a device that does not report on a chunk', () => {
  it.each([
    [999, undefined, 0],
    [1000, 0, 1],
  ])('and polls %d ms later gets the chunk at offset %s (undefined: no chunk)', async (later, offset, restarts) => {
    const { cloud, receive, take, job } = await updating();
    await receive();
    await cloud.clock.runUntil(later);
    expect((await take())?.offset).toBe(offset);
    expect((await job()).restarts).toBe(restarts);
  });

  it('does not cause a restart of the download while its next chunk is queued', async () => {
    const { cloud, session, receive, report, job } = await updating();
    await receive();
    await report('next', { offset: 256, maxLength: 256 });
    await cloud.clock.runUntil(seconds(5));
    const message = await cloud.core.take(session);
    expect(parseDown(message ?? new Uint8Array())).toMatchObject({ offset: 256 });
    expect((await job()).restarts).toBe(0);
  });

  it('causes a restart of the download even if the service has restarted meanwhile', async () => {
    const update = await updating();
    await update.receive();
    const restarted = await beside(update);
    const session = await restarted.core.load(SERIAL);
    if (session === undefined) throw new Error('no session');
    expect(session.update).toEqual({ silentSince: 0 });
    await update.cloud.clock.runUntil(seconds(5));
    // The session response that the first service has queued is taken before the chunk.
    for (let n = 0; n < 2; n++) {
      const message = await restarted.core.take(session);
      if (message && parseDown(message).kind === 'download-firmware') break;
      await restarted.core.confirm(session, 'final-ack');
    }
    expect((await update.job()).restarts).toBe(1);
  });
});
