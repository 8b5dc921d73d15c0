/**
 * Brings the contents of messages into one form, so that a message of a device can be compared with a message in the API.
 *
 * Contents are compared by fingerprints of their JSON with sorted keys. Numbers that are not integers are compared to six
 * digits, because clouds decode floats differently. A content is undefined if it cannot be compared.
 */
import type { Message } from '../../../client/client.js';
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
export function uplinkContent(bytes: Uint8Array, codecs: KnownCodecs): UplinkContent | undefined {
  const message: UpMessage = parseUp(bytes);
  switch (message.kind) {
    case 'upload-data':
      return {
        type: 'data',
        forms: [decoded(message.body, codecs.get(message.hash)), rawOf(message.body)].filter(
          (form) => form !== undefined,
        ),
      };
    case 'upload-config':
      return { type: 'config', forms: [contentOf(message.lines)] };
    case 'upload-shell': {
      const answers = message.responses.map(({ lines, ...rest }) => answerOf(rest, lines));
      return { type: 'shell', forms: shellForms(uuidText(message.messageId), answers) };
    }
    default:
      return undefined;
  }
}

/** Content of an uplink as the API shows it, most specific form first; empty if it cannot be compared. */
export function storedForms({ type, body, raw }: Message): readonly Content[] {
  if (type === 'data') return [body === null && raw !== null ? contentOf(raw.toLowerCase()) : contentOf(body)];
  if (type === 'config') return Array.isArray(body) ? [contentOf(body)] : [];
  const responses = isRecord(body) ? body.responses : undefined;
  if (!Array.isArray(responses)) return [];
  const answers = responses.map((response: unknown) => {
    const { command, result = 0, outputs } = isRecord(response) ? response : {};
    return Array.isArray(outputs) ? answerOf({ command, result }, outputs) : undefined;
  });
  return answers.includes(undefined) ? [] : shellForms(answeredId(body), answers);
}

/** The message id in the body of a shell uplink in the API: in most clouds, the id of the downlink that it answers. */
export function answeredId(body: unknown): string | undefined {
  const id = isRecord(body) ? body.message_id : undefined;
  return typeof id === 'string' ? id.toLowerCase() : undefined;
}

function shellForms(id: string | undefined, answers: readonly unknown[]): readonly Content[] {
  const plain = contentOf(answers);
  return id === undefined ? [plain] : [contentOf({ id, answers }), plain];
}

/** Reads a downlink that a device received; undefined if its type is not compared. */
export function downlinkContent(bytes: Uint8Array, codecs: KnownCodecs): DownlinkContent | undefined {
  const message: DownMessage = parseDown(bytes);
  switch (message.kind) {
    case 'download-config':
      return { type: 'config', isAskedFor: sameAs(message.lines) };
    case 'download-shell':
      return { type: 'shell', id: uuidText(message.messageId), isAskedFor: sameAs(message.commands) };
    case 'download-data': {
      const received = cborContent(message.body);
      const encoder = codecs.get(message.hash);
      return { type: 'data', isAskedFor: (body) => encoder && isRecord(body) && received === encoded(body, encoder) };
    }
    default:
      return undefined;
  }
}

/** Content of any JSON value. */
export function contentOf(value: unknown): Content {
  return contentFingerprint(JSON.stringify(value ?? null, sorted));
}

function sameAs(lines: readonly string[]): (body: unknown) => boolean {
  const received = contentOf(lines);
  return (body) => contentOf(body) === received;
}

function rawOf(body: Uint8Array): Content {
  return contentOf(toHex(body));
}

function decoded(body: Uint8Array, codec: Codec | undefined): Content | undefined {
  try {
    return codec && contentOf(decodeBody(codec, body));
  } catch {
    // The cloud cannot decode this body either, and stores its bytes.
    return undefined;
  }
}

function encoded(body: object, encoder: Codec): Content | undefined {
  try {
    return cborContent(encodeBody(encoder, body));
  } catch {
    // The body does not fit this encoder, so the downlink belongs to another request.
    return undefined;
  }
}

/** Different CBOR encodings of the same value have the same content. */
function cborContent(bytes: Uint8Array): Content {
  return contentOf(jsonOf(decodeCbor(bytes)));
}

function jsonOf(value: CborValue): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), jsonOf(item)]));
  if (Array.isArray(value)) return value.map(jsonOf);
  if (value instanceof Uint8Array) return toHex(value);
  return typeof value === 'bigint' ? String(value) : value;
}

/**
 * Removes line breaks from the start of each line. The device sends an empty line of output as a line break at the start of the
 * following line, and clouds may remove this line break (wire W-56).
 */
function answerOf(rest: object, lines: readonly unknown[]): object {
  return { ...rest, lines: lines.map((line) => (typeof line === 'string' ? line.replace(/^[\r\n]+/, '') : line)) };
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isInteger(value)) return Number(value.toPrecision(6));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
