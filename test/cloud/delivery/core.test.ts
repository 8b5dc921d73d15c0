/** The delivery core: order of the queue, downlinks that cannot be sent, uplinks, and deleted devices. */
import { describe, expect, it } from 'vitest';
import { DownlinkRefused, LONGEST_QUEUE } from '../../../src/cloud/interfaces/downlinks.js';
import { ConflictError } from '../../../src/cloud/store/store.js';
import { hours, minutes } from '../../../src/kernel/time.js';
import { encodeCbor } from '../../../src/protocol/cbor.js';
import { compileCodec } from '../../../src/protocol/codec.js';
import { codecHash } from '../../../src/protocol/hashes.js';
import { encodeUp } from '../../../src/protocol/messages/index.js';
import { uuidBytes } from '../../../src/protocol/uuid.js';
import { SERIAL, testCloud } from '../../support/cloud.js';
import { createSession, drain, sessionOf } from './core-fixture.js';

const ENCODER = compileCodec({
  version: 2,
  type: 'encoder',
  name: 'test',
  schema: [{ name: 'relay', value: [{ name: '$type', value: 'int' }] }],
});

const HASH = '5fd1a3c2b7e09846';
const encoderUpload = encodeUp({ kind: 'upload-encoder', hash: ENCODER.hash, document: ENCODER.bytes });

describe('the downlink queue', () => {
  it('delivers the session first, then data and shell in the order of queueing, config last', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const session = await sessionOf(cloud);
    await cloud.core.accept(session, encoderUpload);
    await cloud.core.queue(device, { type: 'config', lines: ['app config a 1'] });
    await cloud.core.queue(device, { type: 'shell', commands: ['one'] });
    await cloud.core.queue(device, { type: 'data', body: { relay: 1 } });
    await cloud.core.queue(device, { type: 'shell', commands: ['two'] });
    await cloud.core.accept(session, createSession);
    const kinds = (await drain(cloud, session)).map((message) => message.kind);
    expect(kinds).toEqual(['set-session', 'download-shell', 'download-data', 'download-shell', 'download-config']);
  });

  it('holds a data downlink back until the device has uploaded its encoder', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    await cloud.core.queue(device, { type: 'data', body: { relay: 1 } });
    const session = await sessionOf(cloud);
    expect(cloud.core.hasWaiting(session)).toBe(false);
    await cloud.core.accept(session, encoderUpload);
    expect(await drain(cloud, session)).toMatchObject([{ kind: 'download-data', hash: ENCODER.hash }]);
  });

  it('replaces an older time response that was not fetched', async () => {
    const cloud = await testCloud();
    await cloud.addDevice();
    const session = await sessionOf(cloud);
    for (let n = 0; n < 5; n++) await cloud.core.accept(session, encodeUp({ kind: 'get-timestamp' }));
    expect(await drain(cloud, session)).toMatchObject([{ kind: 'set-timestamp' }]);
    expect(await cloud.store.countPending()).toBe(0);
  });

  it('replaces an older session response that was not fetched', async () => {
    const cloud = await testCloud();
    await cloud.addDevice();
    const session = await sessionOf(cloud);
    await cloud.core.accept(session, createSession);
    await cloud.core.accept(session, createSession);
    const [answer, ...more] = await drain(cloud, session);
    expect(more).toEqual([]);
    expect(answer).toMatchObject({ kind: 'set-session', sessionId: session.device.sessionId });
  });
});

describe('a downlink that cannot be sent', () => {
  it('is rejected if the encoder is known and lacks a field of the body', async () => {
    const cloud = await testCloud();
    await cloud.addDevice();
    await cloud.core.accept(await sessionOf(cloud), encoderUpload);
    const queued = cloud.core.queue(await cloud.device(), { type: 'data', body: { valve: 1 } });
    await expect(queued).rejects.toThrow(DownlinkRefused);
    await expect(queued).rejects.toThrow('valve');
  });

  it('is rejected if it is longer than the longest message', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const long = Array.from({ length: 100 }, () => 'x'.repeat(255));
    for (const request of [
      { type: 'config', lines: long },
      { type: 'shell', commands: long },
    ] as const) {
      const refusal = await cloud.core.queue(device, request).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(DownlinkRefused);
      expect(String(refusal)).toContain('at most 16383 are possible');
    }
    expect(await cloud.messages(device)).toEqual([]);
  });

  it('is rejected if it is longer than the longest message and no encoder is known yet', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const ask = (length: number) => cloud.core.queue(device, { type: 'data', body: { text: 'x'.repeat(length) } });
    const frame = '{"text":""}'.length;
    await expect(ask(16_384 - frame)).rejects.toThrow(DownlinkRefused);
    await expect(ask(1_000_000)).rejects.toThrow(
      'the body is 1000011 bytes of JSON; at most 16383 are accepted until the device has uploaded its encoder',
    );
    await ask(16_383 - frame);
    expect(await cloud.messages(device)).toHaveLength(1);
  });

  it('is rejected while a thousand others of the device are pending', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const session = await sessionOf(cloud);
    const ask = (n: number) => cloud.core.queue(device, { type: 'shell', commands: [`command ${n}`] });
    const fates = await Promise.allSettled(Array.from({ length: LONGEST_QUEUE + 7 }, (_, n) => ask(n)));
    expect(fates.filter(({ status }) => status === 'rejected')).toHaveLength(7);
    await expect(ask(0)).rejects.toEqual(new ConflictError('queue'));
    expect(session.queue).toHaveLength(LONGEST_QUEUE);
    await cloud.core.take(session);
    await cloud.core.confirm(session, 'final-ack');
    await ask(1);
    // A response that the cloud queues by itself needs no room.
    await cloud.core.accept(session, createSession);
    expect(session.queue).toHaveLength(LONGEST_QUEUE + 1);
  });

  it('is cancelled with the reason if the encoder is uploaded later and lacks a field of the body', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const row = await cloud.core.queue(device, { type: 'data', body: { valve: 1 } });
    const session = await sessionOf(cloud);
    await cloud.core.accept(session, encoderUpload);
    expect(await drain(cloud, session)).toEqual([]);
    const timeline = await cloud.store.timeline(row.id, { limit: 100 });
    expect(timeline.at(-1)).toMatchObject({ what: 'cancelled', detail: expect.stringContaining('valve') });
  });
});

describe('uplinks', () => {
  it('are stored raw if their codec is unknown', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const session = await sessionOf(cloud);
    await cloud.core.accept(
      session,
      encodeUp({ kind: 'upload-data', hash: 'ffffffffffffffff', body: Uint8Array.of(0xa0) }),
    );
    expect(await cloud.messages(device)).toMatchObject([{ body: null, raw: 'a0', codecHash: 'ffffffffffffffff' }]);
  });

  it('with a decoder that is too short to contain its hash are not accepted', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    expect(await cloud.core.accept(await sessionOf(cloud), Uint8Array.of(0x03, 1))).toBe(false);
    expect(await cloud.messages(device)).toEqual([]);
  });

  it('set the time at which the device was last seen', async () => {
    const cloud = await testCloud();
    expect((await cloud.addDevice()).lastSeen).toBeNull();
    await cloud.clock.runUntil(hours(1));
    await cloud.core.accept(await sessionOf(cloud), createSession);
    expect((await cloud.device()).lastSeen).toBe(cloud.clock.wall);
  });

  it('are contacts at the interval that the device has configured', async () => {
    const cloud = await testCloud();
    await cloud.addDevice();
    const lines = ['app config interval-report 3600', 'app config interval-poll 600'];
    await cloud.core.accept(await sessionOf(cloud), encodeUp({ kind: 'upload-config', hash: HASH, lines }));
    const { lastContact, contactEvery } = await cloud.device();
    expect([lastContact, contactEvery]).toEqual([cloud.clock.wall, minutes(10)]);
  });

  it('with a shell response are stored with message id, results and output lines', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const messageId = uuidBytes('0197a3b1-0000-7000-8000-000000000001');
    const responses = [{ command: 'foo', result: -8, lines: ['foo: command not found', '\r\nlast'] }];
    await cloud.core.accept(await sessionOf(cloud), encodeUp({ kind: 'upload-shell', messageId, responses }));
    const [message] = await cloud.messages(device);
    expect(message?.body).toEqual({
      message_id: '0197a3b1-0000-7000-8000-000000000001',
      responses: [{ command: 'foo', result: -8, outputs: ['foo: command not found', 'last'] }],
    });
  });
});

describe('a device that the API has deleted', () => {
  it('is unknown to the gateway immediately', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    await sessionOf(cloud);
    await cloud.store.commit([{ kind: 'device.delete', id: device.id, at: cloud.clock.wall }]);
    await cloud.core.forget(SERIAL);
    expect(cloud.core.getFreshSession(SERIAL)).toBeUndefined();
    expect(await cloud.core.load(SERIAL)).toBeUndefined();
  });

  it('has its pending downlinks reported as cancelled', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    await cloud.clock.runUntil(hours(1));
    const row = await cloud.core.queue(device, { type: 'shell', commands: ['x'] });
    await sessionOf(cloud);
    await cloud.store.commit([{ kind: 'device.delete', id: device.id, at: cloud.clock.wall }]);
    await cloud.core.noteDeleted(device, [row]);
    expect(cloud.events.at(-1)).toEqual({
      ...{ kind: 'downlink.cancelled', at: hours(1), serial: SERIAL, downlink: row.id },
    });
    expect(cloud.core.getFreshSession(SERIAL)).toBeUndefined();
  });
});

const PROBLEMS_OF_HEAD = ['version', 'type', 'schema'].map((key) => expect.stringContaining(`the ${key} of a codec`));

it('an invalid codec is stored with its mistakes, and data that refer to it are stored raw', async () => {
  const cloud = await testCloud();
  const device = await cloud.addDevice();
  const session = await sessionOf(cloud);
  const document = encodeCbor(new Map([['name', 'nonsense']]));
  const hash = codecHash(document);
  expect(await cloud.core.accept(session, encodeUp({ kind: 'upload-decoder', hash, document }))).toBe(true);
  expect(await cloud.core.accept(session, encodeUp({ kind: 'upload-data', hash, body: Uint8Array.of(0xa0) }))).toBe(
    true,
  );
  expect(await cloud.messages(device)).toMatchObject([
    { type: 'decoder', body: { hash, name: null, version: null, problems: PROBLEMS_OF_HEAD } },
    { type: 'data', body: null, raw: 'a0' },
  ]);
});

describe('a poll', () => {
  it('is a contact if half of the interval has passed, but no message that the device has sent', async () => {
    const cloud = await testCloud();
    await cloud.addDevice();
    const session = await sessionOf(cloud);
    const lines = ['app config interval-report 86400', 'app config interval-poll 600'];
    await cloud.core.accept(session, encodeUp({ kind: 'upload-config', hash: HASH, lines }));
    const seen = cloud.clock.wall;
    await cloud.clock.runUntil(minutes(4));
    cloud.core.notePoll(session);
    expect((await cloud.device()).lastContact).toBe(seen);
    await cloud.clock.runUntil(minutes(10));
    cloud.core.notePoll(session);
    expect(await cloud.device()).toMatchObject({ lastContact: cloud.clock.wall, lastSeen: seen });
  });
});
