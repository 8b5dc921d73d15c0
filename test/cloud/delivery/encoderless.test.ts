/** Data for a device whose firmware has no encoder, or has not uploaded it yet. */
import { describe, expect, it } from 'vitest';
import { DownlinkRefused } from '../../../src/cloud/interfaces/downlinks.js';
import { minutes } from '../../../src/kernel/time.js';
import { encodeCbor } from '../../../src/protocol/cbor.js';
import { codecHash } from '../../../src/protocol/hashes.js';
import { encodeUp, parseDown } from '../../../src/protocol/messages/index.js';
import { SERIAL, testCloud } from '../../support/cloud.js';
import { message } from '../store/rows.js';

const sessionStart = encodeUp({ kind: 'create-session', session: { fw_version: 'v1' } });
const configUpload = encodeUp({ kind: 'upload-config', hash: '0011223344556677', lines: ['app config a 1'] });
const dataUpload = encodeUp({ kind: 'upload-data', hash: '0000000000000000', body: Uint8Array.of(1) });
const data = { type: 'data', body: { relay: 1 } } as const;

async function setUp() {
  const cloud = await testCloud();
  const device = await cloud.addDevice();
  const session = await cloud.core.load(SERIAL);
  if (session === undefined) throw new Error('no session');
  const refusal = () => cloud.core.queue(device, data).catch((error: unknown) => error);
  return { cloud, device, session, refusal };
}

describe('data for a device without an encoder', () => {
  it('wait if the device may still upload one, and their timeline says so', async () => {
    const { cloud, device } = await setUp();
    const row = await cloud.core.queue(device, data);
    expect(await cloud.store.timeline(row.id, { limit: 9 })).toMatchObject([
      { what: 'queued' },
      { what: 'waiting', detail: 'no encoder' },
    ]);
  });

  it.each([
    ['configuration', configUpload],
    ['data', dataUpload],
  ])(
    'are rejected after the device has sent %s in a session, because it sends its encoder before',
    async (_, upload) => {
      const { cloud, session, refusal } = await setUp();
      await cloud.core.accept(session, sessionStart);
      await cloud.core.accept(session, upload);
      expect(await refusal()).toMatchObject({ name: 'DownlinkRefused', why: 'no-encoder' });
      // The answer to the session.
      expect(await cloud.store.countPending()).toBe(1);
    },
  );

  it.each([
    ['configuration', configUpload],
    ['data', dataUpload],
  ])('wait if a device that was registered again has only sent %s in its old session', async (_, upload) => {
    const { cloud, session, refusal } = await setUp();
    await cloud.core.accept(session, upload);
    expect(await refusal()).toMatchObject({ downState: 'pending' });
    await cloud.clock.runUntil(minutes(1));
    await cloud.core.accept(session, sessionStart);
    expect(await refusal()).toMatchObject({ downState: 'pending' });
    await cloud.core.accept(session, configUpload);
    expect(await refusal()).toMatchObject({ why: 'no-encoder' });
  });

  it('are rejected if the device sends JSON, because it has no codecs', async () => {
    const { cloud, session, refusal } = await setUp();
    await cloud.core.accept(session, { kind: 'decoded-data', body: { a: 1 } });
    expect(await refusal()).toMatchObject({ why: 'no-encoder' });
  });

  it('are rejected if the encoder of the device is not valid', async () => {
    const { cloud, session, refusal } = await setUp();
    const document = encodeCbor(new Map([['name', 'nonsense']]));
    await cloud.core.accept(session, encodeUp({ kind: 'upload-encoder', hash: codecHash(document), document }));
    expect(await refusal()).toBeInstanceOf(DownlinkRefused);
  });

  it('wait while a firmware update is open, because the new firmware may have an encoder', async () => {
    const { cloud, device, session, refusal } = await setUp();
    await cloud.core.accept(session, sessionStart);
    await cloud.core.accept(session, configUpload);
    const content = Uint8Array.of(1, 2, 3);
    const named = { id: message(1).id, spaceId: device.spaceId, bundle: null, name: null, version: 'v2', createdAt: 0 };
    const image = cloud.core.firmware.images.describe(content, named);
    await cloud.store.commit(cloud.core.firmware.images.put(image, content));
    await cloud.core.firmware.schedule(device, image);
    expect(await refusal()).toMatchObject({ downState: 'pending' });
  });
});

describe('raw bytes for a device', () => {
  it('need no encoder: the device gets them as they are', async () => {
    const { cloud, device, session } = await setUp();
    await cloud.core.accept(session, configUpload);
    const row = await cloud.core.queue(device, { type: 'data', raw: 'a10005' });
    expect(row).toMatchObject({ body: null, raw: 'a10005', codecHash: '0000000000000000' });
    expect(cloud.core.hasWaiting(session)).toBe(true);
    const taken = await cloud.core.take(session);
    const body = Uint8Array.of(0xa1, 0, 5);
    expect(taken && parseDown(taken)).toEqual({ kind: 'download-data', hash: '0000000000000000', body });
  });

  it('are not held in memory if they are many', async () => {
    const { cloud, device, session } = await setUp();
    await cloud.core.queue(device, { type: 'data', raw: 'ab'.repeat(16_375) });
    expect(session.queue[0]?.row).not.toHaveProperty('raw');
    const taken = await cloud.core.take(session);
    expect(taken?.length).toBe(1 + 8 + 16_375);
    const tooMany = cloud.core.queue(device, { type: 'data', raw: 'ab'.repeat(16_376) });
    await expect(tooMany).rejects.toThrow('at most 16383 are possible');
  });
});
