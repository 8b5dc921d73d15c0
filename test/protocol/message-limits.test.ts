/** Lengths that just fit, missing fields, and the names in the errors of messages. */
import { describe, expect, it } from 'vitest';
import { type CborValue, encodeCbor } from '../../src/protocol/cbor.js';
import { codecHash } from '../../src/protocol/hashes.js';
import {
  encodeDown,
  type MalformedSession,
  MessageError,
  parseDown,
  parseUp,
  TYPE,
} from '../../src/protocol/messages/index.js';
import { hex, map } from './fixtures.js';

const ID = new Uint8Array(16);
const raw = (kind: keyof typeof TYPE, cbor: CborValue) => Uint8Array.of(TYPE[kind], ...encodeCbor(cbor));

describe('a device accepts', () => {
  it('lines of 255 bytes', () => {
    const lines = ['x'.repeat(255)];
    expect(parseDown(encodeDown({ kind: 'download-config', lines }))).toEqual({ kind: 'download-config', lines });
  });

  it('a firmware chunk with a target of 7 characters and a type of 9 characters, and a chunk without both', () => {
    const chunk = map([0, 'a'.repeat(7)], [1, 'b'.repeat(9)], [2, ID], [6, 1]);
    const expected = { kind: 'download-firmware', updateId: ID, offset: 0, data: new Uint8Array(0), size: 1 };
    expect(parseDown(raw('download-firmware', chunk))).toEqual({
      ...{ ...expected, target: 'a'.repeat(7), type: 'b'.repeat(9) },
    });
    expect(parseDown(raw('download-firmware', map([2, ID], [6, 1])))).toEqual({ ...expected, target: '', type: '' });
  });

  it('a session without hashes, and reads it without the fields for hashes', () => {
    const message = parseDown(raw('set-session', map([0, 1])));
    expect(message).toStrictEqual({
      ...{ kind: 'set-session', sessionId: 1, timestamp: 0, deviceId: '', deviceName: '' },
    });
  });
});

describe('the cloud accepts', () => {
  it('a firmware message without fields', () => {
    expect(parseUp(raw('upload-firmware', map()))).toStrictEqual({ kind: 'upload-firmware', target: '', type: '' });
  });

  it('sessions and statistics without fields', () => {
    expect(parseUp(raw('create-session', map()))).toStrictEqual({ kind: 'create-session', session: {} });
    expect(parseUp(raw('upload-stats', map()))).toStrictEqual({ kind: 'upload-stats', stats: {} });
  });

  it('a shell response without outputs', () => {
    expect(parseUp(raw('upload-shell', map([0, [map()]])))).toMatchObject({ responses: [{ lines: [] }] });
  });
});

describe('a message is rejected', () => {
  it.each([
    [raw('set-session', map([4, 'x'])), 'key 4 of SET_SESSION is not an integer of 64 bits'],
    [raw('set-session', map([5, 1])), 'key 5 of SET_SESSION is not a text'],
    [raw('set-session', map([1, '5'])), 'key 1 of SET_SESSION is not an unsigned integer'],
    [raw('set-session', map([1, -(2n ** 60n)])), 'key 1 of SET_SESSION is not an unsigned integer'],
    [raw('set-session', []), 'the value of SET_SESSION is not a CBOR map'],
    [raw('download-shell', map([0, 'x'])), 'key 0 of DOWNLOAD_SHELL is not an array'],
    [raw('download-shell', map([0, []], [1, 'x'])), 'key 1 of DOWNLOAD_SHELL is not a byte string'],
    [raw('download-shell', map([0, []], [2, 1])), 'DOWNLOAD_SHELL has the unknown key "2"'],
    [raw('download-shell', []), 'the value of DOWNLOAD_SHELL is not a CBOR map'],
    [raw('download-firmware', map([7, 1])), 'DOWNLOAD_FIRMWARE has the unknown key "7"'],
    [raw('download-firmware', []), 'the value of DOWNLOAD_FIRMWARE is not a CBOR map'],
    [Uint8Array.of(TYPE['download-config'], 0, 0x81, 1), 'the lines of DOWNLOAD_CONFIG are not an array of texts'],
  ])('by a device, with the field in the error (%#)', (message, reason) => {
    expect(() => parseDown(message)).toThrow(
      expect.objectContaining({ name: 'MessageError', fault: 'malformed', message: reason }),
    );
  });

  it('by a device, which keeps the fields of SET_SESSION before the error', () => {
    const [id, time, name] = [
      [0, 7],
      [4, 2n ** 63n],
      [6, 'late'],
    ] as const;
    const kept = (...entries: readonly (readonly [number, CborValue])[]) => {
      try {
        return parseDown(raw('set-session', map(...entries)));
      } catch (error) {
        return (error as MalformedSession).session;
      }
    };
    const nothing = { kind: 'set-session', sessionId: 0, timestamp: 0, deviceId: '', deviceName: '' };
    expect(kept(id, name, time)).toStrictEqual({ ...nothing, sessionId: 7, deviceName: 'late' });
    expect(kept(id, time, name)).toStrictEqual({ ...nothing, sessionId: 7 });
    expect(kept(time, id)).toStrictEqual(nothing);
    expect(kept([0, 2 ** 32])).toStrictEqual(nothing);
  });

  it('by the cloud, with the codec in the error', () => {
    const empty = (kind: 'upload-decoder' | 'upload-encoder') => () =>
      parseUp(Uint8Array.of(TYPE[kind], ...hex(codecHash(new Uint8Array(0)))));
    expect(empty('upload-decoder')).toThrow('UPLOAD_DECODER has no document');
    expect(empty('upload-encoder')).toThrow('UPLOAD_ENCODER has no document');
  });

  it('with an error named MessageError', () => {
    expect(new MessageError('malformed', 'x').name).toBe('MessageError');
  });
});
