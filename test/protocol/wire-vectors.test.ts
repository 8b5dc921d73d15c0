/**
 * The test vectors of the wire protocol in wire-vectors.json. Its values were computed from the specification and checked with
 * an independent implementation. The packets and dialogues of the vectors are tested in test/protocol/flap/.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CborWriter } from '../../src/protocol/cbor.js';
import { type Codec, compileCodec, readCodec } from '../../src/protocol/codec.js';
import { decodeBody } from '../../src/protocol/decode.js';
import { encodeBody } from '../../src/protocol/encode.js';
import { codecHash, configHash, configTextHash } from '../../src/protocol/hashes.js';
import {
  type DownMessage,
  encodeDown,
  encodeUp,
  parseDown,
  parseUp,
  type UpMessage,
} from '../../src/protocol/messages/index.js';
import { field, hex, modifier, toHex } from './fixtures.js';

interface Vectors {
  readonly messages: Readonly<Record<string, string>>;
  readonly decoderCbor: string;
  readonly decoderHash: string;
  readonly encoderCbor: string;
  readonly encoderHash: string;
  readonly configText: string;
  readonly configHash: string;
  readonly uploadDataJson: unknown;
  readonly keyTable: readonly string[];
}

const file = readFileSync(new URL('./wire-vectors.json', import.meta.url), 'utf8');
const vectors: Vectors = JSON.parse(file).computed;

const DECODER_HASH = 'cb411dec4d19295c';
const ENCODER_HASH = '7eab77a44ba052c2';
const CONFIG_HASH = '3c6933ec763f773e';
const DEVICE_ID = '0197a3b0-1c2d-7e3f-8a4b-5c6d7e8f9a0b';
const SHELL_ID = hex('0197a3b1000070008000000000000001');
const UPDATE_ID = hex('0197a3b2000070008000000000000002');
const CONFIG_LINES = ['app config interval-report 1800', 'app config interval-poll 0', 'lte config apn "hardwario"'];
const IMAGE = Uint8Array.from({ length: 300 }, (_, i) => i % 256);

/** Every message of the file, under its name there. */
const up: Readonly<Record<string, UpMessage>> = {
  create: {
    kind: 'create-session',
    session: {
      watchdog_timeout: 0,
      serial_number: 2159017986,
      vendor_name: 'HARDWARIO',
      product_name: 'CHESTER-M',
      hw_variant: 'CGLS',
      hw_revision: 'R3.4',
      fw_bundle: 'com.example.vdev',
      fw_name: 'vdev',
      fw_version: 'v1.2.3',
      ble_passkey: '123456',
      imei: '350123456789012',
      imsi: '901288000000001',
      iccid: '8988228066600000001',
      modem_fw_version: 'v1.7.0',
    },
  },
  upCfg: { kind: 'upload-config', hash: CONFIG_HASH, lines: CONFIG_LINES },
  upDec: { kind: 'upload-decoder', hash: DECODER_HASH, document: hex(vectors.decoderCbor) },
  upEnc: { kind: 'upload-encoder', hash: ENCODER_HASH, document: hex(vectors.encoderCbor) },
  stats: {
    kind: 'upload-stats',
    stats: {
      uptime: 3600,
      eest: 7,
      ecl: 0,
      rsrp: -95,
      rsrq: -6,
      snr: 2,
      plmn: 23003,
      cid: 658209,
      band: 20,
      earfcn: 6447,
    },
  },
  upShell: {
    kind: 'upload-shell',
    messageId: SHELL_ID,
    responses: [
      { command: 'app config show', result: 0, lines: CONFIG_LINES.slice(0, 2) },
      { command: 'foo', result: -8, lines: ['foo: command not found'] },
    ],
  },
  upDl: {
    kind: 'upload-firmware',
    target: 'app',
    type: 'download',
    maxLength: 256,
    firmware: 'af637aa1c5b842c18f9b10b070cb0292',
  },
  upNext: { kind: 'upload-firmware', target: 'app', type: 'next', updateId: UPDATE_ID, offset: 256, maxLength: 16128 },
  upSwap: { kind: 'upload-firmware', target: 'app', type: 'swap', updateId: UPDATE_ID, offset: 300 },
  upAck: { kind: 'upload-firmware', target: 'app', type: 'ack', updateId: UPDATE_ID },
  upErr: {
    kind: 'upload-firmware',
    target: 'app',
    type: 'error',
    updateId: UPDATE_ID,
    error: 'offset mismatch (device was rebooted)',
  },
};

const down: Readonly<Record<string, DownMessage>> = {
  set: { kind: 'set-session', sessionId: 1750000000, timestamp: 1750000001, deviceId: DEVICE_ID, deviceName: 'vdev-1' },
  set2: {
    kind: 'set-session',
    sessionId: 1750003600,
    decoderHash: DECODER_HASH,
    encoderHash: ENCODER_HASH,
    configHash: CONFIG_HASH,
    timestamp: 1750003601,
    deviceId: DEVICE_ID,
    deviceName: 'vdev-1',
  },
  dlTs: { kind: 'set-timestamp', timestamp: 1750000002 },
  dlCfg: { kind: 'download-config', lines: ['app config interval-report 900'] },
  dlData: { kind: 'download-data', hash: ENCODER_HASH, body: hex('a2 00 01 01 62 6869') },
  dlShell: { kind: 'download-shell', commands: ['app config show', 'foo'], messageId: SHELL_ID },
  chunk0: {
    kind: 'download-firmware',
    target: 'app',
    type: 'chunk',
    updateId: UPDATE_ID,
    offset: 0,
    data: IMAGE.slice(0, 256),
    size: 300,
  },
  chunk1: {
    kind: 'download-firmware',
    target: 'app',
    type: 'chunk',
    updateId: UPDATE_ID,
    offset: 256,
    data: IMAGE.slice(256),
    size: 300,
  },
};

describe('messages of the vectors', () => {
  it.each(Object.entries(up))('uplink %s is written byte for byte, and read back', (name, message) => {
    expect(toHex(encodeUp(message))).toBe(vectors.messages[name]);
    expect(parseUp(hex(vectors.messages[name] ?? ''))).toEqual(message);
  });

  it.each(Object.entries(down))('downlink %s is written byte for byte, and read back', (name, message) => {
    expect(toHex(encodeDown(message))).toBe(vectors.messages[name]);
    expect(parseDown(hex(vectors.messages[name] ?? ''))).toEqual(message);
  });

  it('leave no message out', () => {
    const tested = [...Object.keys(up), ...Object.keys(down), 'upData'];
    expect(tested.sort()).toEqual(Object.keys(vectors.messages).sort());
  });
});

describe('codecs of the vectors', () => {
  const decoder = readCodec(hex(vectors.decoderCbor));

  it('a decoder document is written byte for byte from its text form', () => {
    const hundredths = [modifier('$div', 100), modifier('$fpp', 2)];
    const { bytes } = compileCodec({
      version: 2,
      type: 'decoder',
      name: 'com.example.vdev',
      schema: [
        field('message', field('version'), field('sequence'), field('timestamp')),
        field('system', field('uptime'), field('voltage_rest', modifier('$div', 1000), modifier('$fpp', 2))),
        field(
          'door',
          field('state', modifier('$enum', ['closed', 'open'])),
          field('events', modifier('$tso', [field('type', modifier('$enum', ['closed', 'opened']))])),
        ),
        field(
          'hygrometer',
          field(
            'temperature',
            field(
              'samples',
              modifier('$key', 'measurements'),
              modifier('$tsp', [field('min', ...hundredths), field('max', ...hundredths), field('avg', ...hundredths)]),
            ),
          ),
        ),
        field(
          'probes',
          field('serial_number'),
          field('calc', modifier('$mul', 2), modifier('$add', 5), modifier('$sub', 1)),
        ),
        field('blob'),
      ],
    });
    expect(toHex(bytes)).toBe(vectors.decoderCbor);
  });

  it('documents have the hashes of the vectors', () => {
    expect(codecHash(hex(vectors.decoderCbor))).toBe(vectors.decoderHash);
    expect(codecHash(hex(vectors.encoderCbor))).toBe(vectors.encoderHash);
    expect(decoder.hash).toBe(vectors.decoderHash);
  });

  it('documents are the same after reading and writing', () => {
    for (const document of [vectors.decoderCbor, vectors.encoderCbor]) {
      expect(toHex(compileCodec(readCodec(hex(document)).document).bytes)).toBe(document);
    }
  });

  it('fields have the numbers of the key table', () => {
    expect(decoder.keys.map(({ number, path }) => `${number} ${path}`)).toEqual(vectors.keyTable);
    expect(decoder.numbers.get('hygrometer.temperature.samples')).toBe(12);
    expect(decoder.numbers.get('hygrometer.temperature.samples.min')).toBeUndefined();
  });

  it('the data message decodes to the JSON', () => {
    const message = parseUp(hex(vectors.messages.upData ?? ''));
    if (message.kind !== 'upload-data') throw new Error(`a ${message.kind} instead of data`);
    expect(message.hash).toBe(decoder.hash);
    expect(decodeBody(decoder, message.body)).toEqual(vectors.uploadDataJson);
    expect(toHex(encodeUp(message))).toBe(vectors.messages.upData);
  });

  it('the data message is written byte for byte by a device', () => {
    expect(toHex(writeUploadData(decoder))).toBe(vectors.messages.upData?.slice(2 + 16));
  });

  it('the data downlink is encoded from JSON', () => {
    const encoder = readCodec(hex(vectors.encoderCbor));
    const body = encodeBody(encoder, { relay: 1, label: 'hi' });
    expect(toHex(encodeDown({ kind: 'download-data', hash: encoder.hash, body }))).toBe(vectors.messages.dlData);
  });
});

it('the configuration of the vectors has the hash that the vectors contain', () => {
  expect(vectors.configText).toBe(`\r\n${CONFIG_LINES.join('\r\n')}\r\n`);
  expect(configTextHash(vectors.configText)).toBe(vectors.configHash);
  expect(configHash(CONFIG_LINES)).toBe(vectors.configHash);
});

/** Writes the body of the example as firmware would, key by key. */
function writeUploadData(codec: Codec): Uint8Array {
  const writer = new CborWriter();
  const key = (path: string): void => writer.key(codec.numbers.get(path) ?? Number.NaN);
  const integer = (path: string, value: number): void => {
    key(path);
    writer.int(value);
  };
  const series = (path: string, values: readonly (number | null)[]): void => {
    key(path);
    writer.beginArray();
    for (const value of values) value === null ? writer.null() : writer.int(value);
    writer.endArray();
  };
  writer.beginMap();
  key('message');
  writer.beginMap();
  integer('message.version', 1);
  integer('message.sequence', 7);
  integer('message.timestamp', 1750000100);
  writer.endMap();
  key('system');
  writer.beginMap();
  integer('system.uptime', 99);
  integer('system.voltage_rest', 3606);
  writer.endMap();
  key('door');
  writer.beginMap();
  integer('door.state', 1);
  series('door.events', [1750000010, 0, 1, 0, 0, 1, 1]);
  writer.endMap();
  key('hygrometer');
  writer.beginMap();
  key('hygrometer.temperature');
  writer.beginMap();
  series('hygrometer.temperature.samples', [1749999800, 150, 2150, 2260, 2205, -50, null, 10]);
  writer.endMap();
  writer.endMap();
  key('probes');
  writer.beginArray();
  writer.beginMap();
  integer('probes.serial_number', 1234567890123);
  integer('probes.calc', 10);
  writer.endMap();
  writer.beginMap();
  integer('probes.serial_number', 1);
  key('probes.calc');
  writer.null();
  writer.endMap();
  writer.endArray();
  key('blob');
  writer.bytes(hex('cafe'));
  writer.endMap();
  return writer.finish();
}
