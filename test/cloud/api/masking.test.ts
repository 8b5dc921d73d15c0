/** For callers who may only read, answers have the claim token and the passkey of a device masked, in any form. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Masking } from '../../../src/cloud/api/masking.js';
import { LoopTurns } from '../../../src/cloud/store/loop-turns.js';
import { newMessage } from '../../../src/cloud/store/new-message.js';
import type { ListedMessage, MessageRow } from '../../../src/cloud/store/store.js';
import { device, downlink, idAt, message } from '../store/rows.js';
import { person, withKey } from './people.js';
import { type Call, START, service } from './service.js';

const TOKEN = '9f3ac4d1e07b5826aa10ffb2c36d9e45';
const PASSKEY = '739154';
const bytes = Buffer.from(TOKEN, 'hex');

/** A dump as the shell prints it: 16 bytes a line, with their characters. */
function dump(content: Buffer): string[] {
  return Array.from({ length: Math.ceil(content.length / 16) }, (_, n) => {
    const line = content.subarray(16 * n, 16 * n + 16);
    const digits = [...line].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    return `${(16 * n).toString(16).padStart(8, '0')}: ${digits} |${line.toString('latin1')}|`;
  });
}

const listed = (given: Partial<MessageRow>): ListedMessage => ({
  ...message(1, given),
  deviceName: 'unit',
  deviceSerial: 1,
});
const masked = (given: Partial<MessageRow>) => new Masking(device(1, { token: TOKEN })).message(listed(given));
const shell = (command: string, outputs: readonly string[]) => ({
  type: 'shell',
  body: { message_id: idAt(START, 1), responses: [{ command, result: 0, outputs }] },
});

describe('a claim token', () => {
  it.each([
    ['digits', TOKEN],
    ['upper-case digits', TOKEN.toUpperCase()],
    ['digits in a text', `token is ${TOKEN}, keep it`],
    ['digits in groups', TOKEN.match(/.{4}/g)?.join('-') ?? ''],
    ['bytes with colons', TOKEN.match(/../g)?.join(':') ?? ''],
    ['half of the digits', TOKEN.slice(7, 23)],
    ['the bytes of its digits', Buffer.from(TOKEN).toString('hex')],
    ['the bytes of upper-case digits', Buffer.from(TOKEN.toUpperCase()).toString('hex')],
    ['base64 of its bytes', bytes.toString('base64')],
    ['base64url of its bytes', bytes.toString('base64url')],
    ['base64 of its digits', Buffer.from(TOKEN).toString('base64')],
    ['base64 of a text with it', Buffer.from(`x claim token: ${TOKEN}\r\n`).toString('base64')],
    ['base64 of bytes with it', Buffer.concat([Buffer.of(1, 2), bytes, Buffer.of(3)]).toString('base64')],
    ['JSON in a text', JSON.stringify({ a: [TOKEN] })],
  ])('is masked as %s', (_, text) => {
    for (const body of [text, { nested: [{ text }] }, { [text]: 1 }, [text, 'x']]) {
      const shown = JSON.stringify(masked({ body }).body);
      expect(shown).not.toContain(text);
      expect(shown).toContain('********');
    }
  });

  it('is masked as a list of numbers', () => {
    expect(masked({ body: { list: [1, ...bytes] } }).body).toEqual({ list: new Array(17).fill('********') });
    expect(JSON.stringify(masked({ body: [...Buffer.from(TOKEN)] }).body)).not.toContain('57,102');
  });

  it('is masked in dumps of memory', () => {
    for (const content of [bytes, Buffer.from(TOKEN), Buffer.concat([Buffer.from('xyz'), Buffer.from(TOKEN)])]) {
      const outputs = dump(content);
      const { body } = masked(shell('flash read 0 64', outputs));
      for (const line of outputs.slice(0, 2)) expect(JSON.stringify(body)).not.toContain(line.slice(10));
    }
  });

  it('is masked if it is divided between the lines of an answer', () => {
    const { body } = masked(shell('x', [`a ${TOKEN.slice(0, 11)}`, TOKEN.slice(11, 21), TOKEN.slice(21)]));
    expect(body).toMatchObject({ responses: [{ outputs: ['********', '********', '********'] }] });
  });

  it.each([
    ['its bytes', TOKEN],
    ['its bytes among others', `86a1${TOKEN}00`],
    ['its digits as bytes', `a1${Buffer.from(TOKEN).toString('hex')}`],
    ['its digits, shifted by half a byte', `a${TOKEN}b`],
  ])('is not shown in raw bytes that contain %s', (_, raw) => {
    expect(masked({ body: null, raw })).toMatchObject({ body: null, raw: null });
  });
});

describe('the answer to `info show`', () => {
  it('has neither claim token nor passkey, even if the device has another token by now', () => {
    const outputs = ['serial number: 2159017985', `claim token: ${'ab'.repeat(16)}`, `ble passkey: ${PASSKEY}`];
    expect(masked(shell('info show', outputs)).body).toMatchObject({
      responses: [{ outputs: ['serial number: 2159017985', 'claim token: ********', 'ble passkey: ********'] }],
    });
  });
});

describe('other messages', () => {
  it('are shown without passkeys and LoRaWAN keys', () => {
    const session = { ble_passkey: PASSKEY, imei: '351358815178345' };
    expect(masked({ type: 'session', body: session }).body).toEqual({ ...session, ble_passkey: '********' });
    const lines = [
      'ble config passkey "739154"',
      'lrw config appkey 00112233445566778899aabbccddeeff',
      'app config a 1',
    ];
    expect(masked({ type: 'config', body: lines }).body).toEqual([
      'ble config passkey ********',
      'lrw config appkey ********',
      'app config a 1',
    ]);
    expect(masked(downlink(1, { body: ['ble config passkey 739154'] })).body).toEqual(['ble config passkey ********']);
  });

  it('are unchanged if they contain no secret', () => {
    for (const given of [
      { body: { temperature: 4.5, list: [1, 2, 300], nested: { a: [null, true, 'x'] } } },
      { body: null, raw: 'a10005' },
      { type: 'stats', body: { uptime: 1 } },
      { type: 'config', body: ['app config mode "lte"'] },
      shell('kernel uptime', ['Uptime: 1234567 ms']),
    ]) {
      expect(masked(given)).toEqual(listed(given));
    }
  });
});

/** A device that has sent its secrets in every way, and callers who may or may not see them. */
async function confided() {
  const made = await service();
  const { call, store, spaceId } = made;
  const tag = async (name: string, access_type: string) =>
    (await call('POST', 'tags', { name, color: '#00ffaa', access_type })).json;
  const [watched, mine] = [await tag('watched', 'read'), await tag('mine', 'write')];
  const { id } = await made.device({
    ...{ token: TOKEN, tags: [watched], comment: `QR: ${TOKEN}`, label: { token: TOKEN.toUpperCase() } },
    external_id: bytes.toString('base64'),
  });
  await store.commit([{ kind: 'device.change', id, change: { session: { ble_passkey: PASSKEY, fw_name: TOKEN } } }]);
  const rows: Partial<MessageRow>[] = [
    shell('info show', [`claim token: ${TOKEN}`, `ble passkey: ${PASSKEY}`]),
    { type: 'session', body: { ble_passkey: PASSKEY } },
    { type: 'data', body: null, raw: `00${TOKEN}` },
    { type: 'data', body: { token: [...bytes] } },
    downlink(5, { type: 'shell', body: [`echo ${TOKEN}`, `ble config passkey ${PASSKEY}`] }),
  ];
  const messages = rows.map((row, n) => {
    const createdAt = START - 10_000 + 1000 * n;
    return message(n, { ...row, createdAt, id: idAt(createdAt, n), spaceId, deviceId: id });
  });
  const detail = `"${TOKEN}" is not a field of the encoder`;
  const messageId = messages[4]?.id ?? '';
  await store.commit([
    ...messages.map((row) => ({ kind: 'message.insert', row }) as const),
    { kind: 'timeline.add', row: { messageId, at: START, what: 'cancelled', detail } },
  ]);
  const key = async (given: object) => withKey(call, (await call('POST', 'keys', { name: 'key', ...given })).json.key);
  const reads = async (caller: Call): Promise<string> => {
    const paths = [
      ...['devices', 'devices/summaries', `devices/${id}`, 'messages?limit=100'],
      ...messages.flatMap((row) => [`messages/${row.id}`, `messages/${row.id}/timeline`]),
    ];
    const answers = await Promise.all(paths.map((path) => caller('GET', path)));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
    return answers.map(({ text }) => text).join('\n');
  };
  return { ...made, id, watched, mine, key, reads };
}

describe('a caller', () => {
  let made: Awaited<ReturnType<typeof confided>>;
  beforeAll(async () => {
    made = await confided();
  });

  const SECRETS = [TOKEN, TOKEN.toUpperCase(), PASSKEY, bytes.toString('base64'), '159,58,196'];
  const seen = (text: string) => SECRETS.filter((secret) => text.includes(secret));

  it('with a read-only key sees no secret', async () => {
    expect(seen(await made.reads(await made.key({ access_type: 'read' })))).toEqual([]);
  });

  it('with the role user sees no secret', async () => {
    const { call: eva } = await person(made, 'eva@example.org', 'user');
    expect(seen(await made.reads(eva))).toEqual([]);
  });

  it('sees no secret if its key shares only a read-only tag with the device', async () => {
    expect(seen(await made.reads(await made.key({ tags: [made.watched] })))).toEqual([]);
  });

  it('with a read-only key sees no secret in any field of a device, such as the names of its tags', async () => {
    const { json: tag } = await made.call('POST', 'tags', { name: `QR-${TOKEN}`, color: '#00ffaa' });
    await made.call('PUT', `devices/${made.id}`, { tags: [made.watched, tag] });
    const caller = await made.key({ access_type: 'read' });
    for (const path of ['devices', 'devices/summaries', `devices/${made.id}`]) {
      expect((await caller('GET', path)).text, path).not.toContain(TOKEN);
    }
  });

  it('with a read-only key sees the serial number of a device, even if its token begins with it', async () => {
    const serial_number = '2159017999';
    await made.device({ serial_number, token: `${serial_number}${TOKEN.slice(10)}` });
    const caller = await made.key({ access_type: 'read' });
    for (const path of ['devices', 'devices/summaries'])
      expect((await caller('GET', path)).json).toContainEqual(expect.objectContaining({ serial_number }));
  });

  it('who may change the device sees all secrets that the device has sent', async () => {
    expect(seen(await made.reads(made.call))).toEqual(SECRETS);
    await made.call('PUT', `devices/${made.id}`, { tags: [made.watched, made.mine] });
    expect(seen(await made.reads(await made.key({ tags: [made.mine] })))).toEqual(SECRETS);
  });
});

it('a list masks one message in a turn', async () => {
  const { call, store, spaceId, device: create, ids, clock } = await service();
  const row = await store.device(spaceId, (await create()).id);
  if (!row) throw new Error('no device');
  const rows = Array.from({ length: 20 }, () => newMessage(ids, clock, row, 'up', 'data', { a: 1 }));
  await store.commit(rows.map((each) => ({ kind: 'message.insert', row: each })));
  const { key } = (await call('POST', 'keys', { name: 'reader', access_type: 'read' })).json;
  const masked = vi.spyOn(Masking.prototype, 'message');
  /** How many messages were masked before each turn. */
  const before: number[] = [];
  const next = vi
    .spyOn(LoopTurns.prototype, 'next')
    .mockImplementation(async () => void before.push(masked.mock.calls.length));
  expect((await withKey(call, key)('GET', 'messages?limit=20')).json).toHaveLength(20);
  for (const spy of [masked, next]) spy.mockRestore();
  expect(new Set(before)).toEqual(new Set(Array.from({ length: 20 }, (_, n) => n)));
});

it('the lists of all spaces of an account take turns as one tenant', async () => {
  const made = await service();
  const { store, ids, clock } = made;
  const eva = await person(made, 'eva@example.org');
  const space = async (n: number) => {
    const { id } = (await eva.call('POST', '/v2/spaces', { name: `space-${n}` })).json;
    const row = device(n, { spaceId: id });
    await store.commit([{ kind: 'device.insert', row }]);
    const rows = [1, 2].map((a) => newMessage(ids, clock, row, 'up', 'data', { a }));
    await store.commit(rows.map((each) => ({ kind: 'message.insert', row: each })));
    const { key } = (await eva.call('POST', `/v2/spaces/${id}/keys`, { name: 'reader', access_type: 'read' })).json;
    return () => withKey(made.call, key)('GET', `/v2/spaces/${id}/messages`);
  };
  const lists = [await space(0), await space(1)];
  const asked = vi.spyOn(LoopTurns.prototype, 'next');
  for (const list of lists) expect((await list()).json).toHaveLength(2);
  expect(new Set(asked.mock.calls.flat())).toEqual(new Set([eva.id]));
  asked.mockRestore();
});
