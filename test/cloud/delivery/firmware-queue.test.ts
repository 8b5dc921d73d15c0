/** How the cloud handles each report of a device on a firmware update. */
import { describe, expect, it, vi } from 'vitest';
import type { DeviceSession } from '../../../src/cloud/delivery/device-session.js';
import { ConflictError } from '../../../src/cloud/store/store.js';
import { days, seconds } from '../../../src/kernel/time.js';
import { encodeUp } from '../../../src/protocol/messages/index.js';
import { uuidBytes } from '../../../src/protocol/uuid.js';
import { SERIAL, testCloud } from '../../support/cloud.js';
import { SIZE, updating } from './updating.js';

const OTHER = '0197a3b1-0000-7000-8000-0000000000ff';

describe('a download', () => {
  it('begins with 256 bytes and continues at the offset that the device reports', async () => {
    const { id, image, cloud, receive, report, job } = await updating();
    const content = (await cloud.core.firmware.images.content(cloud.spaceId, image.id)) as Uint8Array;
    const first = await receive();
    expect(first).toMatchObject({ target: 'app', type: 'chunk', updateId: uuidBytes(id), offset: 0, size: SIZE });
    expect(first?.data).toEqual(Uint8Array.from(content.subarray(0, 256)));
    expect((await job()).state).toBe('downloading');
    await report('next', { offset: 256, maxLength: 512 });
    expect((await receive())?.data).toEqual(Uint8Array.from(content.subarray(256, 768)));
    await report('next', { offset: 768, maxLength: 512 });
    expect((await receive())?.data).toEqual(Uint8Array.from(content.subarray(768)));
    await report('swap', { offset: SIZE });
    expect(await job()).toMatchObject({ state: 'swapping', offset: SIZE });
  });

  it('never sends a message longer than the longest transfer', async () => {
    const { cloud, session, receive, report } = await updating();
    await receive();
    await report('next', { offset: 256, maxLength: 1_000_000 });
    expect((await cloud.core.take(session))?.length).toBeLessThanOrEqual(16_384);
  });

  it('begins once, even if the device starts several sessions before it fetches the first chunk', async () => {
    const { begin, receive, job, report } = await updating();
    await begin('v1.1.0');
    await begin('v1.2.0');
    expect(await receive()).toMatchObject({ offset: 0 });
    expect(await job()).toMatchObject({ state: 'downloading', restarts: 0, fromVersion: 'v1.2.0' });
    await report('next', { offset: 256, maxLength: 256 });
    expect(await receive()).toMatchObject({ offset: 256 });
  });

  it('is scheduled although another service has stored a later message of the device', async () => {
    const { cloud, image, job } = await updating();
    await cloud.core.firmware.cancel(await job());
    const { commit } = cloud.store;
    cloud.store.commit = () => {
      cloud.store.commit = commit;
      return Promise.reject(new ConflictError('order'));
    };
    expect(await cloud.core.firmware.schedule(await cloud.device(), image)).toMatchObject({ state: 'scheduled' });
    expect(await cloud.store.pendingDownlinks((await cloud.device()).id)).toContainEqual(
      expect.objectContaining({ type: 'firmware' }),
    );
  });

  it('that the device also requests is not started twice', async () => {
    const { cloud, image, receive, report } = await updating();
    await report('download', { firmware: image.id, maxLength: 256 });
    expect(await receive()).toMatchObject({ offset: 0 });
    await report('download', { firmware: image.id, maxLength: 256 });
    expect(await receive()).toMatchObject({ offset: 0 });
    expect(await cloud.store.pendingDownlinks((await cloud.device()).id)).toEqual([]);
  });

  it('that the device requests starts with a chunk of the length that the device accepts, at most 256 bytes', async () => {
    const { cloud, image, take, receive, report, job } = await updating();
    await cloud.core.firmware.cancel(await job());
    await report('download', { firmware: image.id, maxLength: 128 });
    expect((await receive())?.data).toHaveLength(128);
    await report('download', { firmware: image.id, maxLength: 9984 });
    expect((await take())?.data).toHaveLength(256);
  });

  it('that another service cancels during a report of the device stays cancelled', async () => {
    const { cloud, receive, report, job } = await updating();
    await receive();
    const other = await testCloud({ store: cloud.store, clock: cloud.clock, seed: 'other' });
    const commit = cloud.store.commit.bind(cloud.store);
    vi.spyOn(cloud.store, 'commit').mockImplementationOnce(async (changes) => {
      expect(await other.core.firmware.cancel(await job())).toBe('cancelled');
      return commit(changes);
    });
    await report('next', { offset: 256, maxLength: 256 });
    expect(await job()).toMatchObject({ state: 'cancelled' });
    expect(await cloud.store.pendingDownlinks((await cloud.device()).id)).toEqual([]);
    expect(await receive()).toBeUndefined();
  });

  it('is cancelled only once when two services cancel it', async () => {
    const { cloud, job } = await updating();
    const other = await testCloud({ store: cloud.store, clock: cloud.clock, seed: 'other' });
    const scheduled = await job();
    const outcomes = await Promise.all([cloud, other].map(({ core }) => core.firmware.cancel(scheduled)));
    expect(outcomes.sort()).toEqual(['cancelled', 'too-late']);
  });

  it('has one chunk queued at a time', async () => {
    const { cloud, receive, report } = await updating();
    await receive();
    await report('next', { offset: 256, maxLength: 256 });
    await report('next', { offset: 256, maxLength: 256 });
    const pending = await cloud.store.pendingDownlinks((await cloud.device()).id);
    expect(pending.filter(({ type }) => type === 'firmware')).toHaveLength(1);
  });

  it('treats a chunk as received if the device reports an offset after it, although the confirmation was lost', async () => {
    const { cloud, take, report } = await updating();
    await take();
    const [chunk] = await cloud.store.pendingDownlinks((await cloud.device()).id);
    await report('next', { offset: 256, maxLength: 256 });
    expect(await cloud.store.message(cloud.spaceId, chunk?.id ?? '')).toMatchObject({ downState: 'sent' });
  });

  it('restarts if the device polls without having reported on a chunk', async () => {
    const { cloud, receive, job } = await updating();
    await receive();
    await cloud.clock.runUntil(seconds(5));
    expect(await receive()).toMatchObject({ offset: 0 });
    expect(await job()).toMatchObject({ restarts: 1 });
  });

  it('restarts if the device sends another message instead of its report; the cloud then requests a poll', async () => {
    const { cloud, session, receive, job } = await updating();
    await receive();
    await cloud.clock.runUntil(seconds(5));
    await cloud.core.accept(session, encodeUp({ kind: 'upload-stats', stats: {} }));
    expect(cloud.core.hasWaiting(session)).toBe(true);
    expect(await receive()).toMatchObject({ offset: 0 });
    expect(await job()).toMatchObject({ restarts: 1 });
  });

  it('does not restart because of a poll that arrives with the acknowledgement', async () => {
    const { cloud, receive, take } = await updating();
    await cloud.clock.runUntil(seconds(5));
    await receive();
    expect(await take()).toBeUndefined();
  });

  it('restarts if the device has lost its partial image', async () => {
    const { receive, report, job } = await updating();
    await receive();
    await report('next', { offset: 256, maxLength: 256 });
    await receive();
    await report('error', { error: 'offset mismatch (device was rebooted)' });
    expect(await receive()).toMatchObject({ offset: 0 });
    expect(await job()).toMatchObject({ state: 'downloading', offset: 0, restarts: 1 });
  });

  it('restarts at a new session', async () => {
    const { receive, begin, report, job } = await updating();
    await receive();
    await report('next', { offset: 256, maxLength: 256 });
    await begin('v1.0.0');
    expect(await receive()).toMatchObject({ offset: 0 });
    expect(await job()).toMatchObject({ restarts: 1 });
  });

  it('fails after five restarts', async () => {
    const { begin, receive, job, take } = await updating();
    for (let i = 0; i < 6; i++) {
      await receive();
      await begin('v1.0.0');
    }
    expect(await job()).toMatchObject({ state: 'failed', error: 'given up: the download was interrupted 6 times' });
    expect(await take()).toBeUndefined();
  });
});

describe('a swap', () => {
  it('has succeeded if the new version starts a session', async () => {
    const { receive, report, begin, job } = await updating();
    await receive();
    await report('swap', { offset: SIZE });
    await begin('v2.0.0');
    expect((await job()).state).toBe('succeeded');
  });

  it('was reverted if the device sends data with the old version, without an acknowledgement', async () => {
    const { swap, begin, sendData, job } = await updating();
    await swap();
    await begin('v1.0.0');
    expect((await job()).state).toBe('swapping');
    await sendData();
    expect(await job()).toMatchObject({ state: 'failed', error: 'reverted: the device runs "v1.0.0"' });
  });

  it('has succeeded if the new version starts a session, even if the announcement of the swap was lost', async () => {
    const { receive, begin, job } = await updating();
    await receive();
    await begin('v2.0.0');
    expect((await job()).state).toBe('succeeded');
  });

  it('is not assumed if a device that already runs the new version starts a session during the download', async () => {
    const { receive, begin, job } = await updating({ version: 'v2.0.0' });
    await receive();
    await begin('v2.0.0');
    expect((await job()).state).toBe('downloading');
  });

  it.each([undefined, 'HIO'])(
    'is judged by the version, not by the acknowledgement, if the device is not a CHESTER (product name: %s)',
    async (product) => {
      const { swap, begin, report, job } = await updating(product === undefined ? {} : { product });
      await swap();
      await begin('v1.0.0');
      await report('ack');
      expect(await job()).toMatchObject({ state: 'failed', error: 'reverted: the device runs "v1.0.0"' });
    },
  );

  it('has succeeded when CHESTER acknowledges an image that reports the old version and has another label', async () => {
    const { swap, begin, report, job } = await updating({ product: 'CHESTER-M' });
    await swap();
    await begin('v1.0.0');
    await report('ack');
    expect((await job()).state).toBe('succeeded');
  });

  it('has succeeded when the device acknowledges an image whose own version is not its label', async () => {
    const { swap, begin, report, job } = await updating();
    await swap();
    await begin('v2.0.0-rc1');
    expect((await job()).state).toBe('swapping');
    await report('ack');
    expect((await job()).state).toBe('succeeded');
  });

  it.each([
    ['2.0.0', 'v2.0.0'],
    ['v2.0.0', '2.0.0'],
    ['V2.0.0 ', 'v2.0.0'],
  ])('to an image with the label %j has succeeded if the device then reports %j', async (label, reported) => {
    const { swap, begin, job } = await updating({ label });
    await swap();
    await begin(reported);
    expect((await job()).state).toBe('succeeded');
  });

  it('to an image with another label has failed if the device sends data without an acknowledgement', async () => {
    const { swap, begin, sendData, job } = await updating();
    await swap();
    await begin('v2.0.0-rc1');
    await sendData();
    expect(await job()).toMatchObject({ state: 'failed', error: 'not acknowledged: the device runs "v2.0.0-rc1"' });
  });

  it('has succeeded when the device acknowledges an image with the label of the version that it ran before', async () => {
    const { swap, begin, report, job } = await updating({ version: 'v2.0.0' });
    await swap();
    await begin('v2.0.0');
    expect((await job()).state).toBe('swapping');
    await report('ack');
    expect((await job()).state).toBe('succeeded');
  });

  it('was reverted if the label is the version that ran before and the device sends data without an acknowledgement', async () => {
    const { swap, begin, sendData, job } = await updating({ version: 'v2.0.0' });
    await swap();
    await begin('v2.0.0');
    await sendData();
    expect(await job()).toMatchObject({ state: 'failed', error: 'reverted: the device runs "v2.0.0"' });
  });

  it('is not decided by a second session, because the device may repeat the steps of a session that failed', async () => {
    const { swap, begin, report, job } = await updating({ version: 'v2.0.0' });
    await swap();
    await begin('v2.0.0');
    await begin('v2.0.0');
    await report('ack');
    expect((await job()).state).toBe('succeeded');
  });

  it('is not decided by data that the device sends before it has restarted', async () => {
    const { swap, begin, report, sendData, job } = await updating({ version: 'v2.0.0' });
    await swap();
    await sendData();
    await begin('v2.0.0');
    await report('ack');
    expect((await job()).state).toBe('succeeded');
  });

  it('is decided after a restart of the service between the session and the data', async () => {
    const { cloud, swap, begin, job } = await updating({ version: 'v2.0.0' });
    await swap();
    await begin('v2.0.0');
    const { core } = await testCloud({ store: cloud.store, clock: cloud.clock });
    await core.accept((await core.load(SERIAL)) as DeviceSession, { kind: 'decoded-data', body: {} });
    expect(await job()).toMatchObject({ state: 'failed', error: 'reverted: the device runs "v2.0.0"' });
  });
});

describe('a report', () => {
  it('on an unknown or finished update changes nothing', async () => {
    const { cloud, id, receive, report, job } = await updating();
    await receive();
    await report('next', { updateId: uuidBytes(OTHER), offset: 256, maxLength: 256 });
    await report('ack', { updateId: Uint8Array.of(1, 2) });
    await cloud.core.firmware.cancel(await job());
    await report('next', { offset: 256, maxLength: 256 });
    expect(await job()).toMatchObject({ id, state: 'cancelled' });
    expect(await cloud.store.pendingDownlinks((await cloud.device()).id)).toMatchObject([]);
  });

  it('that requests an unknown image changes nothing', async () => {
    const { cloud, report, job } = await updating();
    await cloud.core.firmware.cancel(await job());
    for (const firmware of [OTHER, 'nonsense', '']) await report('download', { firmware, maxLength: 256 });
    expect(await cloud.store.records('firmware', cloud.spaceId, { limit: 10 })).toHaveLength(1);
  });
});

describe('an update', () => {
  it('is rejected while the device has another open update', async () => {
    const { cloud, image } = await updating();
    await expect(cloud.core.firmware.schedule(await cloud.device(), image)).rejects.toThrow(ConflictError);
  });

  it('is cancelled when its chunk is cancelled', async () => {
    const { cloud, job } = await updating();
    const pending = await cloud.store.pendingDownlinks((await cloud.device()).id);
    const chunk = pending.find(({ type }) => type === 'firmware');
    if (chunk === undefined) throw new Error('no chunk');
    expect(await cloud.core.cancel(chunk)).toBe('cancelled');
    expect((await job()).state).toBe('cancelled');
  });

  it.each(['before', 'after'])(
    'stays cancelled if a report of the device arrives immediately %s the cancellation',
    async (order) => {
      const { cloud, session, receive, report, job } = await updating();
      await receive();
      const running = await job();
      const cancel = () => cloud.core.firmware.cancel(running);
      const next = () => report('next', { offset: 256, maxLength: 256 });
      await Promise.all(order === 'before' ? [next(), cancel()] : [cancel(), next()]);
      expect((await job()).state).toBe('cancelled');
      expect(await cloud.store.pendingDownlinks((await cloud.device()).id)).toEqual([]);
      expect(session).toMatchObject({ queue: [], update: undefined });
    },
  );

  it('fails when its chunk expires', async () => {
    const { cloud, job } = await updating();
    await cloud.clock.runUntil(days(31));
    expect(await job()).toMatchObject({
      state: 'failed',
      error: 'a chunk of the image expired before the device fetched it',
    });
  });

  it('is cancelled when its device is removed', async () => {
    const { cloud, job } = await updating();
    await cloud.store.commit(await cloud.core.firmware.prepareRemoval(await cloud.device()));
    expect(await job()).toMatchObject({ state: 'cancelled', error: 'the device was removed' });
  });
});
