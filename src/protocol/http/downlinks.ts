/**
 * Downlink messages as JSON, for devices with an HTTP link (cloud C-41): the answer to `poll`. The device acknowledges the
 * `id`. For a shell downlink, the `id` is also the `message_id` of the device's answer.
 *
 *   {"id": "…", "type": "session", "body": {"session_id": 1750000000, "timestamp": 1750000001, "device_id": "…", …}}
 *   {"id": "…", "type": "timestamp", "body": {"timestamp": 1750000001}}
 *   {"id": "…", "type": "config", "body": ["app config interval-report 900"]}
 *   {"id": "…", "type": "shell", "body": ["info show"]}
 *   {"id": "…", "type": "data", "body": {"relay": 1}, "codec_hash": "7eab…", "cbor": "oQAB"}   cbor: the encoded body
 *   {"id": "…", "type": "firmware", "body": {"target": "app", "type": "chunk", "update_id": "…", "offset": 0, "size": 300,
 *                                            "data": "base64"}}
 */

import { MessageError } from '../messages/error.js';
import { present } from '../messages/fields.js';
import type { DownloadData, DownloadFirmware, DownMessage, SetSession } from '../messages/index.js';
import { uuidBytes, uuidText } from '../uuid.js';
import { JsonFields, toBase64 } from './fields.js';

export const DOWNLINK_TYPES = ['session', 'timestamp', 'config', 'shell', 'data', 'firmware'] as const;

/** Types of downlinks that the cloud itself queues: their devices wait for them, so they say nothing about the service. */
export const OWN_TYPES: ReadonlySet<string> = new Set(['session', 'timestamp']);

interface JsonDownlink {
  readonly id: string;
  readonly type: (typeof DOWNLINK_TYPES)[number];
  readonly body: unknown;
  /** Of `data`: hash of the encoder. */
  readonly codec_hash?: string;
  /** Of `data`: the encoded body in base64. */
  readonly cbor?: string;
}

/**
 * A downlink as JSON.
 * @param id its message id; the message id of a shell downlink must be the same
 * @param body of a data downlink: its values before they were encoded
 */
export function downToJson(id: string, message: DownMessage, body: unknown): JsonDownlink {
  switch (message.kind) {
    case 'set-session':
      return { id, type: 'session', body: sessionJson(message) };
    case 'set-timestamp':
      return { id, type: 'timestamp', body: { timestamp: message.timestamp } };
    case 'download-config':
      return { id, type: 'config', body: message.lines };
    case 'download-shell':
      return { id, type: 'shell', body: message.commands };
    case 'download-data':
      return { id, type: 'data', body, codec_hash: message.hash, cbor: toBase64(message.body) };
    case 'download-firmware':
      return { id, type: 'firmware', body: chunkJson(message) };
    default:
      return message satisfies never;
  }
}

/** Reads a downlink from JSON. @throws MessageError */
export function downFromJson(value: unknown): { readonly id: string; readonly message: DownMessage } {
  const fields = new JsonFields(value, 'downlink');
  const id = uuidText(fields.need('id', fields.uuid('id')));
  return { id, message: readMessage(id, fields) };
}

function readMessage(id: string, fields: JsonFields): DownMessage {
  const type = fields.need('type', fields.text('type'));
  switch (type) {
    case 'session':
      return readSession(fields.need('body', fields.object('body')));
    case 'timestamp': {
      const body = fields.need('body', fields.object('body'));
      return { kind: 'set-timestamp', timestamp: body.need('timestamp', body.uint('timestamp')) };
    }
    case 'config':
      return { kind: 'download-config', lines: fields.need('body', fields.texts('body')) };
    case 'shell':
      return {
        kind: 'download-shell',
        commands: fields.need('body', fields.texts('body')),
        messageId: uuidBytes(id),
      };
    case 'data':
      return readData(fields);
    case 'firmware':
      return readChunk(fields.need('body', fields.object('body')));
    default:
      throw new MessageError('unknown-type', `"${type.slice(0, 40)}" is not a type of downlink`);
  }
}

function sessionJson({ kind: _, ...session }: SetSession): object {
  return {
    session_id: session.sessionId,
    decoder_hash: session.decoderHash ?? null,
    encoder_hash: session.encoderHash ?? null,
    config_hash: session.configHash ?? null,
    timestamp: session.timestamp,
    device_id: session.deviceId,
    device_name: session.deviceName,
  };
}

function readSession(body: JsonFields): SetSession {
  return present<SetSession>({
    kind: 'set-session',
    sessionId: body.uint('session_id') ?? 0,
    decoderHash: body.hash('decoder_hash'),
    encoderHash: body.hash('encoder_hash'),
    configHash: body.hash('config_hash'),
    timestamp: body.int('timestamp') ?? 0,
    deviceId: body.text('device_id') ?? '',
    deviceName: body.text('device_name') ?? '',
  });
}

function readData(fields: JsonFields): DownloadData {
  return {
    kind: 'download-data',
    hash: fields.need('codec_hash', fields.hash('codec_hash')),
    body: fields.need('cbor', fields.base64('cbor')),
  };
}

function chunkJson({ target, type, updateId, offset, data, size }: DownloadFirmware): object {
  return { target, type, update_id: uuidText(updateId), offset, size, data: toBase64(data) };
}

function readChunk(body: JsonFields): DownloadFirmware {
  return {
    kind: 'download-firmware',
    target: body.text('target') ?? '',
    type: body.text('type') ?? '',
    updateId: body.need('update_id', body.uuid('update_id')),
    offset: body.uint('offset') ?? 0,
    data: body.base64('data') ?? new Uint8Array(0),
    size: body.uint('size') ?? 0,
  };
}
