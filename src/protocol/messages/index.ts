/**
 * The messages that device and cloud exchange: one type byte, then a value (wire W-44).
 *
 * A message is plain data with a `kind`. A parsed message does not copy its document or body: it refers to the bytes from which
 * it was parsed. The other files of this folder define the values of the messages.
 */
import type { UnixSeconds } from '../../kernel/time.js';
import { codecHash, fromHex, type Hash, toHex } from '../hashes.js';
import { MessageError } from './error.js';
import {
  type DownloadFirmware,
  readDownloadFirmware,
  readUploadFirmware,
  type UploadFirmware,
  writeDownloadFirmware,
  writeUploadFirmware,
} from './firmware.js';
import {
  type DownloadConfig,
  readDownloadConfig,
  readUploadConfig,
  type UploadConfig,
  writeDownloadConfig,
  writeUploadConfig,
} from './lines.js';
import {
  type CreateSession,
  readCreateSession,
  readSetSession,
  readUploadStats,
  type SetSession,
  type UploadStats,
  writeCreateSession,
  writeSetSession,
  writeUploadStats,
} from './session.js';
import {
  type DownloadShell,
  readDownloadShell,
  readUploadShell,
  type UploadShell,
  writeDownloadShell,
  writeUploadShell,
} from './shell.js';

export { MessageError } from './error.js';
export type { DownloadFirmware, UploadFirmware } from './firmware.js';
export type { UploadConfig } from './lines.js';
export {
  type CreateSession,
  MalformedSession,
  type SessionFacts,
  type SetSession,
  type UploadStats,
} from './session.js';
export type { UploadShell } from './shell.js';

/** Request for the time. No known firmware sends it. */
interface GetTimestamp {
  readonly kind: 'get-timestamp';
}

/** A codec document in CBOR with its hash. */
export interface UploadCodec {
  readonly kind: 'upload-decoder' | 'upload-encoder';
  readonly hash: Hash;
  readonly document: Uint8Array;
}

export interface UploadData {
  readonly kind: 'upload-data';
  /** Hash of the decoder; 16 zeros for a raw body. */
  readonly hash: Hash;
  /** Normally a CBOR map; see `decodeBody` in decode.ts. */
  readonly body: Uint8Array;
}

interface SetTimestamp {
  readonly kind: 'set-timestamp';
  /** Unix seconds. */
  readonly timestamp: UnixSeconds;
}

export interface DownloadData {
  readonly kind: 'download-data';
  /** Hash of the encoder; 16 zeros for raw bytes. Devices ignore it. */
  readonly hash: Hash;
  /** The body from `encodeBody` (encode.ts), or raw bytes. */
  readonly body: Uint8Array;
}

/** Device to cloud. */
export type UpMessage =
  | CreateSession
  | GetTimestamp
  | UploadConfig
  | UploadCodec
  | UploadStats
  | UploadData
  | UploadShell
  | UploadFirmware;

/** Cloud to device. */
export type DownMessage = SetSession | SetTimestamp | DownloadConfig | DownloadData | DownloadShell | DownloadFirmware;

export const TYPE = {
  'create-session': 0x00,
  'get-timestamp': 0x01,
  'upload-config': 0x02,
  'upload-decoder': 0x03,
  'upload-encoder': 0x04,
  'upload-stats': 0x05,
  'upload-data': 0x06,
  'upload-shell': 0x07,
  'upload-firmware': 0x08,
  'set-session': 0x80,
  'set-timestamp': 0x81,
  'download-config': 0x82,
  'download-data': 0x86,
  'download-shell': 0x87,
  'download-firmware': 0x88,
} as const satisfies Record<UpMessage['kind'] | DownMessage['kind'], number>;

/** Maximum length of a value in bytes; a message has one more byte. */
export const LONGEST_VALUE = 16_383;

const HASH_BYTES = 8;
const NO_HASH = new Uint8Array(0);

/** @throws MessageError when the message is too long */
export function encodeUp(message: UpMessage): Uint8Array {
  return framed(TYPE[message.kind], upValue(message), 'hash' in message ? message.hash : undefined);
}

/** @throws MessageError when the message is too long */
export function encodeDown(message: DownMessage): Uint8Array {
  return framed(TYPE[message.kind], downValue(message), 'hash' in message ? message.hash : undefined);
}

/**
 * Reads an uplink as the cloud does.
 * @throws MessageError when the cloud must not acknowledge it (wire W-35)
 */
export function parseUp(bytes: Uint8Array): UpMessage {
  const value = unframed(bytes);
  switch (bytes[0]) {
    case TYPE['create-session']:
      return readCreateSession(value);
    case TYPE['get-timestamp']:
      if (value.length > 0) throw new MessageError('malformed', `GET_TIMESTAMP has a value of ${value.length} bytes`);
      return { kind: 'get-timestamp' };
    case TYPE['upload-config']:
      return readUploadConfig(value);
    case TYPE['upload-decoder']:
      return readUploadCodec('upload-decoder', value);
    case TYPE['upload-encoder']:
      return readUploadCodec('upload-encoder', value);
    case TYPE['upload-stats']:
      return readUploadStats(value);
    case TYPE['upload-data']:
      return { kind: 'upload-data', ...readHashed(value, 'UPLOAD_DATA') };
    case TYPE['upload-shell']:
      return readUploadShell(value);
    case TYPE['upload-firmware']:
      return readUploadFirmware(value);
    default:
      throw unknownType(bytes[0]);
  }
}

/**
 * Reads a downlink as a device does.
 * @throws MessageError when the parser of a device would fail, and with the fault `unknown-type` when a device would ignore
 *   the message
 */
export function parseDown(bytes: Uint8Array): DownMessage {
  const value = unframed(bytes);
  switch (bytes[0]) {
    case TYPE['set-session']:
      return readSetSession(value);
    case TYPE['set-timestamp']:
      return readSetTimestamp(value);
    case TYPE['download-config']:
      return readDownloadConfig(value);
    case TYPE['download-data']:
      // The device does not read the hash: it passes also a value that is too short for one to the application.
      if (value.length < HASH_BYTES)
        return { kind: 'download-data', hash: toHex(new Uint8Array(HASH_BYTES)), body: value };
      return { kind: 'download-data', ...readHashed(value, 'DOWNLOAD_DATA') };
    case TYPE['download-shell']:
      return readDownloadShell(value);
    case TYPE['download-firmware']:
      return readDownloadFirmware(value);
    default:
      throw unknownType(bytes[0]);
  }
}

/** The value of an uplink, without the hash with which some values begin. */
function upValue(message: UpMessage): Uint8Array {
  switch (message.kind) {
    case 'create-session':
      return writeCreateSession(message.session);
    case 'get-timestamp':
      return new Uint8Array(0);
    case 'upload-config':
      return writeUploadConfig(message);
    case 'upload-decoder':
    case 'upload-encoder':
      return message.document;
    case 'upload-stats':
      return writeUploadStats(message.stats);
    case 'upload-data':
      return message.body;
    case 'upload-shell':
      return writeUploadShell(message);
    case 'upload-firmware':
      return writeUploadFirmware(message);
    default:
      return message satisfies never;
  }
}

/** The value of a downlink, without the hash with which some values begin. */
function downValue(message: DownMessage): Uint8Array {
  switch (message.kind) {
    case 'set-session':
      return writeSetSession(message);
    case 'set-timestamp': {
      const value = Buffer.alloc(8);
      value.writeBigUInt64BE(BigInt(message.timestamp));
      return value;
    }
    case 'download-config':
      return writeDownloadConfig(message);
    case 'download-data':
      return message.body;
    case 'download-shell':
      return writeDownloadShell(message);
    case 'download-firmware':
      return writeDownloadFirmware(message);
    default:
      return message satisfies never;
  }
}

/** The hash proves that the fragments of a codec were assembled correctly. */
function readUploadCodec(kind: UploadCodec['kind'], value: Uint8Array): UploadCodec {
  const message = kind === 'upload-decoder' ? 'UPLOAD_DECODER' : 'UPLOAD_ENCODER';
  const { hash, body } = readHashed(value, message);
  if (body.length === 0) throw new MessageError('malformed', `${message} has no document`);
  const computed = codecHash(body);
  if (computed !== hash) {
    throw new MessageError(
      'malformed',
      `${message} says that its document has the hash ${hash}, but it has ${computed}`,
    );
  }
  return { kind, hash, document: body };
}

function readSetTimestamp(value: Uint8Array): SetTimestamp {
  if (value.length !== 8) throw new MessageError('malformed', `SET_TIMESTAMP has ${value.length} bytes, not 8`);
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  return { kind: 'set-timestamp', timestamp: Number(view.getBigUint64(0)) };
}

function readHashed(value: Uint8Array, message: string): { hash: Hash; body: Uint8Array } {
  if (value.length < HASH_BYTES) {
    throw new MessageError('malformed', `${message} has only ${value.length} bytes, too few for a hash`);
  }
  return { hash: toHex(value.subarray(0, HASH_BYTES)), body: value.subarray(HASH_BYTES) };
}

/** A message: type byte, hash (if given), and the rest of the value. @throws MessageError if it is too long */
function framed(type: number, rest: Uint8Array, hash: Hash | undefined): Uint8Array {
  const head = hash === undefined ? NO_HASH : fromHex(hash);
  const length = head.length + rest.length;
  if (length > LONGEST_VALUE) throw tooLong(length);
  const message = new Uint8Array(1 + length);
  message[0] = type;
  message.set(head, 1);
  message.set(rest, 1 + head.length);
  return message;
}

function unframed(message: Uint8Array): Uint8Array {
  if (message.length === 0) throw new MessageError('malformed', 'the message is empty');
  if (message.length > 1 + LONGEST_VALUE) throw tooLong(message.length - 1);
  return message.subarray(1);
}

function tooLong(length: number): MessageError {
  return new MessageError(
    'too-long',
    `the value of the message has ${length} bytes; at most ${LONGEST_VALUE} are possible`,
  );
}

function unknownType(type: number | undefined): MessageError {
  return new MessageError('unknown-type', `0x${(type ?? 0).toString(16).padStart(2, '0')} is not a type of message`);
}
