/** Messages as JSON and back: the firmware on an HTTP link must not notice the difference (cloud C-41). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codecHash } from '../../../src/protocol/hashes.js';
import { downFromJson, downToJson } from '../../../src/protocol/http/downlinks.js';
import { decodeRequest, decodeResponse, encodeRequest, encodeResponse } from '../../../src/protocol/http/frames.js';
import { upFromJson, upToJson } from '../../../src/protocol/http/uplinks.js';
import {
  type DownMessage,
  encodeDown,
  encodeUp,
  MessageError,
  type UpMessage,
} from '../../../src/protocol/messages/index.js';
import { uuidBytes } from '../../../src/protocol/uuid.js';

const uuid = fc.uuid({ version: 7 });
const hash = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const bytes = fc.uint8Array({ maxLength: 60 });
const count = fc.integer({ min: 0, max: 4_000_000 });
const lines = fc.array(fc.string({ maxLength: 40 }), { maxLength: 5 });

const upMessage: fc.Arbitrary<UpMessage> = fc.oneof(
  fc.constant<UpMessage>({ kind: 'get-timestamp' }),
  fc.record({ kind: fc.constant('upload-data' as const), hash, body: bytes }),
  fc.record({ kind: fc.constant('upload-config' as const), hash, lines }),
  fc
    .tuple(
      fc.constantFrom('upload-decoder' as const, 'upload-encoder' as const),
      fc.uint8Array({ minLength: 1, maxLength: 60 }),
    )
    .map(([kind, document]): UpMessage => ({ kind, hash: codecHash(document), document })),
  fc.record({
    kind: fc.constant('upload-shell' as const),
    messageId: uuid.map(uuidBytes),
    responses: fc.array(fc.record({ command: fc.string(), result: fc.integer(), lines }), { maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant('upload-stats' as const),
    stats: fc.record({ uptime: count, rsrp: fc.integer({ min: -140, max: 0 }) }),
  }),
  fc
    .record({
      type: fc.constantFrom('next', 'swap', 'ack'),
      updateId: uuid.map(uuidBytes),
      offset: count,
      maxLength: count,
    })
    .map((report): UpMessage => ({ kind: 'upload-firmware', target: 'app', ...report })),
  fc.constant<UpMessage>({ kind: 'upload-firmware', target: 'app', type: 'download', maxLength: 256, firmware: 'f00' }),
  fc
    .record({
      serial_number: count,
      fw_version: fc.string(),
      imei: fc.bigInt({ min: 1n, max: 999_999_999_999_999n }).map((n) => n.toString().padStart(15, '0')),
    })
    .map((session): UpMessage => ({ kind: 'create-session', session })),
);

const downMessage = (id: string): fc.Arbitrary<DownMessage> =>
  fc.oneof(
    fc.record({ kind: fc.constant('set-timestamp' as const), timestamp: count }),
    fc.record({ kind: fc.constant('download-config' as const), lines }),
    fc.record({ kind: fc.constant('download-data' as const), hash, body: bytes }),
    lines.map((commands): DownMessage => ({ kind: 'download-shell', commands, messageId: uuidBytes(id) })),
    fc
      .record({ updateId: uuid.map(uuidBytes), offset: count, data: bytes, size: fc.integer({ min: 1, max: 500_000 }) })
      .map((chunk): DownMessage => ({ kind: 'download-firmware', target: 'app', type: 'chunk', ...chunk })),
    fc
      .record({
        sessionId: count,
        timestamp: count,
        deviceId: uuid,
        deviceName: fc.string({ maxLength: 8 }),
        configHash: hash,
      })
      .map((session): DownMessage => ({ kind: 'set-session', ...session })),
  );

/** The JSON as it arrives over the wire. */
const wired = (json: unknown): unknown => JSON.parse(JSON.stringify(json));

describe('messages as JSON', () => {
  it('are read back as the same message: uplinks', () => {
    fc.assert(
      fc.property(upMessage, (message) => {
        const read = upFromJson(wired(upToJson(message)));
        if (read.kind === 'decoded-data') throw new Error('not from a firmware');
        expect(encodeUp(read)).toEqual(encodeUp(message));
      }),
    );
  });

  it('are read back as the same message: downlinks', () => {
    fc.assert(
      fc.property(
        uuid.chain((id) => fc.tuple(fc.constant(id), downMessage(id))),
        ([id, message]) => {
          const read = downFromJson(wired(downToJson(id, message, { any: 'body' })));
          expect(read.id).toBe(id);
          expect(encodeDown(read.message)).toEqual(encodeDown(message));
        },
      ),
    );
  });

  it('with any content are read, or rejected with a message', () => {
    const words = fc.constantFrom('type', 'body', 'cbor', 'hash', 'codec_hash', 'message_id', 'responses', 'update_id');
    const type = fc.constantFrom('session', 'data', 'decoder', 'config', 'shell', 'stats', 'firmware', 'x');
    const object = fc.dictionary(words, fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(type, object, fc.jsonValue(), (kind, fields, other) => {
        for (const value of [{ ...fields, type: kind }, other]) {
          for (const read of [upFromJson, downFromJson]) {
            try {
              read(value);
            } catch (error) {
              expect(error).toBeInstanceOf(MessageError);
            }
          }
        }
      }),
    );
  });
});

it('frames contain a request and its answer unchanged', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...(['session', 'uplink', 'poll', 'ack'] as const)),
      uuid,
      fc.json(),
      fc.integer({ min: 100, max: 599 }),
      (kind, key, body, status) => {
        const request = { kind, key, token: '0'.repeat(32), body };
        expect(decodeRequest(encodeRequest(request))).toEqual(request);
        const response = { key, status, body };
        expect(decodeResponse(encodeResponse(response))).toEqual(response);
      },
    ),
  );
});
