/** What only the HTTP gateway has: credentials of devices, messages as JSON, and keys of repeated requests. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/cloud/store/store.js';
import { days } from '../../../src/kernel/time.js';
import { seal, tokenBytes } from '../../../src/protocol/flap/envelope.js';
import { NOTHING, POLL } from '../../../src/protocol/flap/packet.js';
import { configHash } from '../../../src/protocol/hashes.js';
import { SERIAL, type TestCloud, TOKEN, testCloud } from '../../support/cloud.js';
import { ingressOf, post } from '../../support/ingress.js';

async function ingress(cloud?: TestCloud, rateLimit?: number) {
  const used = cloud ?? (await testCloud());
  const device = cloud ? await cloud.device() : await used.addDevice();
  const app = ingressOf(used, rateLimit);
  const send = (kind: string, body?: unknown, options?: Parameters<typeof post>[3]) => post(app, kind, body, options);
  const stored = async () => (await used.messages(device)).filter(({ direction }) => direction === 'up');
  return { cloud: used, device, app, send, stored };
}

describe('the credentials of a device', () => {
  it('are rejected in the same way for an unknown device and for a wrong token', async () => {
    const { send } = await ingress();
    const wrongToken = await send('poll', {}, { token: 'f'.repeat(32) });
    const unknownDevice = await send('poll', {}, { serial: '2159017999' });
    expect(wrongToken).toEqual(unknownDevice);
    expect(wrongToken.status).toBe(401);
    expect(wrongToken.headers['www-authenticate']).toBe('Claim');
    expect(JSON.stringify(wrongToken)).not.toContain('ffff');
  });

  it.each([
    ['no credential', {}],
    ['another scheme', { authorization: `Bearer ${TOKEN}` }],
    ['a token that is too short', { authorization: 'Claim 00112233' }],
    ['an empty token', { authorization: 'Claim ' }],
  ])('must be valid: a request with %s is rejected', async (_, headers) => {
    const { app } = await ingress();
    const answer = await app.inject({ method: 'POST', url: '/v2/device/2159017986/poll', headers });
    expect(answer.statusCode).toBe(401);
  });

  it.each(['0', '4294967296', 'abc'])('are rejected for the serial number "%s"', async (serial) => {
    const { send } = await ingress();
    expect((await send('poll', {}, { serial })).status).toBe(401);
  });

  it('of a deleted device are rejected, and those of its successor accepted, also if this service does not know', async () => {
    const { cloud, device, send } = await ingress();
    expect((await send('uplink', { type: 'data', body: { n: 1 } })).status).toBe(200);
    await cloud.store.commit([{ kind: 'device.delete', id: device.id, at: cloud.clock.wall }]);
    const successor = await cloud.addDevice();
    const unknown = await send('poll', {}, { serial: '2159017999' });
    expect(await send('uplink', { type: 'data', body: { n: 2 } })).toEqual(unknown);
    expect((await send('uplink', { type: 'data', body: { n: 2 } })).status).toBe(200);
    expect((await cloud.messages(successor)).map(({ body }) => body)).toEqual([{ n: 2 }]);
  });

  it('may contain the token in upper case', async () => {
    const { send } = await ingress();
    expect((await send('poll', {}, { token: TOKEN.toUpperCase() })).status).toBe(200);
  });

  it('do not work for web pages of other origins: responses have no CORS headers', async () => {
    const { send } = await ingress();
    const { headers } = await send('poll', {}, {});
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('count for the rate limit, whatever API key the requests also contain', async () => {
    const { app } = await ingress(undefined, 2);
    const poll = async (key: string) => {
      const headers = { authorization: `Claim ${TOKEN}`, 'x-api-key': key };
      return (await app.inject({ method: 'POST', url: `/v2/device/${SERIAL}/poll`, headers })).statusCode;
    };
    expect([await poll('a'), await poll('b'), await poll('c')]).toEqual([200, 200, 429]);
  });

  it('count together for the limit of requests, however they are written', async () => {
    const { app } = await ingress(undefined, 2);
    const poll = async (authorization: string) =>
      (await app.inject({ method: 'POST', url: `/v2/device/${SERIAL}/poll`, headers: { authorization } })).statusCode;
    const answers = [
      await poll(`Claim ${TOKEN}`),
      await poll(`claim ${TOKEN.toUpperCase()}`),
      await poll(`CLAIM   ${TOKEN} `),
    ];
    expect(answers).toEqual([200, 200, 429]);
  });

  it('of known devices are accepted after many guesses from their network', async () => {
    const { send } = await ingress(undefined, 3);
    expect((await send('poll')).status).toBe(200);
    const guess = async (digit: string) => (await send('poll', {}, { token: digit.repeat(32) })).status;
    expect([await guess('a'), await guess('b'), await guess('c'), await guess('d')]).toEqual([401, 401, 401, 429]);
    expect((await send('poll')).status).toBe(200);
  });

  it('permit a limited number of concurrent requests', async () => {
    const { cloud, send } = await ingress();
    const open = holdCommits(cloud.store);
    const sending = Array.from({ length: 20 }, (_, n) => send('uplink', reading({ n })));
    await Promise.race(sending);
    open();
    const answers = await Promise.all(sending);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    expect(answers.find(({ status }) => status === 429)?.headers['retry-after']).toBe('1');
  });
});

const reading = (body: object) => ({ type: 'data', body });

/** Holds all commits until the returned function is called. */
function holdCommits(store: Store): () => void {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const commit = store.commit.bind(store);
  store.commit = async (changes) => {
    await gate;
    return commit(changes);
  };
  return open;
}

/**
 * Runs `work` as in a process that is killed as soon as `work` has resolved: later commits are not written. The second result
 * makes the store write commits again, for the next process.
 */
function cutOff<T>(store: Store, work: () => Promise<T>): readonly [Promise<T>, () => void] {
  const commit = store.commit.bind(store);
  let answered = false;
  store.commit = async (changes) => {
    // As in a database, a commit is written a turn later.
    await new Promise((resolve) => setImmediate(resolve));
    if (!answered) await commit(changes);
  };
  const done = work().finally(() => {
    answered = true;
  });
  return [done, () => Object.assign(store, { commit })];
}

describe('a device that uses HTTP', () => {
  it('starts a session, fetches the response and acknowledges it', async () => {
    const { cloud, device, send } = await ingress();
    expect((await send('session', { fw_version: 'v1.0.0', colour: 'red' })).json).toEqual({ poll: true });
    const offer = await send('poll');
    expect(offer.json).toMatchObject({
      downlink: {
        type: 'session',
        body: {
          timestamp: Math.floor(cloud.clock.wall / 1000),
          decoder_hash: null,
          device_id: device.id,
          device_name: device.name,
        },
      },
      more: false,
    });
    const { id } = offer.json.downlink;
    expect((await send('ack', { id })).json).toEqual({ poll: false });
    expect((await send('poll')).json).toEqual({ downlink: null, more: false });
    expect((await cloud.device()).session).toEqual({ fw_version: 'v1.0.0' });
  });

  it.each([
    ['15 digits', '001010123456789', '010012345678901'],
    ['fewer digits', '00101012345678', '0012'],
    ['the version of the modem behind them', '901288000000001', '0100123456789012'],
  ])('keeps the leading zeros of IMSI and IMEI: with %s', async (_, imsi, imei) => {
    const { cloud, device, send } = await ingress();
    await send('session', { imsi, imei });
    expect((await cloud.store.device(cloud.spaceId, device.id))?.session).toEqual({ imsi, imei });
  });

  it('is refused numbers that could not be stored as they are', async () => {
    const { send, stored } = await ingress();
    const { status, json } = await send('uplink', '{"type":"data","body":{"id":12345678901234567890}}');
    expect([status, json.code]).toEqual([400, 'inexact-number']);
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['uplink', '{"type":"data","body":{"s":"cut \\ud83d"}}', 'invalid-unicode'],
    ['session', '{"fw_version":"\\ude00"}', 'invalid-unicode'],
    ['uplink', '{"type":"data","body":{"temp":1,"temp":2}}', 'duplicate-key'],
    ['uplink', '{"type":"data","body":{"__proto__":{"a":1},"t":1}}', 'forbidden-key'],
  ])('is refused JSON that could not be stored as it is: %s %s', async (kind, body, code) => {
    const { send, stored } = await ingress();
    const { status, json } = await send(kind, body);
    expect([status, json.code]).toEqual([400, code]);
    expect(await stored()).toEqual([]);
  });

  it('may send data without a codec', async () => {
    const { send, stored } = await ingress();
    await send('uplink', reading({ temperature: 21.5, tags: ['a', null] }));
    expect(await stored()).toMatchObject([
      { type: 'data', body: { temperature: 21.5, tags: ['a', null] }, codecHash: null, raw: null },
    ]);
  });

  it('may send equal readings; those with the same sequence number are stored once', async () => {
    const { send, stored } = await ingress();
    for (const body of [{ a: 1 }, { a: 1 }, { message: { sequence: 7 } }, { message: { sequence: 7 } }]) {
      expect((await send('uplink', reading(body))).status).toBe(200);
    }
    expect((await stored()).map(({ body }) => body)).toEqual([{ a: 1 }, { a: 1 }, { message: { sequence: 7 } }]);
  });

  it('may repeat its requests, which are recognised by key and content', async () => {
    const { send, stored } = await ingress();
    for (const key of ['1', '1', '2', '1']) await send('uplink', reading({ a: 1 }), { key });
    expect(await stored()).toHaveLength(2);
    for (const a of [2, 2, 3]) await send('uplink', reading({ a }), { key: '1' });
    expect((await stored()).map(({ body }) => body)).toEqual([{ a: 1 }, { a: 1 }, { a: 2 }, { a: 3 }]);
  });

  it.each([
    ['a sequence number', (door: string) => reading({ message: { sequence: 7 }, door })],
    ['the time 0, because its clock is not set', (door: string) => reading({ message: { timestamp: 0 }, door })],
    ['a time in a text', (door: string) => reading({ message: { timestamp: '2026-01-01T00:00:00Z' }, door })],
    [
      'firmware in CBOR',
      (door: string) => ({ type: 'data', codec_hash: '0123456789abcdef', cbor: Buffer.from(door).toString('base64') }),
    ],
  ])('may send equal data under different keys, and all are stored: %s', async (_, message) => {
    const { send, stored } = await ingress();
    for (const [n, door] of ['open', 'closed', 'open'].entries()) {
      expect((await send('uplink', message(door), { key: `m${n}` })).status).toBe(200);
    }
    expect(await stored()).toHaveLength(3);
  });

  it('may send equal readings with the time 0 without a key, and all are stored', async () => {
    const { send, stored } = await ingress();
    for (let n = 0; n < 2; n++) await send('uplink', reading({ message: { timestamp: 0 } }));
    expect(await stored()).toHaveLength(2);
  });

  it('may repeat every kind of request after a crash of the service, and all are stored once', async () => {
    const { cloud, device, send, stored } = await ingress();
    const requests = [
      ['session', { fw_version: 'v1.0.0' }],
      ['uplink', reading({ a: 1 })],
      ['uplink', { type: 'config', body: ['app config mode "lte"'] }],
      ['uplink', { type: 'stats', body: { uptime: 7 } }],
      ['uplink', { type: 'timestamp' }],
    ] as const;
    for (const [n, [kind, body]] of requests.entries()) await send(kind, body, { key: `${n}` });
    const [before, queued] = [await stored(), await cloud.store.pendingDownlinks(device.id)];
    expect([before.length, queued.map(({ type }) => type)]).toEqual([5, ['session', 'timestamp']]);
    const restarted = await ingress(await testCloud({ store: cloud.store, clock: cloud.clock, seed: 'again' }));
    for (const [n, [kind, body]] of requests.entries()) {
      const answer = await restarted.send(kind, body, { key: `${n}` });
      expect(answer).toMatchObject({ status: 200, json: { poll: true } });
    }
    expect(await stored()).toEqual(before);
    expect(await cloud.store.pendingDownlinks(device.id)).toEqual(queued);
  });

  it('uploads a decoder as JSON, with which later CBOR data are decoded', async () => {
    const { cloud, send, stored } = await ingress();
    const document = { version: 2, type: 'decoder', name: 'mine', schema: [{ level: [{ $div: 10 }] }] };
    await send('uplink', { type: 'decoder', body: document });
    const { decoderHash } = await cloud.device();
    const cbor = Buffer.from([0xa1, 0, 0x18, 215]).toString('base64').replace(/=+$/, '');
    await send('uplink', { type: 'data', codec_hash: decoderHash, cbor });
    expect((await stored()).map(({ type, body }) => [type, body])).toEqual([
      ['decoder', { hash: decoderHash, name: 'mine', version: 2 }],
      ['data', { level: 21.5 }],
    ]);
  });

  it('may report a configuration without its hash, which the gateway computes', async () => {
    const { cloud, send } = await ingress();
    const lines = ['app config mode "lte"'];
    await send('uplink', { type: 'config', body: lines });
    expect((await cloud.device()).configHash).toBe(configHash(lines));
  });

  it('answers a shell downlink with the id of the downlink', async () => {
    const { cloud, device, send } = await ingress();
    const { id } = await cloud.core.queue(device, { type: 'shell', commands: ['cloud state'] });
    expect((await send('poll')).json.downlink).toEqual({ id, type: 'shell', body: ['cloud state'] });
    await send('ack', { id });
    const responses = [{ command: 'cloud state', outputs: ['initialized: yes'] }];
    await send('uplink', { type: 'shell', body: { message_id: id, responses } });
    expect((await cloud.store.timeline(id, { limit: 100 })).map(({ what }) => what)).toEqual([
      'queued',
      'contact',
      'offered',
      'sent',
      'answered',
    ]);
  });

  it('receives application data both as they were queued and encoded by its encoder', async () => {
    const { cloud, device, send } = await ingress();
    const schema = [{ relay: [{ $type: 'int' }] }];
    await send('uplink', { type: 'encoder', body: { version: 2, type: 'encoder', name: 'mine', schema } });
    const { id } = await cloud.core.queue(device, { type: 'data', body: { relay: 1 } });
    const { encoderHash } = await cloud.device();
    expect((await send('poll')).json.downlink).toEqual({
      id,
      type: 'data',
      body: { relay: 1 },
      codec_hash: encoderHash,
      cbor: Buffer.from([0xa1, 0, 1]).toString('base64'),
    });
  });

  it('requests the time', async () => {
    const { cloud, send } = await ingress();
    expect((await send('uplink', { type: 'timestamp' })).json).toEqual({ poll: true });
    expect((await send('poll')).json.downlink).toMatchObject({
      type: 'timestamp',
      body: { timestamp: Math.floor(cloud.clock.wall / 1000) },
    });
  });
});

describe('an acknowledgement', () => {
  it('may be repeated', async () => {
    const { cloud, device, send } = await ingress();
    const { id } = await cloud.core.queue(device, { type: 'shell', commands: ['one'] });
    await send('poll');
    for (let i = 0; i < 2; i++) expect(await send('ack', { id })).toMatchObject({ status: 200, json: { poll: false } });
    expect(await cloud.store.message(cloud.spaceId, id)).toMatchObject({ downState: 'sent' });
  });

  it('is accepted after a restart of the service', async () => {
    const { cloud, device, send } = await ingress();
    const { id } = await cloud.core.queue(device, { type: 'shell', commands: ['one'] });
    await send('poll');
    const restarted = await ingress(await testCloud({ store: cloud.store }));
    await restarted.send('ack', { id });
    expect(await cloud.store.message(cloud.spaceId, id)).toMatchObject({ downState: 'sent' });
  });

  it('is accepted after a crash that came right after the offer was sent', async () => {
    const { cloud, device, send } = await ingress();
    const { id } = await cloud.core.queue(device, { type: 'shell', commands: ['one'] });
    // Changes that were not durable when the answer was sent are lost.
    const [offer, crash] = cutOff(cloud.store, () => send('poll'));
    expect((await offer).json.downlink.id).toBe(id);
    crash();
    const restarted = await ingress(await testCloud({ store: cloud.store }));
    expect(await restarted.send('ack', { id })).toMatchObject({ status: 200, json: { poll: false } });
    expect(await cloud.store.message(cloud.spaceId, id)).toMatchObject({ downState: 'sent', downAttempt: 1 });
  });

  it('of a downlink that was never offered is refused with the reason', async () => {
    const { cloud, device, send } = await ingress();
    const { id } = await cloud.core.queue(device, { type: 'shell', commands: ['one'] });
    const { status, json } = await send('ack', { id });
    expect([status, json.code]).toEqual([409, 'not-offered']);
    expect(json.message).toContain(`"${id}" has not been offered to this device`);
    expect(await cloud.store.message(cloud.spaceId, id)).toMatchObject({ downState: 'pending' });
  });

  it('of a downlink that has ended otherwise is refused with its state', async () => {
    const { cloud, device, send } = await ingress();
    const cancelled = await cloud.core.queue(device, { type: 'shell', commands: ['one'] });
    await send('poll');
    await cloud.core.cancel(cancelled);
    const expired = await cloud.core.queue(device, { type: 'shell', commands: ['two'] });
    await send('poll');
    await cloud.clock.runUntil(days(31));
    const codes = [cancelled, expired].map(async ({ id }) => (await send('ack', { id })).json.code);
    expect(await Promise.all(codes)).toEqual(['cancelled', 'expired']);
  });

  it('of a downlink of another device, or of an uplink, is refused like an unknown id', async () => {
    const { cloud, send, stored } = await ingress();
    const token = 'f'.repeat(32);
    const other = await cloud.addDevice(SERIAL + 1, token);
    const foreign = await cloud.core.queue(other, { type: 'shell', commands: ['one'] });
    await send('poll', {}, { serial: String(other.serial), token });
    await send('uplink', reading({ a: 1 }));
    const [uplink] = await stored();
    for (const id of [foreign.id, uplink?.id, '0197a3b1-0000-7000-8000-000000000001']) {
      const { status, json } = await send('ack', { id });
      expect([status, json.code]).toEqual([404, 'unknown-downlink']);
    }
    expect(await cloud.store.message(cloud.spaceId, foreign.id)).toMatchObject({ downState: 'pending' });
  });
});

describe('a message is rejected if it has', () => {
  const TOO_LONG = Array.from({ length: 200 }, () => 'x'.repeat(100));
  it.each([
    ['a body that is not an object', [], 'body is not'],
    ['no type', { body: {} }, 'body needs "type"'],
    ['an unknown type', { type: 'weather' }, '"weather" is not one of "session"'],
    ['data without a body', { type: 'data' }, 'data needs a "body"'],
    ['data that are not an object', { type: 'data', body: [1] }, 'body/body is not a JSON object'],
    ['CBOR that is not base64', { type: 'data', codec_hash: '0'.repeat(16), cbor: '!' }, 'body/cbor "!" is not base64'],
    ['CBOR without its codec', { type: 'data', cbor: 'oA==' }, 'body needs "codec_hash"'],
    ['an invalid hash', { type: 'config', hash: 'xyz', body: [] }, 'body/hash "xyz" is not 16 hex digits'],
    ['lines that are not texts', { type: 'config', body: [1] }, 'body/body is not a list of texts'],
    [
      'a codec under a wrong hash',
      { type: 'decoder', codec_hash: '0'.repeat(16), cbor: 'oA==' },
      'is not that of the decoder',
    ],
    [
      'a decoder without a schema',
      { type: 'decoder', body: { version: 2, type: 'decoder', name: 'x' } },
      'not missing',
    ],
    [
      'a decoder that is not CBOR',
      { type: 'decoder', cbor: '/w==' },
      'the decoder has mistakes: the codec is not CBOR',
    ],
    [
      'a decoder in place of an encoder',
      { type: 'encoder', body: { version: 2, type: 'decoder', name: 'x', schema: [] } },
      'the encoder has mistakes: the type of the codec is "decoder", but it is uploaded as "encoder"',
    ],
    [
      'a decoder with mistakes',
      {
        type: 'decoder',
        body: { version: 2, type: 'decoder', name: 'x', schema: [{ a: [{ $div: 'ten' }] }, { b: true }, { a: null }] },
      },
      '"b" cannot have the value "true"; $div of "a" must be a number, not "ten"; "a" occurs twice',
    ],
    ['a shell answer without the id of its downlink', { type: 'shell', body: { responses: [] } }, 'needs "message_id"'],
    ['a fraction as a number', { type: 'stats', body: { uptime: 1.5 } }, ' 1.5 is not a whole number'],
    ['an invalid update id', { type: 'firmware', body: { type: 'next', update_id: '7' } }, '"7" is not a UUID'],
    ['an IMEI with letters', { type: 'session', body: { imei: 'x1' } }, 'body/imei "x1" is not'],
    ['more than a message can carry', { type: 'config', body: TOO_LONG }, 'at most 16383 are possible'],
    [
      'a codec that is longer than a message, before its mistakes',
      { type: 'encoder', body: { schema: TOO_LONG } },
      'at most 16383 are',
    ],
  ])('%s', async (_, body, message) => {
    const { send, stored } = await ingress();
    const answer = await send('uplink', body);
    expect(answer.status).toBe(400);
    expect(answer.json.message).toContain(message);
    expect(await stored()).toEqual([]);
  });

  it('a key that is too long', async () => {
    const { send } = await ingress();
    expect((await send('uplink', reading({ a: 1 }), { key: 'x'.repeat(65) })).status).toBe(400);
  });
});

it('a deleted device leaves nothing in memory', async () => {
  const { cloud, device, send } = await ingress();
  const poll = seal({ flags: POLL, sequence: 0, data: NOTHING }, SERIAL, tokenBytes(TOKEN), 'base64');
  await send('uplink', { type: 'data', body: { n: 1 } });
  await cloud.deliver(poll);
  const session = new WeakRef(cloud.core.getFreshSession(SERIAL) ?? {});
  await cloud.store.commit([{ kind: 'device.delete', id: device.id, at: cloud.clock.wall }]);
  await cloud.core.noteDeleted(device, []);
  // A weak reference keeps its object until the end of the turn.
  await new Promise((resume) => setImmediate(resume));
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  expect(session.deref()).toBeUndefined();
});
