/** Downlinks as stored bodies, and as messages. */
import { describe, expect, it } from 'vitest';
import { buildDownMessage, requestBody, type SessionBody } from '../../../src/cloud/delivery/down-messages.js';
import { compileCodec } from '../../../src/protocol/codec.js';
import { decodeBody } from '../../../src/protocol/decode.js';
import { uuidBytes } from '../../../src/protocol/uuid.js';

const ID = '0197a3b1-0000-7000-8000-000000000001';
const ENCODER = compileCodec({
  version: 2,
  type: 'encoder',
  name: 'test',
  schema: [{ name: 'relay', value: [{ name: '$type', value: 'int' }] }],
});

it.each([
  [{ type: 'config', lines: ['app config a 1'] } as const, ['app config a 1']],
  [{ type: 'shell', commands: ['info show'] } as const, ['info show']],
  [{ type: 'data', body: { relay: 1 } } as const, { relay: 1 }],
  [{ type: 'data', raw: 'a10001' } as const, null],
])('the stored body of a request has its lines, commands or fields, or is null for raw bytes: %j', (request, body) => {
  expect(requestBody(request)).toEqual(body);
});

describe('a downlink becomes a message', () => {
  it('with lines for a configuration', () => {
    const lines = ['app config a 1'];
    expect(buildDownMessage({ id: ID, type: 'config', body: lines, raw: null }, 0, undefined)).toEqual({
      kind: 'download-config',
      lines,
    });
  });

  it('with its id for shell commands', () => {
    const commands = ['info show'];
    const expected = { kind: 'download-shell', commands, messageId: uuidBytes(ID) };
    expect(buildDownMessage({ id: ID, type: 'shell', body: commands, raw: null }, 0, undefined)).toEqual(expected);
  });

  it('with the hash of the encoder for data', () => {
    const message = buildDownMessage({ id: ID, type: 'data', body: { relay: 1 }, raw: null }, 0, ENCODER);
    if (message.kind !== 'download-data') throw new Error(message.kind);
    expect(message.hash).toBe(ENCODER.hash);
    expect(decodeBody(ENCODER, message.body)).toEqual({ relay: 1 });
  });

  it('with raw bytes and a hash of zeros for data that are not to be encoded', () => {
    const message = buildDownMessage({ id: ID, type: 'data', body: null, raw: 'a10001' }, 0, undefined);
    const body = Buffer.from('a10001', 'hex');
    expect(message).toEqual({ kind: 'download-data', hash: '0000000000000000', body });
  });

  it('except for data without an encoder, and for an unknown type', () => {
    const data = { id: ID, type: 'data', body: {}, raw: null };
    expect(() => buildDownMessage(data, 0, undefined)).toThrow('the device has not uploaded its encoder');
    expect(() => buildDownMessage({ ...data, type: 'smoke' }, 0, ENCODER)).toThrow('unknown downlink type "smoke"');
  });

  it('with the time in whole seconds', () => {
    const row = { id: ID, type: 'timestamp', body: null, raw: null };
    expect(buildDownMessage(row, 12_999, undefined)).toEqual({ kind: 'set-timestamp', timestamp: 12 });
  });

  it('with the hashes that the session knows', () => {
    const body: SessionBody = {
      ...{ session_id: 7, device_id: ID, device_name: 'north', decoder_hash: null, encoder_hash: null },
      config_hash: null,
    };
    const message = (more: Partial<SessionBody>) =>
      buildDownMessage({ id: ID, type: 'session', body: { ...body, ...more }, raw: null }, 12_999, undefined);
    const base = { kind: 'set-session', sessionId: 7, timestamp: 12, deviceId: ID, deviceName: 'north' };
    expect(message({})).toEqual(base);
    expect(message({ decoder_hash: 'd' })).toEqual({ ...base, decoderHash: 'd' });
    expect(message({ encoder_hash: 'e' })).toEqual({ ...base, encoderHash: 'e' });
    expect(message({ config_hash: 'c' })).toEqual({ ...base, configHash: 'c' });
  });
});
