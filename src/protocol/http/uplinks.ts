/**
 * Uplink messages as JSON, for devices with an HTTP link (cloud C-41): one object per message, with its `type` and the `body`
 * as the API shows it (cloud C-31).
 *
 *   {"type": "data", "body": {"temperature": 21.5}}          decoded, from a device without codecs
 *   {"type": "data", "codec_hash": "92fd…", "cbor": "vwAB"}  as firmware sends it: CBOR in base64, and the hash of its decoder
 *   {"type": "decoder", "codec_hash": "92fd…", "cbor": "…"}  or "encoder"; the hash may be left out
 *   {"type": "decoder", "body": {"version": 2, …}}           the same with the document as JSON
 *   {"type": "config", "hash": "3c69…", "body": ["app config mode \"lte\""]}   the hash may be left out
 *   {"type": "shell", "body": {"message_id": "…", "responses": [{"command": "…", "result": 0, "outputs": ["…"]}]}}
 *   {"type": "stats", "body": {"uptime": 12}}
 *   {"type": "firmware", "body": {"type": "next", "update_id": "…", "offset": 256, "max_length": 16128}}
 *   {"type": "session", "body": {"fw_version": "v3.5.1"}}    facts about the device
 *   {"type": "timestamp"}                                    asks for the time
 */
import { isObject } from '../../kernel/json-text.js';
import { type CborValue, encodeCbor } from '../cbor.js';
import type { JsonObject } from '../decode.js';
import { codecHash, configHash } from '../hashes.js';
import { MessageError } from '../messages/error.js';
import { present } from '../messages/fields.js';
import type {
  CreateSession,
  UploadCodec,
  UploadConfig,
  UploadData,
  UploadFirmware,
  UploadShell,
  UploadStats,
  UpMessage,
} from '../messages/index.js';
import { FACTS, STATS } from '../messages/session.js';
import { uuidText } from '../uuid.js';
import { JsonFields, toBase64 } from './fields.js';

/** Data of a device without codecs: JSON with field names that the device chose. */
export interface DecodedData {
  readonly kind: 'decoded-data';
  readonly body: JsonObject;
}

/** Values of `type`. */
export const UPLINK_TYPES = [
  'session',
  'data',
  'config',
  'decoder',
  'encoder',
  'shell',
  'stats',
  'firmware',
  'timestamp',
] as const;

interface JsonUplink {
  readonly type: (typeof UPLINK_TYPES)[number];
  readonly body?: unknown;
  /** Of `data`, `decoder` and `encoder`. */
  readonly codec_hash?: string;
  /** Of `config`. */
  readonly hash?: string;
  /** Base64. */
  readonly cbor?: string;
}

export function upToJson(message: UpMessage): JsonUplink {
  switch (message.kind) {
    case 'create-session':
      return { type: 'session', body: message.session };
    case 'upload-data':
      return { type: 'data', codec_hash: message.hash, cbor: toBase64(message.body) };
    case 'upload-decoder':
    case 'upload-encoder': {
      const type = message.kind === 'upload-decoder' ? 'decoder' : 'encoder';
      return { type, codec_hash: message.hash, cbor: toBase64(message.document) };
    }
    case 'upload-config':
      return { type: 'config', hash: message.hash, body: message.lines };
    case 'upload-shell':
      return { type: 'shell', body: shellJson(message) };
    case 'upload-stats':
      return { type: 'stats', body: message.stats };
    case 'upload-firmware':
      return { type: 'firmware', body: firmwareJson(message) };
    case 'get-timestamp':
      return { type: 'timestamp' };
    default:
      return message satisfies never;
  }
}

/** Reads an uplink from JSON. @throws MessageError with the invalid field and the expected form */
export function upFromJson(value: unknown): UpMessage | DecodedData {
  const fields = new JsonFields(value, 'body');
  const type = fields.need('type', fields.text('type'));
  switch (type) {
    case 'session':
      return readSession(fields.need('body', fields.object('body')));
    case 'data':
      return readData(fields);
    case 'decoder':
    case 'encoder':
      return readCodec(type, fields);
    case 'config':
      return readConfig(fields);
    case 'shell':
      return readShell(fields.need('body', fields.object('body')));
    case 'stats':
      return readStats(fields.need('body', fields.object('body')));
    case 'firmware':
      return readFirmware(fields.need('body', fields.object('body')));
    case 'timestamp':
      return { kind: 'get-timestamp' };
    default:
      throw new MessageError(
        'unknown-type',
        `body/type "${type.slice(0, 40)}" is not one of ${UPLINK_TYPES.join(', ')}`,
      );
  }
}

/** A firmware report as the API shows it. */
export function firmwareJson({ kind: _, updateId, maxLength, ...rest }: UploadFirmware): object {
  return {
    ...rest,
    ...(updateId && { update_id: uuidText(updateId) }),
    ...(maxLength !== undefined && { max_length: maxLength }),
  };
}

function shellJson({ messageId, responses }: UploadShell): object {
  const shown = responses.map(({ command, result, lines }) => ({ command, result, outputs: lines }));
  return { message_id: uuidText(messageId), responses: shown };
}

function readSession(facts: JsonFields): CreateSession {
  const session: Record<string, string | number> = {};
  for (const [, name, form] of FACTS) {
    const fact = form === 'uint' ? facts.uint(name) : form === 'digits' ? facts.digits(name) : facts.text(name);
    if (fact !== undefined) session[name] = fact;
  }
  return { kind: 'create-session', session };
}

function readData(fields: JsonFields): UploadData | DecodedData {
  const cbor = fields.base64('cbor');
  if (cbor === undefined) {
    const body = fields.plain('body') as JsonObject | undefined;
    if (body === undefined) throw new MessageError('malformed', 'data needs a "body", or "cbor" and "codec_hash"');
    return { kind: 'decoded-data', body };
  }
  return { kind: 'upload-data', hash: fields.need('codec_hash', fields.hash('codec_hash')), body: cbor };
}

function readCodec(type: 'decoder' | 'encoder', fields: JsonFields): UploadCodec {
  const document = fields.base64('cbor') ?? encodeCbor(asCbor(fields.need('cbor', fields.plain('body'))));
  const hash = codecHash(document);
  const given = fields.hash('codec_hash') ?? hash;
  if (given !== hash)
    throw new MessageError('malformed', `body/codec_hash "${given}" is not that of the ${type}: ${hash}`);
  return { kind: `upload-${type}`, hash, document };
}

/** A codec document has the same form in JSON as in CBOR; its keys keep their order. */
function asCbor(value: unknown): CborValue {
  if (Array.isArray(value)) return value.map(asCbor);
  if (isObject(value)) return new Map(Object.entries(value).map(([key, item]) => [key, asCbor(item)]));
  return value as null | boolean | number | string;
}

function readConfig(fields: JsonFields): UploadConfig {
  const lines = fields.need('body', fields.texts('body'));
  return { kind: 'upload-config', hash: fields.hash('hash') ?? configHash(lines), lines };
}

function readShell(body: JsonFields): UploadShell {
  const responses = body.need('responses', body.list('responses')).map((item, index) => {
    const response = new JsonFields(item, `body/body/responses/${index}`);
    return {
      command: response.text('command') ?? '',
      result: response.int('result') ?? 0,
      lines: response.texts('outputs') ?? [],
    };
  });
  return { kind: 'upload-shell', messageId: body.need('message_id', body.uuid('message_id')), responses };
}

function readStats(body: JsonFields): UploadStats {
  const stats: Record<string, number> = {};
  for (const name of STATS) {
    const number = body.int(name);
    if (number !== undefined) stats[name] = number;
  }
  return { kind: 'upload-stats', stats };
}

function readFirmware(body: JsonFields): UploadFirmware {
  return present<UploadFirmware>({
    kind: 'upload-firmware',
    target: body.text('target') ?? 'app',
    type: body.need('type', body.text('type')),
    updateId: body.uuid('update_id'),
    offset: body.uint('offset'),
    maxLength: body.uint('max_length'),
    firmware: body.text('firmware'),
    error: body.text('error'),
  });
}
