/**
 * Brings the contents of messages into one form, so that a message of a device can be compared with a message in the API.
 *
 * Contents are compared by fingerprints of their JSON with sorted keys. Numbers that are not integers are compared to six
 * digits, because clouds decode floats differently. A content is undefined if it cannot be compared.
 */

import type { Message } from '../../../client/client.js';
import { isBytes } from '../../../kernel/bytes.js';
import { isObject } from '../../../kernel/json-text.js';
import { type CborValue, decodeCbor } from '../../../protocol/cbor.js';
import type { Codec } from '../../../protocol/codec.js';
import { decodeBody } from '../../../protocol/decode.js';
import { encodeBody } from '../../../protocol/encode.js';
import { contentFingerprint, type Hash, toHex } from '../../../protocol/hashes.js';
import { type DownMessage, parseDown, parseUp, type UpMessage } from '../../../protocol/messages/index.js';
import { uuidText } from '../../../protocol/uuid.js';

/** Fingerprint of a content. */
export type Content = string;

/** Types of messages whose contents are compared. */
export type ComparedType = 'data' | 'config' | 'shell';

export function isCompared(type: string): type is ComparedType {
  return type === 'data' || type === 'config' || type === 'shell';
}

/** A device's uplink. Clouds show it in several forms: decoded or as bytes, with or without its downlink's id. */
interface UplinkContent {
  readonly type: ComparedType;
  readonly forms: readonly Content[];
}

/** A downlink that a device received. */
export interface DownlinkContent {
  readonly type: ComparedType;
  /** The message id that a shell message contains, as a UUID: the embedded cloud uses the id of the downlink. */
  readonly id?: string;
  /** Whether an API request with this body would queue this downlink. Undefined if this cannot be decided. */
  readonly isAskedFor: (body: unknown) => boolean | undefined;
}

/** Codecs by hash. */
export type KnownCodecs = ReadonlyMap<Hash, Codec>;

/** Reads an uplink of a device; undefined if its type is not compared. */
export function readUplink(bytes: Uint8Array, codecs: KnownCodecs): UplinkContent | undefined {
  const message: UpMessage = parseUp(bytes);
  switch (message.kind) {
    case 'upload-data':
      return {
        type: 'data',
        forms: [decodeWith(message.body, codecs.get(message.hash)), makeRaw(message.body)].filter(
          (form) => form !== undefined,
        ),
      };
    case 'upload-config':
      return { type: 'config', forms: [makeContent(message.lines)] };
    case 'upload-shell': {
      const answers = message.responses.map(({ lines, ...rest }) => makeAnswer(rest, lines));
      return { type: 'shell', forms: listShellForms(uuidText(message.messageId), answers) };
    }
    default:
      return undefined;
  }
}

/** Content of an uplink as the API shows it, most specific form first; empty if it cannot be compared. */
export function listStoredForms({ type, body, raw }: Message): readonly Content[] {
  if (type === 'data') return [body === null && raw !== null ? makeContent(raw.toLowerCase()) : makeContent(body)];
  if (type === 'config') return Array.isArray(body) ? [makeContent(body)] : [];
  const responses = isObject(body) ? body.responses : undefined;
  if (!Array.isArray(responses)) return [];
  const answers = responses.map((response: unknown) => {
    const { command, result = 0, outputs } = isObject(response) ? response : {};
    return Array.isArray(outputs) ? makeAnswer({ command, result }, outputs) : undefined;
  });
  return answers.includes(undefined) ? [] : listShellForms(findAnsweredId(body), answers);
}

/** The message id in the body of a shell uplink in the API: in most clouds, the id of the downlink that it answers. */
export function findAnsweredId(body: unknown): string | undefined {
  const id = isObject(body) ? body.message_id : undefined;
  return typeof id === 'string' ? id.toLowerCase() : undefined;
}

function listShellForms(id: string | undefined, answers: readonly unknown[]): readonly Content[] {
  const plain = makeContent(answers);
  return id === undefined ? [plain] : [makeContent({ id, answers }), plain];
}

/** Reads a downlink that a device received; undefined if its type is not compared. */
export function readDownlink(bytes: Uint8Array, codecs: KnownCodecs): DownlinkContent | undefined {
  const message: DownMessage = parseDown(bytes);
  switch (message.kind) {
    case 'download-config':
      return { type: 'config', isAskedFor: compareWith(message.lines) };
    case 'download-shell':
      return { type: 'shell', id: uuidText(message.messageId), isAskedFor: compareWith(message.commands) };
    case 'download-data': {
      const received = readCbor(message.body);
      const encoder = codecs.get(message.hash);
      return {
        type: 'data',
        isAskedFor: (body) => encoder && isObject(body) && received === encodeWith(body, encoder),
      };
    }
    default:
      return undefined;
  }
}

/** Content of any JSON value. */
export function makeContent(value: unknown): Content {
  return contentFingerprint(JSON.stringify(value ?? null, sortKeys));
}

function compareWith(lines: readonly string[]): (body: unknown) => boolean {
  const received = makeContent(lines);
  return (body) => makeContent(body) === received;
}

function makeRaw(body: Uint8Array): Content {
  return makeContent(toHex(body));
}

function decodeWith(body: Uint8Array, codec: Codec | undefined): Content | undefined {
  try {
    return codec && makeContent(decodeBody(codec, body));
  } catch {
    // The cloud cannot decode this body either, and stores its bytes.
    return undefined;
  }
}

function encodeWith(body: object, encoder: Codec): Content | undefined {
  try {
    return readCbor(encodeBody(encoder, body));
  } catch {
    // The body does not fit this encoder, so the downlink belongs to another request.
    return undefined;
  }
}

/** Different CBOR encodings of the same value have the same content. */
function readCbor(bytes: Uint8Array): Content {
  return makeContent(convertToJson(decodeCbor(bytes)));
}

function convertToJson(value: CborValue): unknown {
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, item]) => [String(key), convertToJson(item)]));
  if (Array.isArray(value)) return value.map(convertToJson);
  if (isBytes(value)) return toHex(value);
  return typeof value === 'bigint' ? String(value) : value;
}

/**
 * Removes line breaks from the start of each line. The device sends an empty line of output as a line break at the start of the
 * following line, and clouds may remove this line break (wire W-56).
 */
function makeAnswer(rest: object, lines: readonly unknown[]): object {
  return { ...rest, lines: lines.map((line) => (typeof line === 'string' ? line.replace(/^[\r\n]+/, '') : line)) };
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isInteger(value)) return Number(value.toPrecision(6));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
