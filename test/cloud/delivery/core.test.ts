/** The delivery core: order of the queue, states, expiry, and what counts as an answer (wire protocol, 6.4 and 15). */
import { describe, expect, it } from 'vitest';
import { CloudCore } from '../../../src/cloud/delivery/core.js';
import type { DeviceSession } from '../../../src/cloud/delivery/device-session.js';
import { DownlinkRefused, LONGEST_QUEUE } from '../../../src/cloud/ports/downlinks.js';
import { createIds } from '../../../src/cloud/store/ids.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import { ConflictError } from '../../../src/cloud/store/store.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { days, hours, minutes } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { encodeCbor } from '../../../src/protocol/cbor.js';
import { compileCodec } from '../../../src/protocol/codec.js';
import { codecHash } from '../../../src/protocol/hashes.js';
import { type DownMessage, encodeUp, parseDown } from '../../../src/protocol/messages/index.js';
import { uuidBytes } from '../../../src/protocol/uuid.js';
import { QUIET, SERIAL, type TestCloud, testCloud } from '../../support/cloud.js';

const ENCODER = compileCodec({
  version: 2,
  type: 'encoder',
  name: 'test',
  schema: [{ name: 'relay', value: [{ name: '$type', value: 'int' }] }],
});

async function sessionOf(cloud: TestCloud): Promise<DeviceSession> {
  const session = await cloud.core.load(SERIAL);
  if (session === undefined) throw new Error('no session');
  return session;
}

/** Takes and confirms downlinks until nothing waits; returns what was sent, in order. */
async function drain(cloud: TestCloud, session: DeviceSession): Promise<readonly DownMessage[]> {
  const sent: DownMessage[] = [];
  for (;;) {
    const message = await cloud.core.take(session);
    if (message === undefined) return sent;
    sent.push(parseDown(message));
    await cloud.core.confirm(session, 'final-ack');
  }
}

const createSession = encodeUp({ kind: 'create-session', session: { serial_number: SERIAL } });
const encoderUpload = encodeUp({ kind: 'upload-encoder', hash: ENCODER.hash, document: ENCODER.bytes });
const configUpload = (lines: readonly string[]) => encodeUp({ kind: 'upload-config', hash: '0011223344556677', lines });

describe('the order of delivery', () => {
  it('is session first, then data and shell as queued, config last', async () => {
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

  it('keeps a data downlink until the device has uploaded its encoder', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    await cloud.core.queue(device, { type: 'data', body: { relay: 1 } });
    const session = await sessionOf(cloud);
    expect(cloud.core.waits(session)).toBe(false);
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
  it('is rejected if the encoder is known and lacks a field of its body', async () => {
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
    // What the cloud answers by itself finds its place.
    await cloud.core.accept(session, createSession);
    expect(session.queue).toHaveLength(LONGEST_QUEUE + 1);
  });

  it('is cancelled with the reason if the encoder is uploaded later and lacks a field of its body', async () => {
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

describe('the life of a downlink', () => {
  it('is recorded in its timeline: queued, contact, each offer, sent, answered', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const row = await cloud.core.queue(device, { type: 'shell', commands: ['info show'] });
    const session = await sessionOf(cloud);
    cloud.core.contact(session);
    await cloud.core.take(session);
    await cloud.core.take(session);
    await cloud.core.confirm(session, 'next-packet');
    const responses = [{ command: 'info show', result: 0, lines: ['fine'] }];
    await cloud.core.accept(session, encodeUp({ kind: 'upload-shell', messageId: uuidBytes(row.id), responses }));
    expect((await cloud.store.timeline(row.id, { limit: 100 })).map(({ what, detail }) => [what, detail])).toEqual([
      ['queued', null],
      ['contact', null],
      ['offered', 'attempt 1'],
      ['offered', 'attempt 2'],
      ['sent', 'next-packet'],
      ['answered', expect.any(String)],
    ]);
  });

  it('is recorded briefly if a device polls repeatedly: the first offer, and the latest with its number', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const row = await cloud.core.queue(device, { type: 'shell', commands: ['x'] });
    const session = await sessionOf(cloud);
    cloud.core.contact(session);
    for (let attempt = 1; attempt <= 30; attempt++) {
      await cloud.clock.runUntil(hours(attempt));
      await cloud.core.take(session);
    }
    const timeline = await cloud.store.timeline(row.id, { limit: 100 });
    expect(timeline.map(({ at, what, detail }) => [at, what, detail])).toEqual(
      [
        [0, 'queued', null],
        [0, 'contact', null],
        [hours(1), 'offered', 'attempt 1'],
        [hours(30), 'offered', 'attempt 30'],
      ].map(([at, ...rest]) => [row.createdAt + Number(at), ...rest]),
    );
    expect(await cloud.store.message(cloud.spaceId, row.id)).toMatchObject({ downAttempt: 30 });
  });

  it('does not depend on its body in memory: a long body is read before it is sent', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const long = Array.from({ length: 60 }, (_, n) => `echo ${'x'.repeat(240)} ${n}`);
    const before = await sessionOf(cloud);
    await cloud.core.queue(device, { type: 'shell', commands: long });
    await cloud.core.queue(device, { type: 'shell', commands: ['short'] });
    expect(before.queue.map(({ row }) => 'body' in row)).toEqual([false, true]);
    const restarted = await testCloud({ store: cloud.store, clock: cloud.clock, seed: 'again' });
    const session = await sessionOf(restarted);
    expect(session.queue.map(({ row }) => 'body' in row)).toEqual([false, true]);
    expect(await drain(restarted, session)).toMatchObject([{ commands: long }, { commands: ['short'] }]);
  });

  it('includes the number of attempts', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const row = await cloud.core.queue(device, { type: 'shell', commands: ['x'] });
    const session = await sessionOf(cloud);
    await cloud.core.take(session);
    await cloud.core.take(session);
    expect(await cloud.store.message(cloud.spaceId, row.id)).toMatchObject({ downState: 'pending', downAttempt: 2 });
  });

  it('ends as expired in time, also if a thousand expire together', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    await Promise.all(
      Array.from({ length: 1000 }, () => cloud.core.queue(device, { type: 'shell', commands: ['info show'] })),
    );
    await cloud.clock.runUntil(days(30) + hours(1) + minutes(1));
    expect(cloud.events.filter(({ kind }) => kind === 'downlink.expired')).toHaveLength(1000);
    expect(await cloud.store.pendingDownlinks(device.id)).toEqual([]);
  });

  it('ends as expired after 30 days without further offers', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const row = await cloud.core.queue(device, { type: 'shell', commands: ['x'] });
    const session = await sessionOf(cloud);
    await cloud.clock.runUntil(days(30) - hours(1));
    expect(cloud.core.waits(session)).toBe(true);
    await cloud.clock.runUntil(days(30) + hours(2));
    expect(cloud.core.waits(session)).toBe(false);
    expect(await cloud.store.message(cloud.spaceId, row.id)).toMatchObject({ downState: 'expired' });
  });

  it('ends as expired earlier if the operator sets a shorter time', async () => {
    const store = new MemoryStore();
    const clock = new VirtualClock();
    const core = new CloudCore({
      store,
      clock,
      ids: createIds(clock, seededRandom('expiry')),
      trace: { emit: () => {} },
      log: QUIET,
      expiry: days(7),
    });
    const cloud = await testCloud({ store, clock });
    const device = await cloud.addDevice();
    const { id } = await core.queue(device, { type: 'shell', commands: ['x'] });
    await clock.runUntil(days(7) - hours(1));
    expect(await store.message(cloud.spaceId, id)).toMatchObject({ downState: 'pending' });
    await clock.runUntil(days(7) + hours(2));
    expect(await store.message(cloud.spaceId, id)).toMatchObject({ downState: 'expired' });
    core.close();
  });

  it('ends as cancelled once, if a user cancels it', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const row = await cloud.core.queue(device, { type: 'shell', commands: ['x'] });
    expect(await cloud.core.cancel(row)).toBe('cancelled');
    const [cancelled] = await cloud.messages(device);
    expect(cancelled?.downState).toBe('cancelled');
    expect(cancelled && (await cloud.core.cancel(cancelled))).toBe('not-pending');
    expect(cloud.core.waits(await sessionOf(cloud))).toBe(false);
  });

  it('continues after a restart of the service', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    await cloud.core.queue(device, { type: 'shell', commands: ['x'] });
    const restarted = await testCloud({ store: cloud.store });
    expect(restarted.core.waits(await sessionOf(restarted))).toBe(true);
  });
});

describe('evidence that a config downlink was carried out', () => {
  it('is a reported configuration with its lines, in any notation of the values', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const session = await sessionOf(cloud);
    await cloud.core.queue(device, { type: 'config', lines: ['app config mode lte', 'app config limit 25'] });
    await drain(cloud, session);
    await cloud.core.accept(session, configUpload(['app config mode "lte"', 'app config limit 25.00']));
    expect(cloud.events.filter((event) => event.kind === 'downlink.answered')).toHaveLength(1);
  });

  it('is not a reported configuration with another value', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const session = await sessionOf(cloud);
    await cloud.core.queue(device, { type: 'config', lines: ['app config interval-report 5'] });
    await drain(cloud, session);
    await cloud.core.accept(session, configUpload(['app config interval-report 1800']));
    expect(cloud.events.filter((event) => event.kind === 'downlink.answered')).toEqual([]);
  });

  it('is a new session without an upload if the configuration already had the lines', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const session = await sessionOf(cloud);
    await cloud.core.accept(session, configUpload(['app config interval-report 900']));
    await cloud.core.queue(device, { type: 'config', lines: ['app config interval-report 900'] });
    await drain(cloud, session);
    await cloud.core.accept(session, createSession);
    await cloud.core.accept(
      session,
      encodeUp({ kind: 'upload-data', hash: '0000000000000000', body: Uint8Array.of(1) }),
    );
    expect(cloud.events.filter((event) => event.kind === 'downlink.answered')).toHaveLength(1);
  });

  it('is not lost if storing the data message fails: the repeated message is evidence, too', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const session = await sessionOf(cloud);
    const data = (...bytes: readonly number[]) =>
      encodeUp({ kind: 'upload-data', hash: '0000000000000000', body: Uint8Array.from(bytes) });
    await cloud.core.accept(session, data(1));
    await cloud.core.accept(session, configUpload(['app config interval-report 900']));
    await cloud.core.queue(device, { type: 'config', lines: ['app config interval-report 900'] });
    await drain(cloud, session);
    await cloud.core.accept(session, createSession);
    const answered = () => cloud.events.filter((event) => event.kind === 'downlink.answered').length;

    const { commit } = cloud.store;
    cloud.store.commit = () => Promise.reject(new Error('disk full'));
    await expect(cloud.core.accept(session, data(2))).rejects.toThrow('disk full');
    cloud.store.commit = commit;
    expect(await cloud.core.accept(session, data(1))).toBe(true);
    expect(answered()).toBe(0);
    await cloud.core.accept(session, data(2));
    expect(answered()).toBe(1);
  });
});

describe('uplinks', () => {
  it('are stored raw if their codec is unknown or does not match the data', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const session = await sessionOf(cloud);
    await cloud.core.accept(
      session,
      encodeUp({ kind: 'upload-data', hash: 'ffffffffffffffff', body: Uint8Array.of(0xa0) }),
    );
    expect(await cloud.messages(device)).toMatchObject([{ body: null, raw: 'a0', codecHash: 'ffffffffffffffff' }]);
  });

  it('with a codec that cannot be compiled are not accepted', async () => {
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
    expect(cloud.core.known(SERIAL)).toBeUndefined();
    expect(await cloud.core.load(SERIAL)).toBeUndefined();
  });
});

it('an invalid codec is stored, and data that refer to it are stored raw', async () => {
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
    { type: 'decoder', body: { hash, name: null, version: null } },
    { type: 'data', body: null, raw: 'a0' },
  ]);
});
