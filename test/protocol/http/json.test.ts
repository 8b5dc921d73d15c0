/** The JSON of each message, field by field (cloud C-41). */
import { describe, expect, it } from 'vitest';
import { encodeCbor } from '../../../src/protocol/cbor.js';
import { codecHash, configHash } from '../../../src/protocol/hashes.js';
import { downFromJson, downToJson } from '../../../src/protocol/http/downlinks.js';
import { upFromJson, upToJson } from '../../../src/protocol/http/uplinks.js';
import { type DownMessage, MessageError, type UpMessage } from '../../../src/protocol/messages/index.js';
import { uuidBytes } from '../../../src/protocol/uuid.js';

const UUID = '0197a3b0-1c2d-7e3f-8a4b-5c6d7e8f9a0b';
const OTHER = '0197a3b0-1c2d-7e3f-8a4b-5c6d7e8f9a0c';
const HASH = '92fd3c69aa00bb11';
const DOCUMENT = new Map([['version', 2]]);
const CBOR = encodeCbor(DOCUMENT);
const CBOR_TEXT = Buffer.from(CBOR).toString('base64');

describe('an uplink', () => {
  it.each<[UpMessage, object]>([
    [
      { kind: 'create-session', session: { serial_number: 7, fw_version: 'v1', imei: '350457790000000' } },
      { type: 'session', body: { serial_number: 7, fw_version: 'v1', imei: '350457790000000' } },
    ],
    [
      { kind: 'upload-data', hash: HASH, body: Uint8Array.of(0xbf, 0, 1) },
      { type: 'data', codec_hash: HASH, cbor: 'vwAB' },
    ],
    [
      { kind: 'upload-decoder', hash: codecHash(CBOR), document: CBOR },
      { type: 'decoder', codec_hash: codecHash(CBOR), cbor: CBOR_TEXT },
    ],
    [
      { kind: 'upload-encoder', hash: codecHash(CBOR), document: CBOR },
      { type: 'encoder', codec_hash: codecHash(CBOR), cbor: CBOR_TEXT },
    ],
    [
      { kind: 'upload-config', hash: HASH, lines: ['app config a 1'] },
      { type: 'config', hash: HASH, body: ['app config a 1'] },
    ],
    [
      { kind: 'upload-shell', messageId: uuidBytes(UUID), responses: [{ command: 'x', result: -8, lines: ['y'] }] },
      { type: 'shell', body: { message_id: UUID, responses: [{ command: 'x', result: -8, outputs: ['y'] }] } },
    ],
    [
      { kind: 'upload-stats', stats: { uptime: 12, rsrp: -90 } },
      { type: 'stats', body: { uptime: 12, rsrp: -90 } },
    ],
    [
      {
        ...{ kind: 'upload-firmware', target: 'app', type: 'next', updateId: uuidBytes(UUID) },
        ...{ offset: 256, maxLength: 512, firmware: 'f', error: 'e' },
      },
      {
        type: 'firmware',
        body: {
          ...{ target: 'app', type: 'next', update_id: UUID },
          ...{ offset: 256, max_length: 512, firmware: 'f', error: 'e' },
        },
      },
    ],
    [
      { kind: 'upload-firmware', target: 'app', type: 'ack' },
      { type: 'firmware', body: { target: 'app', type: 'ack' } },
    ],
    [{ kind: 'get-timestamp' }, { type: 'timestamp' }],
  ])('%j is written as JSON and read back', (message, json) => {
    expect(upToJson(message)).toStrictEqual(json);
    expect(upFromJson(json)).toStrictEqual(message);
  });

  it('with decoded data has the body unchanged', () => {
    const body = { temperature: 21.5, list: [null, true] };
    expect(upFromJson({ type: 'data', body })).toEqual({ kind: 'decoded-data', body });
  });

  it('with a codec document may have the document as JSON, and no hash', () => {
    const expected = { kind: 'upload-decoder', hash: codecHash(CBOR), document: CBOR };
    expect(upFromJson({ type: 'decoder', body: { version: 2 } })).toEqual(expected);
    expect(upFromJson({ type: 'decoder', cbor: CBOR_TEXT })).toEqual(expected);
    const nested = { name: 'a', schema: [{ b: null }, 1, true, ['c']] };
    const document = encodeCbor(
      new Map<string, string | (Map<string, null> | number | boolean | string[])[]>([
        ['name', 'a'],
        ['schema', [new Map([['b', null]]), 1, true, ['c']]],
      ]),
    );
    expect(upFromJson({ type: 'encoder', body: nested })).toMatchObject({ kind: 'upload-encoder', document });
  });

  it('with a configuration may have no hash', () => {
    const lines = ['app config a 1'];
    expect(upFromJson({ type: 'config', body: lines })).toEqual({
      kind: 'upload-config',
      hash: configHash(lines),
      lines,
    });
  });

  it('has defaults for the fields of a shell response and for the target of a firmware report', () => {
    const shell = { type: 'shell', body: { message_id: UUID, responses: [{}] } };
    expect(upFromJson(shell)).toMatchObject({ responses: [{ command: '', result: 0, lines: [] }] });
    expect(upFromJson({ type: 'firmware', body: { type: 'ack' } })).toEqual({
      ...{ kind: 'upload-firmware', target: 'app', type: 'ack' },
    });
    expect(upFromJson({ type: 'firmware', body: { type: 'ack', target: 'boot' } })).toMatchObject({ target: 'boot' });
  });

  it('has only the facts and statistics that are known', () => {
    expect(upFromJson({ type: 'session', body: { fw_version: 'v1', smoke: 1 } })).toEqual({
      ...{ kind: 'create-session', session: { fw_version: 'v1' } },
    });
    expect(upFromJson({ type: 'stats', body: { uptime: 1, smoke: 2 } })).toEqual({
      ...{ kind: 'upload-stats', stats: { uptime: 1 } },
    });
  });

  it.each([
    [[], 'body is not a JSON object'],
    [{}, 'body needs "type"'],
    [{ type: 'session' }, 'body needs "body"'],
    [{ type: 'shell' }, 'body needs "body"'],
    [{ type: 'stats' }, 'body needs "body"'],
    [{ type: 'firmware' }, 'body needs "body"'],
    [{ type: 'config' }, 'body needs "body"'],
    [{ type: 'decoder' }, 'body needs "cbor"'],
    [{ type: 'data' }, 'data needs a "body", or "cbor" and "codec_hash"'],
    [{ type: 'data', cbor: 'vwAB' }, 'body needs "codec_hash"'],
    [{ type: 'firmware', body: {} }, 'body/body needs "type"'],
    [{ type: 'shell', body: { message_id: UUID } }, 'body/body needs "responses"'],
    [{ type: 'shell', body: { responses: [] } }, 'body/body needs "message_id"'],
    [{ type: 'shell', body: { responses: [{}, 1] } }, 'body/body/responses/1 is not a JSON object'],
    [{ type: 'session', body: { serial_number: -1 } }, 'body/body/serial_number -1 is not a whole number from 0'],
    [{ type: 'session', body: { imei: 1 } }, 'body/body/imei 1 is not a text of up to 19 digits'],
    [{ type: 'session', body: { fw_version: 1 } }, 'body/body/fw_version 1 is not a text'],
    [
      { type: 'decoder', cbor: CBOR_TEXT, codec_hash: HASH },
      `body/codec_hash "${HASH}" is not that of the decoder: ${codecHash(CBOR)}`,
    ],
  ])('%j is rejected with the reason', (json, reason) => {
    expect(() => upFromJson(json)).toThrow(new MessageError('malformed', reason));
  });

  it('of an unknown type is rejected, with at most 40 characters of the type in the error', () => {
    const types = 'session, data, config, decoder, encoder, shell, stats, firmware, timestamp';
    const read = () => upFromJson({ type: `${'x'.repeat(40)}y` });
    expect(read).toThrow(new MessageError('unknown-type', `body/type "${'x'.repeat(40)}" is not one of ${types}`));
  });
});

describe('a downlink', () => {
  const session: DownMessage = {
    ...{ kind: 'set-session', sessionId: 5, timestamp: 6, deviceId: 'id', deviceName: 'name' },
  };
  const chunk = { target: 'app', type: 'chunk', offset: 256, size: 300 };

  it.each<[DownMessage, string, object]>([
    [
      { ...session, decoderHash: HASH, encoderHash: 'e'.repeat(16), configHash: 'c'.repeat(16) },
      'session',
      {
        ...{ session_id: 5, decoder_hash: HASH, encoder_hash: 'e'.repeat(16), config_hash: 'c'.repeat(16) },
        ...{ timestamp: 6, device_id: 'id', device_name: 'name' },
      },
    ],
    [
      session,
      'session',
      {
        ...{ session_id: 5, decoder_hash: null, encoder_hash: null, config_hash: null },
        ...{ timestamp: 6, device_id: 'id', device_name: 'name' },
      },
    ],
    [{ kind: 'set-timestamp', timestamp: 7 }, 'timestamp', { timestamp: 7 }],
    [{ kind: 'download-config', lines: ['a'] }, 'config', ['a']],
    [{ kind: 'download-shell', commands: ['b'], messageId: uuidBytes(UUID) }, 'shell', ['b']],
    [
      { kind: 'download-firmware', ...chunk, updateId: uuidBytes(OTHER), data: Uint8Array.of(0, 1) },
      'firmware',
      { ...chunk, update_id: OTHER, data: 'AAE=' },
    ],
  ])('%j is written as JSON and read back', (message, type, body) => {
    const json = downToJson(UUID, message, 'of data only');
    expect(json).toEqual({ id: UUID, type, body });
    expect(downFromJson(json)).toEqual({ id: UUID, message });
  });

  it('with data has the values before they were encoded, and the encoded values', () => {
    const message: DownMessage = { kind: 'download-data', hash: HASH, body: Uint8Array.of(0, 1) };
    const json = downToJson(UUID, message, { relay: 1 });
    expect(json).toEqual({ id: UUID, type: 'data', body: { relay: 1 }, codec_hash: HASH, cbor: 'AAE=' });
    expect(downFromJson(json)).toEqual({ id: UUID, message });
  });

  it('has defaults for the fields of a session and of a chunk', () => {
    expect(downFromJson({ id: UUID, type: 'session', body: {} }).message).toEqual({
      ...{ kind: 'set-session', sessionId: 0, timestamp: 0, deviceId: '', deviceName: '' },
    });
    expect(downFromJson({ id: UUID, type: 'firmware', body: { update_id: OTHER } }).message).toEqual({
      ...{ kind: 'download-firmware', target: '', type: '', updateId: uuidBytes(OTHER) },
      ...{ offset: 0, data: new Uint8Array(0), size: 0 },
    });
  });

  it.each([
    [null, 'downlink is not a JSON object'],
    [{}, 'downlink needs "id"'],
    [{ id: UUID }, 'downlink needs "type"'],
    [{ id: UUID, type: 'session' }, 'downlink needs "body"'],
    [{ id: UUID, type: 'timestamp' }, 'downlink needs "body"'],
    [{ id: UUID, type: 'timestamp', body: {} }, 'downlink/body needs "timestamp"'],
    [{ id: UUID, type: 'config' }, 'downlink needs "body"'],
    [{ id: UUID, type: 'shell' }, 'downlink needs "body"'],
    [{ id: UUID, type: 'firmware' }, 'downlink needs "body"'],
    [{ id: UUID, type: 'firmware', body: {} }, 'downlink/body needs "update_id"'],
    [{ id: UUID, type: 'data' }, 'downlink needs "codec_hash"'],
    [{ id: UUID, type: 'data', codec_hash: HASH }, 'downlink needs "cbor"'],
  ])('%j is rejected with the reason', (json, reason) => {
    expect(() => downFromJson(json)).toThrow(new MessageError('malformed', reason));
  });

  it('of an unknown type is rejected, with at most 40 characters of the type in the error', () => {
    const read = () => downFromJson({ id: UUID, type: `${'x'.repeat(40)}y` });
    expect(read).toThrow(new MessageError('unknown-type', `"${'x'.repeat(40)}" is not a type of downlink`));
  });
});
