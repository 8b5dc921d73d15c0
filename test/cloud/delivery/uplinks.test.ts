/** What is stored and reported for each kind of uplink. */
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import { type Change, ConflictError, type MessageRow } from '../../../src/cloud/store/store.js';
import { hours, seconds } from '../../../src/kernel/time.js';
import { encodeCbor } from '../../../src/protocol/cbor.js';
import { compileCodec } from '../../../src/protocol/codec.js';
import type { JsonObject } from '../../../src/protocol/decode.js';
import { encodeUp, parseDown, type UpMessage } from '../../../src/protocol/messages/index.js';
import { uuidBytes } from '../../../src/protocol/uuid.js';
import { SERIAL, testCloud } from '../../support/cloud.js';

const DECODER = compileCodec({
  version: 2,
  type: 'decoder',
  name: 'clime',
  schema: [{ name: 'voltage', value: [{ name: '$div', value: 1000 }] }],
});
const NO_HASH = '0000000000000000';
const data = (...bytes: readonly number[]): UpMessage => ({
  ...{ kind: 'upload-data', hash: NO_HASH, body: Uint8Array.from(bytes) },
});

/** A cloud with one device and its session. */
async function connected(options: Parameters<typeof testCloud>[0] = {}) {
  const cloud = await testCloud(options);
  const device = await cloud.addDevice();
  const session = await cloud.core.load(SERIAL);
  if (session === undefined) throw new Error('no session');
  const accept = (message: UpMessage) => cloud.core.accept(session, encodeUp(message));
  const acceptJson = (body: JsonObject) => cloud.core.accept(session, { kind: 'decoded-data', body });
  const stored = () => cloud.messages(device);
  const copies = () => cloud.events.flatMap((event) => (event.kind === 'cloud.stored' ? [event.copy] : []));
  return { ...cloud, device, session, accept, acceptJson, stored, copies };
}

describe('an uplink', () => {
  it.each<[UpMessage, string, object]>([
    [{ kind: 'upload-stats', stats: { uptime: 12 } }, 'stats', { type: 'stats', body: { uptime: 12 } }],
    [{ kind: 'get-timestamp' }, 'session', { type: 'session', body: null }],
    [
      { kind: 'create-session', session: { fw_version: 'v1' } },
      'session',
      { type: 'session', body: { fw_version: 'v1' } },
    ],
    [{ kind: 'upload-config', hash: '0011223344556677', lines: ['a'] }, 'config', { type: 'config', body: ['a'] }],
    [data(1), 'data', { type: 'data', body: null, raw: '01', codecHash: NO_HASH }],
    [
      { kind: 'upload-firmware', target: 'app', type: 'ack' },
      'firmware',
      { type: 'firmware', body: { target: 'app', type: 'ack' } },
    ],
  ])('%j is stored with its type', async (message, type, row) => {
    const { accept, stored, events, clock } = await connected();
    await clock.runUntil(seconds(5));
    expect(await accept(message)).toBe(true);
    const [up] = (await stored()).filter(({ direction }) => direction === 'up');
    expect(up).toMatchObject({ ...row, direction: 'up', createdAt: clock.wall });
    const event = events.find(({ kind }) => kind === 'cloud.stored');
    expect(event).toEqual({
      ...{ kind: 'cloud.stored', at: seconds(5), serial: SERIAL, type, message: up?.id, copy: false },
    });
  });

  it('of data is compared with earlier messages on request, if it has a fingerprint; other uplinks are not', async () => {
    const asked: string[] = [];
    const { core, session, accept, acceptJson, stored, events } = await connected({
      earlierCopy: async (_, print) => {
        asked.push(print);
        return 'earlier-message';
      },
    });
    await core.accept(session, encodeUp({ kind: 'upload-stats', stats: { uptime: 12 } }), 'fingerprint of a request');
    await acceptJson({ temperature: 21 });
    await accept(data(1));
    const [, , last] = (await stored()).filter(({ direction }) => direction === 'up');
    expect(asked).toEqual([last?.print]);
    const found = events.flatMap((event) => (event.kind === 'cloud.stored' ? [event.again] : []));
    expect(found).toEqual([undefined, undefined, 'earlier-message']);
  });

  it('that is malformed is rejected, and logged with the reason', async () => {
    const warnings: unknown[][] = [];
    const log = { info: () => {}, error: () => {}, warn: (...entry: unknown[]) => warnings.push(entry) };
    const { core, session, stored, events } = await connected({ log });
    expect(await core.accept(session, Uint8Array.of(0x55))).toBe(false);
    expect(await core.accept(session, new Uint8Array())).toBe(false);
    expect([await stored(), events]).toEqual([[], []]);
    expect(warnings[0]).toEqual([{ serial: SERIAL, why: expect.stringContaining('0x55') }, 'uplink rejected']);
  });

  it('is stored with a decoded body if its codec is known', async () => {
    const { accept, stored } = await connected();
    await accept({ kind: 'upload-decoder', hash: DECODER.hash, document: DECODER.bytes });
    const body = encodeCbor(new Map([[0, 3300]]));
    await accept({ kind: 'upload-data', hash: DECODER.hash, body });
    expect((await stored()).at(-1)).toMatchObject({ body: { voltage: 3.3 }, raw: null, codecHash: DECODER.hash });
    await accept({ kind: 'upload-data', hash: DECODER.hash, body: Uint8Array.of(0xff) });
    expect((await stored()).at(-1)).toMatchObject({ body: null, raw: 'ff', codecHash: DECODER.hash });
  });

  it('with a codec changes the codec hash of the device, and is stored with the title of the codec', async () => {
    const { accept, stored, store, session, events, device: created } = await connected();
    await accept({ kind: 'upload-decoder', hash: DECODER.hash, document: DECODER.bytes });
    expect((await stored()).at(-1)).toMatchObject({
      ...{ type: 'decoder', codecHash: DECODER.hash, body: { hash: DECODER.hash, name: 'clime', version: 2 } },
    });
    expect(await store.device(created.spaceId, created.id)).toMatchObject({
      ...{ decoderHash: DECODER.hash, encoderHash: null },
    });
    expect(events.at(-1)).toMatchObject({ kind: 'cloud.stored', type: 'codec' });
    await accept({ kind: 'upload-encoder', hash: DECODER.hash, document: DECODER.bytes });
    expect((await stored()).at(-1)).toMatchObject({ type: 'encoder' });
    expect(session.device).toMatchObject({ decoderHash: DECODER.hash, encoderHash: DECODER.hash });
    expect(await store.codec(DECODER.hash)).toBeDefined();
  });

  it('is decoded by a codec that was uploaded after it was first missing', async () => {
    const { accept, stored } = await connected();
    const message = (value: number): UpMessage => ({
      ...{ kind: 'upload-data', hash: DECODER.hash, body: encodeCbor(new Map([[0, value]])) },
    });
    await accept(message(1000));
    await accept({ kind: 'upload-decoder', hash: DECODER.hash, document: DECODER.bytes });
    await accept(message(2000));
    const bodies = (await stored()).filter(({ type }) => type === 'data').map(({ body }) => body);
    expect(bodies).toEqual([null, { voltage: 2 }]);
  });

  it('is committed with the change of its device, and with its codec if it has one', async () => {
    const { accept, store } = await connected();
    const { commit } = store;
    const kinds: string[][] = [];
    store.commit = (changes) => {
      kinds.push(changes.map((change) => change.kind ?? String(change)));
      return commit.call(store, changes);
    };
    await accept(data(1));
    await accept({ kind: 'create-session', session: {} });
    await accept({ kind: 'upload-firmware', target: 'app', type: 'ack' });
    await accept({ kind: 'upload-decoder', hash: DECODER.hash, document: DECODER.bytes });
    expect(kinds).toEqual([
      ['message.insert', 'device.change'],
      ['message.insert', 'message.insert', 'device.change'],
      ['message.insert', 'device.change'],
      // The two records are the numbers of codecs that the device and its space have stored.
      ['message.insert', 'codec.put', 'record.put', 'record.put', 'device.change'],
    ]);
  });

  it('changes the device in its session and in the store', async () => {
    const { accept, session, clock, device: created, store } = await connected();
    await clock.runUntil(seconds(7));
    await accept({ kind: 'upload-config', hash: '0011223344556677', lines: [] });
    const change = { configHash: '0011223344556677', lastSeen: clock.wall };
    expect(session.device).toMatchObject(change);
    expect(await store.device(created.spaceId, created.id)).toMatchObject(change);
  });
});

describe('a session', () => {
  const begin: UpMessage = { kind: 'create-session', session: { fw_version: 'v1' } };

  it('is answered with its number, the device and the hashes that the cloud has', async () => {
    const { accept, core, session, clock, device } = await connected();
    await accept({ kind: 'upload-config', hash: '0011223344556677', lines: [] });
    await accept({ kind: 'upload-decoder', hash: DECODER.hash, document: DECODER.bytes });
    await clock.runUntil(seconds(9) + 900);
    await accept(begin);
    const second = Math.floor(clock.wall / 1000);
    expect(session.device).toMatchObject({ sessionId: second, session: { fw_version: 'v1' } });
    expect(parseDown((await core.take(session)) ?? new Uint8Array())).toEqual({
      kind: 'set-session',
      ...{ sessionId: second, timestamp: second, deviceId: device.id, deviceName: device.name },
      ...{ decoderHash: DECODER.hash, configHash: '0011223344556677' },
    });
  });

  it('has a greater number than the session before it in the same second', async () => {
    const { accept, session, clock } = await connected();
    const second = Math.floor(clock.wall / 1000);
    await accept(begin);
    expect(session.device.sessionId).toBe(second);
    await accept(begin);
    expect(session.device.sessionId).toBe(second + 1);
  });

  it('leaves the configuration unchecked until the device uploads it or sends data', async () => {
    const { accept, session } = await connected();
    await accept(begin);
    expect(session.configUnchecked).toBe(true);
    await accept({ kind: 'upload-stats', stats: {} });
    expect(session.configUnchecked).toBe(true);
    await accept(data(1));
    expect(session.configUnchecked).toBe(false);
    await accept(begin);
    await accept({ kind: 'upload-config', hash: '0011223344556677', lines: [] });
    expect(session.configUnchecked).toBe(false);
  });
});

describe('a repeated message', () => {
  it('is stored once within 48 hours', async () => {
    const { accept, stored, copies, clock, events } = await connected();
    await accept(data(1));
    await accept(data(2));
    await clock.runUntil(hours(48));
    expect(await accept(data(1))).toBe(true);
    expect(copies()).toEqual([false, false, true]);
    const [original] = await stored();
    expect(events.at(-1)).toEqual({
      ...{ kind: 'cloud.stored', at: hours(48), serial: SERIAL, type: 'data', message: original?.id, copy: true },
    });
    await clock.runUntil(hours(48) + 1);
    await accept(data(1));
    expect(copies()).toEqual([false, false, true, false]);
    expect(await stored()).toHaveLength(3);
  });

  it('that is stored again is reported with the id of the earlier message, if the run asks for it', async () => {
    const store = await openStore('memory');
    const { accept, stored, clock, events } = await connected({
      store,
      earlierCopy: (device, print) => store.copyOf(device.id, print, 0),
    });
    const again = () => events.flatMap((event) => (event.kind === 'cloud.stored' ? [event.again] : []));
    await accept(data(1));
    await accept(data(2));
    await clock.runUntil(hours(48) + 1);
    await accept(data(1));
    const [original] = await stored();
    expect(original?.id).toBeDefined();
    expect(again()).toEqual([undefined, undefined, original?.id]);
  });

  it('as JSON is a copy only if its field "message" has a sequence or a timestamp', async () => {
    const { acceptJson, copies } = await connected();
    for (const head of [{ sequence: 1 }, { timestamp: 5 }, { version: 1 }, null, 'head', 7]) {
      for (let n = 0; n < 2; n++) await acceptJson({ message: head, temperature: 21 });
    }
    for (let n = 0; n < 2; n++) await acceptJson({ temperature: 21 });
    const fresh = [false, false];
    expect(copies()).toEqual([...[false, true], ...[false, true], ...fresh, ...fresh, ...fresh, ...fresh, ...fresh]);
  });

  it('as JSON with another measurement is stored again', async () => {
    const { acceptJson, copies, stored } = await connected();
    for (const temperature of [21, 22]) await acceptJson({ message: { sequence: 1 }, temperature });
    expect(copies()).toEqual([false, false]);
    expect(await stored()).toMatchObject([
      { type: 'data', body: { message: { sequence: 1 }, temperature: 21 }, codecHash: null, raw: null },
      { body: { temperature: 22 } },
    ]);
  });

  it('is stored again if its type is not data', async () => {
    const { accept, copies } = await connected();
    for (let n = 0; n < 2; n++) await accept({ kind: 'upload-stats', stats: { uptime: 1 } });
    expect(copies()).toEqual([false, false]);
  });

  it('is reported with its own id if the original is deleted meanwhile', async () => {
    const { accept, store, events } = await connected();
    await accept(data(1));
    store.copyOf = async () => undefined;
    await accept(data(1));
    expect(events.at(-1)).toMatchObject({ copy: true, message: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  it('does not count as a copy if its commit fails for a reason other than its fingerprint', async () => {
    const { accept, store } = await connected();
    store.commit = () => Promise.reject(new ConflictError('queue'));
    await expect(accept(data(1))).rejects.toEqual(new ConflictError('queue'));
    store.commit = () => Promise.reject(new ConflictError('print'));
    await expect(accept({ kind: 'upload-stats', stats: {} })).rejects.toEqual(new ConflictError('print'));
    store.commit = () => Promise.reject(new Error('print'));
    await expect(accept(data(1))).rejects.toThrow('print');
  });
});

describe('the response to a shell downlink', () => {
  const response = (id: string): UpMessage => ({ kind: 'upload-shell', messageId: uuidBytes(id), responses: [] });

  it('answers a downlink that was sent', async () => {
    const { core, device, session, accept, events, clock } = await connected();
    const { id } = await core.queue(device, { type: 'shell', commands: ['info show'] });
    await core.take(session);
    await core.confirm(session, 'final-ack');
    await clock.runUntil(seconds(3));
    await accept(response(id));
    expect(events.at(-1)).toEqual({ kind: 'downlink.answered', at: seconds(3), serial: SERIAL, downlink: id });
    await accept(response(id));
    expect(events.filter(({ kind }) => kind === 'downlink.answered')).toHaveLength(1);
  });

  it('answers the downlink in flight, whose confirmation may arrive later', async () => {
    const { core, device, session, accept, events, store, stored } = await connected();
    const { id } = await core.queue(device, { type: 'shell', commands: ['info show'] });
    await core.take(session);
    await accept(response(id));
    expect(events.at(-1)).toMatchObject({ kind: 'downlink.answered', downlink: id });
    const answer = (await stored()).find(({ direction }) => direction === 'up');
    expect((await store.timeline(id, { limit: 10 })).at(-1)).toMatchObject({ what: 'answered', detail: answer?.id });
  });

  it('to an unknown or pending downlink answers nothing', async () => {
    const { core, device, accept, events } = await connected();
    const { id } = await core.queue(device, { type: 'shell', commands: ['info show'] });
    await accept(response(id));
    await accept(response('0197a3b1-0000-7000-8000-0000000000ff'));
    expect(events.filter(({ kind }) => kind === 'downlink.answered')).toEqual([]);
  });

  it('is stored without the line breaks at the start of its lines', async () => {
    const { accept, stored, events } = await connected();
    const responses = [{ command: 'a', result: 0, lines: ['\r\n\none', 'two\r\n', ' three'] }];
    await accept({ kind: 'upload-shell', messageId: new Uint8Array(16), responses });
    expect(events.at(-1)).toMatchObject({ kind: 'cloud.stored', type: 'shell' });
    const [message] = await stored();
    expect(message?.type).toBe('shell');
    expect(message?.body).toMatchObject({
      responses: [{ command: 'a', result: 0, outputs: ['one', 'two\r\n', ' three'] }],
    });
  });
});

describe('a configuration in use', () => {
  const lines = ['app config interval-report 900'];
  const upload = (reported: readonly string[]): UpMessage => ({
    ...{ kind: 'upload-config', hash: '0011223344556677', lines: reported },
  });

  it('answers all downlinks whose lines it contains, and no others', async () => {
    const { core, device, session, accept, events } = await connected();
    const queue = async (type: 'config' | 'shell', wanted: readonly string[]) => {
      const request = type === 'config' ? { type, lines: wanted } : { type, commands: wanted };
      const { id } = await core.queue(device, request);
      await core.take(session);
      await core.confirm(session, 'final-ack');
      return id;
    };
    const [one, other] = [await queue('config', lines), await queue('config', lines)];
    await queue('config', ['app config interval-report 901']);
    // A shell downlink may contain the same line.
    await queue('shell', lines);
    await accept(upload(lines));
    const answered = events.flatMap((event) => (event.kind === 'downlink.answered' ? [event.downlink] : []));
    expect(answered).toEqual([one, other]);
  });

  it('is the last one that the device has uploaded', async () => {
    const { core, device, session, accept, events } = await connected();
    await accept(upload(lines));
    await accept(upload(['app config interval-report 60']));
    await core.queue(device, { type: 'config', lines });
    await core.take(session);
    await core.confirm(session, 'final-ack');
    await accept({ kind: 'create-session', session: {} });
    await accept(data(1));
    expect(events.filter(({ kind }) => kind === 'downlink.answered')).toEqual([]);
  });

  it('is unknown if the device has never uploaded one', async () => {
    const { core, device, session, accept, events } = await connected();
    await core.queue(device, { type: 'config', lines });
    await core.take(session);
    await core.confirm(session, 'final-ack');
    await accept({ kind: 'create-session', session: {} });
    expect(await accept(data(1))).toBe(true);
    expect(events.filter(({ kind }) => kind === 'downlink.answered')).toEqual([]);
  });

  it('is checked only when the first data after a session arrive', async () => {
    const { core, device, session, accept, events, store } = await connected();
    await accept(upload(lines));
    await core.queue(device, { type: 'config', lines });
    await core.take(session);
    await core.confirm(session, 'final-ack');
    store.unansweredDownlinks = () => Promise.reject(new Error('read'));
    expect(await accept(data(1))).toBe(true);
    expect(events.filter(({ kind }) => kind === 'downlink.answered')).toEqual([]);
  });
});

describe('messages for connectors', () => {
  /** Connectors that add one change for each message that `wanted` accepts. */
  function forwarding(wanted: (type: string) => boolean) {
    const calls: string[] = [];
    const change = (id: string): Change => ({
      ...{ kind: 'timeline.add', row: { messageId: id, at: 0, what: 'forwarded', detail: null } },
    });
    return {
      calls,
      deliveries: async (_: unknown, message: Pick<MessageRow, 'id' | 'type'>) => {
        calls.push(`deliveries of ${message.type}`);
        return wanted(message.type) ? [change(message.id)] : [];
      },
      wake: () => {
        calls.push('wake');
      },
    };
  }

  it('are committed with an uplink, and announced afterwards', async () => {
    const connectors = forwarding((type) => type === 'data');
    const { accept, store, stored } = await connected({ forwarding: connectors });
    await accept(data(1));
    const [message] = await stored();
    expect(await store.timeline(message?.id ?? '', { limit: 10 })).toMatchObject([{ what: 'forwarded' }]);
    await accept({ kind: 'upload-stats', stats: {} });
    expect(connectors.calls).toEqual(['deliveries of data', 'wake', 'deliveries of stats']);
  });

  it('are committed with the delivery of a downlink', async () => {
    const connectors = forwarding((type) => type === 'shell');
    const { core, device, session, store } = await connected({ forwarding: connectors });
    const { id } = await core.queue(device, { type: 'shell', commands: ['info show'] });
    await core.queue(device, { type: 'config', lines: ['app config a 1'] });
    for (let n = 0; n < 2; n++) {
      await core.take(session);
      await core.confirm(session, 'final-ack');
    }
    expect(connectors.calls).toEqual(['deliveries of shell', 'wake', 'deliveries of config']);
    expect((await store.timeline(id, { limit: 10 })).map(({ what }) => what)).toContain('forwarded');
  });

  it('are not announced for a copy', async () => {
    const connectors = forwarding(() => true);
    const { accept } = await connected({ forwarding: connectors });
    await accept(data(1));
    await accept(data(1));
    expect(connectors.calls.filter((call) => call === 'wake')).toHaveLength(1);
  });
});
