import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CborValue, encodeCbor } from '../../src/protocol/cbor.js';
import { codecHash, type Hash, toHex } from '../../src/protocol/hashes.js';
import {
  type DownMessage,
  encodeDown,
  encodeUp,
  LONGEST_VALUE,
  MessageError,
  parseDown,
  parseUp,
  type SetSession,
  TYPE,
  type UpMessage,
} from '../../src/protocol/messages/index.js';
import { hex, map, tries } from './fixtures.js';

const HASH: Hash = '0123456789abcdef';
const ID = Uint8Array.from({ length: 16 }, (_, i) => i);

/** A message from its parts: type byte, then CBOR values and bytes. */
function raw(kind: keyof typeof TYPE, ...parts: readonly (Uint8Array | { readonly cbor: CborValue })[]): Uint8Array {
  const values = parts.map((part) => (part instanceof Uint8Array ? part : encodeCbor(part.cbor)));
  return Uint8Array.from([TYPE[kind], ...values.flatMap((value) => [...value])]);
}

function faultOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof MessageError) return `${error.fault}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}

const text = fc.string({ unit: 'grapheme' });
const shortText = fc.string({ unit: 'grapheme-ascii', maxLength: 9 });
const line = fc.string({ unit: 'grapheme-ascii', maxLength: 255 });
const hash = fc.uint8Array({ minLength: 8, maxLength: 8 }).map(toHex);
const id = fc.uint8Array({ minLength: 16, maxLength: 16 });
const bytes = fc.uint8Array({ maxLength: 100 });
const uint32 = fc.nat(0xffff_ffff);
const digits = fc.oneof(
  fc.constant('0'),
  fc.bigInt(1n, 2n ** 64n - 1n).map((n) => n.toString().padStart(15, '0')),
);
const optional: { requiredKeys: [] } = { requiredKeys: [] };

const anyUp: fc.Arbitrary<UpMessage> = fc.oneof(
  fc.record({
    kind: fc.constant('create-session' as const),
    session: fc.record(
      {
        watchdog_timeout: uint32,
        serial_number: uint32,
        vendor_name: text,
        product_name: text,
        hw_variant: text,
        hw_revision: text,
        fw_bundle: text,
        fw_name: text,
        fw_version: text,
        ble_passkey: text,
        imei: digits,
        imsi: digits,
        iccid: text,
        modem_fw_version: text,
        z_serial_number: text,
        z_hw_revision: text,
        z_hw_variant: text,
        z_fw_version: text,
      },
      optional,
    ),
  }),
  fc.record({ kind: fc.constant('get-timestamp' as const) }),
  fc.record({ kind: fc.constant('upload-config' as const), hash, lines: fc.array(text) }),
  fc
    .tuple(fc.constantFrom('upload-decoder' as const, 'upload-encoder' as const), fc.uint8Array({ minLength: 1 }))
    .map(([kind, document]) => ({ kind, hash: codecHash(document), document })),
  fc.record({
    kind: fc.constant('upload-stats' as const),
    stats: fc.record({ uptime: uint32, rsrp: fc.integer(), earfcn: uint32 }, optional),
  }),
  fc.record({ kind: fc.constant('upload-data' as const), hash, body: bytes }),
  fc.record({
    kind: fc.constant('upload-shell' as const),
    messageId: id,
    responses: fc.array(fc.record({ command: text, result: fc.integer(), lines: fc.array(text) })),
  }),
  fc.record(
    {
      kind: fc.constant('upload-firmware' as const),
      target: text,
      type: text,
      updateId: id,
      // Fields that are 0 or empty are not sent.
      offset: fc.integer({ min: 1 }),
      maxLength: fc.integer({ min: 1 }),
      firmware: fc.string({ minLength: 1, unit: 'grapheme' }),
      error: fc.string({ minLength: 1, unit: 'grapheme' }),
    },
    { requiredKeys: ['kind', 'target', 'type'] },
  ),
);

const anyDown: fc.Arbitrary<DownMessage> = fc.oneof(
  fc.record(
    {
      kind: fc.constant('set-session' as const),
      sessionId: uint32,
      decoderHash: hash,
      encoderHash: hash,
      configHash: hash,
      timestamp: uint32,
      deviceId: fc.uuid(),
      deviceName: fc.string({ unit: 'grapheme-ascii', maxLength: 32 }),
    },
    { requiredKeys: ['kind', 'sessionId', 'timestamp', 'deviceId', 'deviceName'] },
  ),
  fc.record({ kind: fc.constant('set-timestamp' as const), timestamp: fc.maxSafeNat() }),
  fc.record({ kind: fc.constant('download-config' as const), lines: fc.array(line, { minLength: 1 }) }),
  fc.record({ kind: fc.constant('download-data' as const), hash, body: bytes }),
  fc.record({ kind: fc.constant('download-shell' as const), commands: fc.array(line), messageId: id }),
  fc.record({
    kind: fc.constant('download-firmware' as const),
    target: fc.string({ unit: 'grapheme-ascii', maxLength: 7 }),
    type: shortText,
    updateId: id,
    offset: uint32,
    data: bytes,
    size: fc.integer({ min: 1 }),
  }),
);

describe('every message', () => {
  it('is the same after writing and reading', () => {
    fc.assert(
      fc.property(anyUp, (message) => {
        expect(parseUp(encodeUp(message))).toEqual(message);
      }),
    );
    fc.assert(
      fc.property(anyDown, (message) => {
        expect(parseDown(encodeDown(message))).toEqual(message);
      }),
    );
  });

  it('that is damaged is read, or rejected with a MessageError', () => {
    const change = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
    const damaged = fc
      .tuple(fc.oneof(anyUp.map(encodeUp), anyDown.map(encodeDown)), change, fc.nat())
      .map(([whole, changes, cut]) => {
        const message = whole.slice(0, whole.length - (cut % 3));
        for (const [at, byte] of changes) if (message.length > 0) message[at % message.length] = byte;
        return message;
      });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.uint8Array()), (message) => {
        faultOf(() => parseUp(message));
        faultOf(() => parseDown(message));
      }),
      tries(10),
    );
  });

  it('has at most 16383 bytes after its type', () => {
    const message = (length: number): UpMessage => ({
      kind: 'upload-data',
      hash: HASH,
      body: new Uint8Array(length - 8),
    });
    expect(faultOf(() => parseUp(encodeUp(message(LONGEST_VALUE))))).toBe('accepted');
    const expected = 'too-long: the value of the message has 16384 bytes; at most 16383 are possible';
    expect(faultOf(() => encodeUp(message(LONGEST_VALUE + 1)))).toBe(expected);
    expect(faultOf(() => parseUp(raw('upload-data', new Uint8Array(LONGEST_VALUE + 1))))).toBe(expected);
    expect(faultOf(() => parseDown(raw('download-data', new Uint8Array(LONGEST_VALUE + 1))))).toBe(expected);
  });

  it('has a type that its receiver accepts', () => {
    expect(faultOf(() => parseUp(raw('set-session')))).toBe('unknown-type: 0x80 is not a type of message');
    expect(faultOf(() => parseUp(hex('09')))).toBe('unknown-type: 0x09 is not a type of message');
    expect(faultOf(() => parseDown(hex('ff')))).toBe('unknown-type: 0xff is not a type of message');
    expect(faultOf(() => parseDown(raw('upload-data')))).toBe('unknown-type: 0x06 is not a type of message');
    expect(faultOf(() => parseUp(hex('')))).toBe('malformed: the message is empty');
  });
});

describe('the cloud accepts', () => {
  it('sessions with unknown keys and wrong types, and keeps the valid fields', () => {
    const message = raw('create-session', { cbor: map([0x10, 7], [0x01, 5], ['x', 1], [0x0a, -1], [0x7f, null]) });
    expect(parseUp(message)).toEqual({ kind: 'create-session', session: { serial_number: 7 } });
  });

  it('shell answers with missing parts', () => {
    expect(parseUp(raw('upload-shell', { cbor: map() }))).toEqual({
      kind: 'upload-shell',
      messageId: new Uint8Array(16),
      responses: [],
    });
    const responses = [map([2, ['a', 1, 'b']]), 'no response', map([0, 'x'], [9, 9])];
    expect(parseUp(raw('upload-shell', { cbor: map([0, responses], [1, ID]) }))).toEqual({
      kind: 'upload-shell',
      messageId: ID,
      responses: [
        { command: '', result: 0, lines: ['a', 'b'] },
        { command: 'x', result: 0, lines: [] },
      ],
    });
  });

  it('statistics and firmware messages with unknown keys', () => {
    expect(parseUp(raw('upload-stats', { cbor: map([0, 5], [99, 1]) }))).toEqual({
      kind: 'upload-stats',
      stats: { uptime: 5 },
    });
    expect(parseUp(raw('upload-firmware', { cbor: map([1, 'confirmed'], [99, 1]) }))).toEqual({
      kind: 'upload-firmware',
      target: '',
      type: 'confirmed',
    });
  });

  it('data with any body', () => {
    expect(parseUp(raw('upload-data', new Uint8Array(8)))).toEqual({
      kind: 'upload-data',
      hash: '0000000000000000',
      body: new Uint8Array(0),
    });
    expect(faultOf(() => parseUp(raw('upload-data', hex(`${HASH} ff00ff`))))).toBe('accepted');
  });

  it('a config whose hash is not that of its lines, because devices cut long outputs', () => {
    expect(faultOf(() => parseUp(raw('upload-config', hex(`${HASH} 00 9f ff`))))).toBe('accepted');
  });

  it('a codec that it cannot compile, as long as its hash is right', () => {
    const document = hex('00');
    expect(faultOf(() => parseUp(encodeUp({ kind: 'upload-decoder', hash: codecHash(document), document })))).toBe(
      'accepted',
    );
  });
});

describe('the cloud rejects', () => {
  it.each([
    [
      'a session that is not a map',
      raw('create-session', { cbor: [] }),
      'the value of CREATE_SESSION is not a CBOR map',
    ],
    ['a session with leftovers', raw('create-session', { cbor: map() }, hex('00')), '1 byte is left over'],
    ['statistics that are not a map', raw('upload-stats', { cbor: 1 }), 'the value of UPLOAD_STATS is not a CBOR map'],
    [
      'a shell answer without a value',
      raw('upload-shell'),
      'the value of UPLOAD_SHELL is not CBOR: the data ends early',
    ],
    [
      'firmware that is not a map',
      raw('upload-firmware', { cbor: 'x' }),
      'the value of UPLOAD_FIRMWARE is not a CBOR map',
    ],
    ['a request for the time with a value', raw('get-timestamp', hex('00')), 'GET_TIMESTAMP has a value of 1 bytes'],
    ['a config without compression byte', raw('upload-config', hex(HASH)), 'UPLOAD_CONFIG ends before its lines'],
    [
      'a compressed config',
      raw('upload-config', hex(`${HASH} 01 80`)),
      'UPLOAD_CONFIG has the unknown compression "1"',
    ],
    [
      'a config of numbers',
      raw('upload-config', hex(`${HASH} 00 81 00`)),
      'the lines of UPLOAD_CONFIG are not an array of texts',
    ],
    [
      'a config of one text',
      raw('upload-config', hex(`${HASH} 00 60`)),
      'the lines of UPLOAD_CONFIG are not an array of texts',
    ],
    ['a decoder with another hash', raw('upload-decoder', hex(`${HASH} a0`)), `the hash ${HASH}, but it has `],
    ['an encoder with another hash', raw('upload-encoder', hex(`${HASH} a0`)), `the hash ${HASH}, but it has `],
    ['a decoder without document', raw('upload-decoder', hex(HASH)), 'UPLOAD_DECODER has no document'],
    ['data without a hash', raw('upload-data', hex('00')), 'UPLOAD_DATA has only 1 bytes, too few for a hash'],
  ])('%s', (_, message, problem) => {
    expect(faultOf(() => parseUp(message))).toMatch(/^malformed: /);
    expect(faultOf(() => parseUp(message))).toContain(problem);
  });
});

describe('a device accepts', () => {
  it('a session with its keys in any order and of indefinite length, and reads missing texts as empty', () => {
    expect(parseDown(raw('set-session', hex('bf 04 05 00 01 ff')))).toEqual({
      kind: 'set-session',
      sessionId: 1,
      timestamp: 5,
      deviceId: '',
      deviceName: '',
    });
  });

  it('hashes with leading zeros', () => {
    const message = sessionOf({ decoderHash: '00000000000000ff', configHash: '0000000000000000' });
    expect(parseDown(encodeDown(message))).toEqual(message);
  });

  it('names that are too long, and cuts them between two characters', () => {
    const message = sessionOf({ deviceName: `${'x'.repeat(31)}é`, deviceId: 'y'.repeat(40) });
    expect(parseDown(encodeDown(message))).toMatchObject({ deviceName: 'x'.repeat(31), deviceId: 'y'.repeat(36) });
    const fits = sessionOf({ deviceName: 'é'.repeat(16) });
    expect(parseDown(encodeDown(fits))).toEqual(fits);
  });

  it('shell commands without an id', () => {
    expect(parseDown(raw('download-shell', { cbor: map([0, ['x']]) }))).toEqual({
      kind: 'download-shell',
      commands: ['x'],
      messageId: new Uint8Array(16),
    });
  });

  it('a chunk without offset, which is the first', () => {
    const chunk = map([6, 1], [5, hex('00')], [4, 1], [2, ID], [1, 'first'], [0, 'app']);
    expect(parseDown(raw('download-firmware', { cbor: chunk }))).toMatchObject({ type: 'first', offset: 0, size: 1 });
  });
});

describe('a device rejects', () => {
  const chunk = (changes: Readonly<Record<number, CborValue>>) => {
    const fields = { 0: 'app', 1: 'chunk', 2: ID, 4: 1, 5: hex('00'), 6: 1, ...changes };
    return raw('download-firmware', {
      cbor: new Map(Object.entries(fields).map(([key, value]) => [Number(key), value])),
    });
  };

  it.each([
    ['a session with an unknown key', raw('set-session', { cbor: map([0, 1], [7, 1]) }), 'has the unknown key "7"'],
    ['a session with a text key', raw('set-session', { cbor: map(['0', 1]) }), 'has the unknown key "0"'],
    [
      'a negative session id',
      raw('set-session', { cbor: map([0, -1]) }),
      'key 0 of SET_SESSION is not an unsigned integer',
    ],
    ['a hash as text', raw('set-session', { cbor: map([1, HASH]) }), 'key 1 of SET_SESSION is not an unsigned integer'],
    ['a time of 4 bytes', raw('set-timestamp', new Uint8Array(4)), 'SET_TIMESTAMP has 4 bytes, not 8'],
    ['a config of no line', raw('download-config', hex('00 80')), 'DOWNLOAD_CONFIG has only 2 bytes'],
    ['a compressed config', raw('download-config', hex('01 81 60')), 'the unknown compression "1"'],
    [
      'a config line of 256 bytes',
      encodeDown({ kind: 'download-config', lines: ['é'.repeat(128)] }),
      'DOWNLOAD_CONFIG has a line of 256 bytes; at most 255 are possible',
    ],
    [
      'shell commands that do not come first',
      raw('download-shell', { cbor: map([1, ID], [0, ['x']]) }),
      'DOWNLOAD_SHELL does not begin with its commands',
    ],
    ['no shell commands', raw('download-shell', { cbor: map() }), 'DOWNLOAD_SHELL does not begin with its commands'],
    [
      'a shell id of 15 bytes',
      raw('download-shell', { cbor: map([0, []], [1, ID.slice(1)]) }),
      'an id of 15 bytes, not 16',
    ],
    [
      'shell commands that are numbers',
      raw('download-shell', { cbor: map([0, [1]]) }),
      'the lines of DOWNLOAD_SHELL are not an array of texts',
    ],
    [
      'a shell command of 256 bytes',
      encodeDown({ kind: 'download-shell', commands: ['x'.repeat(256)], messageId: ID }),
      'DOWNLOAD_SHELL has a line of 256 bytes',
    ],
    ['a chunk without the size of the image', chunk({ 6: 0 }), 'does not state the size of the image'],
    ['a chunk of another length', chunk({ 4: 2 }), 'announces 2 bytes and has 1'],
    ['a chunk with a short id', chunk({ 2: hex('00') }), 'has an id of 1 bytes, not 16'],
    ['a chunk for a long target', chunk({ 0: 'bootloader' }), 'has a target of more than 7 characters'],
    ['a chunk of a long type', chunk({ 1: 'chunkchunk' }), 'has a type of more than 9 characters'],
  ])('%s', (_, message, problem) => {
    expect(faultOf(() => parseDown(message))).toMatch(/^malformed: /);
    expect(faultOf(() => parseDown(message))).toContain(problem);
  });
});

it('a result of 0 is not written into a shell answer', () => {
  const answer = (result: number) =>
    encodeUp({ kind: 'upload-shell', messageId: ID, responses: [{ command: 'x', result, lines: [] }] });
  expect(answer(0).length).toBe(answer(-22).length - 2);
});

function sessionOf(changes: Partial<SetSession>): SetSession {
  return { kind: 'set-session', sessionId: 1, timestamp: 2, deviceId: 'id', deviceName: 'name', ...changes };
}
