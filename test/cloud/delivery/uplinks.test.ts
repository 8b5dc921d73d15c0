/** What is stored and reported for each kind of uplink. */
import { describe, expect, it } from 'vitest';
import { type Change, ConflictError, type MessageRow } from '../../../src/cloud/store/store.js';
import { seconds } from '../../../src/kernel/time.js';
import { encodeCbor } from '../../../src/protocol/cbor.js';
import { compileCodec } from '../../../src/protocol/codec.js';
import { parseDown, type UpMessage } from '../../../src/protocol/messages/index.js';
import { uuidBytes } from '../../../src/protocol/uuid.js';
import { SERIAL } from '../../support/cloud.js';
import { connected, data, NO_HASH } from './uplinks-fixture.js';

const DECODER = compileCodec({
  version: 2,
  type: 'decoder',
  name: 'clime',
  schema: [{ name: 'voltage', value: [{ name: '$div', value: 1000 }] }],
});

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

  it('that is malformed is rejected, and logged with the reason', async () => {
    const warnings: unknown[][] = [];
    const log = { info: () => {}, error: () => {}, warn: (...entry: unknown[]) => warnings.push(entry) };
    const { core, session, stored, events } = await connected({ log });
    expect(await core.accept(session, Uint8Array.of(0x55))).toBe(false);
    expect(await core.accept(session, new Uint8Array())).toBe(false);
    expect([await stored(), events]).toEqual([[], []]);
    expect(warnings[0]).toEqual([{ serial: SERIAL, why: expect.stringContaining('0x55') }, 'uplink rejected']);
  });

  it('is rejected if its device has been deleted, and then the session is dropped', async () => {
    const { accept, core, session, store, stored, device } = await connected();
    await store.commit([{ kind: 'device.delete', id: device.id, at: 0 }]);
    expect(core.getFreshSession(SERIAL)).toBe(session);
    for (const message of [data(1), { kind: 'get-timestamp' } as const])
      await expect(accept(message)).rejects.toEqual(new ConflictError('device'));
    expect(core.getFreshSession(SERIAL)).toBeUndefined();
    expect([await stored(), await store.countPending(), await store.newestMessage(device.id)]).toEqual([
      [],
      0,
      undefined,
    ]);
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
        const isWanted = wanted(message.type);
        return { changes: isWanted ? [change(message.id)] : [], isWanted };
      },
      reconsider: async () => {},
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
