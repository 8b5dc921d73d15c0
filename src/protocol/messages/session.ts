/**
 * CREATE_SESSION, SET_SESSION and UPLOAD_STATS: identity of a device, state of the cloud, statistics (wire W-47, W-49, W-50).
 */
import type { Seconds, UnixSeconds } from '../../kernel/time.js';
import { CborError, type CborKey, CborReader, CborWriter, readKey } from '../cbor.js';
import { MAP, NEGATIVE, TEXT, UINT } from '../cbor-reader.js';
import type { Hash } from '../hashes.js';
import { MessageError } from './error.js';
import { Fields, mapIn } from './fields.js';

/** Facts of a device about itself; older firmware sends fewer. */
export type SessionFacts = {
  /** The known firmware always sends 0. */
  readonly watchdog_timeout?: Seconds;
  readonly serial_number?: number;
  readonly vendor_name?: string;
  readonly product_name?: string;
  readonly hw_variant?: string;
  readonly hw_revision?: string;
  readonly fw_bundle?: string;
  readonly fw_name?: string;
  readonly fw_version?: string;
  readonly ble_passkey?: string;
  /** Decimal. */
  readonly imei?: string;
  /** Decimal. */
  readonly imsi?: string;
  readonly iccid?: string;
  readonly modem_fw_version?: string;
  /** This field and the next three describe a CHESTER-Z shield; absent without one. */
  readonly z_serial_number?: string;
  readonly z_hw_revision?: string;
  readonly z_hw_variant?: string;
  readonly z_fw_version?: string;
};

export interface CreateSession {
  readonly kind: 'create-session';
  readonly session: SessionFacts;
}

export interface SetSession {
  readonly kind: 'set-session';
  /** Must not be 0, because a device treats 0 as a missing session. */
  readonly sessionId: number;
  /** Hash of the cloud's decoder; missing: unknown, so the device uploads it. The same for the next two fields. */
  readonly decoderHash?: Hash;
  readonly encoderHash?: Hash;
  readonly configHash?: Hash;
  /** Unix seconds. */
  readonly timestamp: UnixSeconds;
  /** At most 36 bytes; longer ids are truncated. */
  readonly deviceId: string;
  /** At most 32 bytes; longer names are truncated. */
  readonly deviceName: string;
}

/** Statistics of the radio, by the names of {@link STATS}. No known firmware sends them. */
type Stats = Readonly<Record<string, number>>;

export interface UploadStats {
  readonly kind: 'upload-stats';
  readonly stats: Stats;
}

/**
 * Key, name and form of each fact, in the order of the firmware. `digits`: a 64-bit number, as text in {@link SessionFacts}.
 */
export const FACTS: readonly (readonly [key: number, name: keyof SessionFacts, form: 'uint' | 'text' | 'digits'])[] = [
  [0x00, 'watchdog_timeout', 'uint'],
  [0x10, 'serial_number', 'uint'],
  [0x01, 'vendor_name', 'text'],
  [0x02, 'product_name', 'text'],
  [0x03, 'hw_variant', 'text'],
  [0x04, 'hw_revision', 'text'],
  [0x05, 'fw_bundle', 'text'],
  [0x06, 'fw_name', 'text'],
  [0x07, 'fw_version', 'text'],
  [0x08, 'ble_passkey', 'text'],
  [0x0a, 'imei', 'digits'],
  [0x09, 'imsi', 'digits'],
  [0x11, 'iccid', 'text'],
  [0x0b, 'modem_fw_version', 'text'],
  [0x0c, 'z_serial_number', 'text'],
  [0x0d, 'z_hw_revision', 'text'],
  [0x0e, 'z_hw_variant', 'text'],
  [0x0f, 'z_fw_version', 'text'],
];

/** Names of the statistics by key. */
export const STATS = ['uptime', 'eest', 'ecl', 'rsrp', 'rsrq', 'snr', 'plmn', 'cid', 'band', 'earfcn'] as const;

const DEVICE_ID_BYTES = 36;
const DEVICE_NAME_BYTES = 32;

export function writeCreateSession(session: SessionFacts): Uint8Array {
  const writer = new CborWriter();
  writer.beginMap();
  for (const [key, name, form] of FACTS) {
    const fact = session[name];
    if (fact === undefined) continue;
    writer.key(key);
    if (form === 'text') writer.text(String(fact));
    else writer.uint(BigInt(fact));
  }
  writer.endMap();
  return writer.finish();
}

export function readCreateSession(value: Uint8Array): CreateSession {
  const fields = Fields.loose(mapIn(value, 'CREATE_SESSION'));
  const session: Record<string, string | number> = {};
  for (const [key, name, form] of FACTS) {
    const fact = form === 'digits' ? digits(fields.wide(key)) : fields[form](key);
    if (fact !== undefined) session[name] = fact;
  }
  return { kind: 'create-session', session };
}

export function writeSetSession(message: SetSession): Uint8Array {
  const hashes = [message.decoderHash, message.encoderHash, message.configHash];
  const writer = new CborWriter();
  writer.mapOf(4 + hashes.filter((hash) => hash !== undefined).length);
  writer.key(0);
  writer.uint(message.sessionId);
  hashes.forEach((hash, i) => {
    if (hash === undefined) return;
    writer.key(1 + i);
    writer.uint(BigInt(`0x${hash}`));
  });
  writer.key(4);
  writer.int(message.timestamp);
  writer.key(5);
  writer.text(cut(message.deviceId, DEVICE_ID_BYTES));
  writer.key(6);
  writer.text(cut(message.deviceName, DEVICE_NAME_BYTES));
  return writer.finish();
}

/** SET_SESSION cannot be read to its end. */
export class MalformedSession extends MessageError {
  /** The fields before the error, which the firmware keeps (`ctr_cloud_msg.c`). */
  readonly session: SetSession;

  constructor(message: string, session: SetSession) {
    super('malformed', message);
    this.session = session;
  }
}

/** A session whose fields are being read. */
type Filling = { -readonly [K in keyof SetSession]: SetSession[K] };

/** Missing fields are 0 or empty, as in the firmware. @throws MalformedSession */
export function readSetSession(value: Uint8Array): SetSession {
  const session: Filling = { kind: 'set-session', sessionId: 0, timestamp: 0, deviceId: '', deviceName: '' };
  try {
    const reader = new CborReader(value);
    if (reader.next() !== MAP) throw new MessageError('malformed', 'the value of SET_SESSION is not a CBOR map');
    const { count } = reader;
    for (let i = 0; reader.more(i, count); i++) readField(readKey(reader), reader, session);
    reader.end();
  } catch (error) {
    if (error instanceof CborError) {
      throw new MalformedSession(`the value of SET_SESSION is not CBOR: ${error.message}`, inOrder(session));
    }
    if (error instanceof MessageError) throw new MalformedSession(error.message, inOrder(session));
    throw error;
  }
  return inOrder(session);
}

/** The fields in the order of their keys, in which they are shown. */
function inOrder(session: SetSession): SetSession {
  const { kind, sessionId, decoderHash, encoderHash, configHash, timestamp, deviceId, deviceName } = session;
  return {
    kind,
    sessionId,
    ...(decoderHash !== undefined && { decoderHash }),
    ...(encoderHash !== undefined && { encoderHash }),
    ...(configHash !== undefined && { configHash }),
    timestamp,
    deviceId,
    deviceName,
  };
}

function readField(key: CborKey, reader: CborReader, session: Filling): void {
  switch (key) {
    case 0:
      session.sessionId = Number(integerIn(reader, key, 0n, MAX_UINT32, 'an unsigned integer of 32 bits'));
      return;
    case 1:
      session.decoderHash = hashIn(reader, key);
      return;
    case 2:
      session.encoderHash = hashIn(reader, key);
      return;
    case 3:
      session.configHash = hashIn(reader, key);
      return;
    case 4:
      session.timestamp = Number(integerIn(reader, key, -MAX_INT64 - 1n, MAX_INT64, 'an integer of 64 bits'));
      return;
    case 5:
      session.deviceId = textIn(reader, key, DEVICE_ID_BYTES);
      return;
    case 6:
      session.deviceName = textIn(reader, key, DEVICE_NAME_BYTES);
      return;
    default:
      throw new MessageError('malformed', `SET_SESSION has the unknown key "${key}"`);
  }
}

const MAX_UINT32 = 0xffff_ffffn;
const MAX_INT64 = 0x7fff_ffff_ffff_ffffn;
const MAX_UINT64 = 0xffff_ffff_ffff_ffffn;

function integerIn(reader: CborReader, key: number, least: bigint, most: bigint, wanted: string): bigint {
  const type = reader.next();
  const value = type === UINT || type === NEGATIVE ? BigInt(reader.integer()) : undefined;
  if (value === undefined || value < least || value > most) throw unfit(key, wanted);
  return value;
}

function hashIn(reader: CborReader, key: number): Hash {
  return integerIn(reader, key, 0n, MAX_UINT64, 'an unsigned integer').toString(16).padStart(16, '0');
}

function textIn(reader: CborReader, key: number, most: number): string {
  if (reader.next() !== TEXT) throw unfit(key, 'a text');
  return cut(reader.text(), most);
}

function unfit(key: number, wanted: string): MessageError {
  return new MessageError('malformed', `key ${key} of SET_SESSION is not ${wanted}`);
}

export function writeUploadStats(stats: Stats): Uint8Array {
  const writer = new CborWriter();
  writer.beginMap();
  STATS.forEach((name, key) => {
    const value = stats[name];
    if (value === undefined) return;
    writer.key(key);
    writer.int(value);
  });
  writer.endMap();
  return writer.finish();
}

export function readUploadStats(value: Uint8Array): UploadStats {
  const fields = Fields.loose(mapIn(value, 'UPLOAD_STATS'));
  const stats: Record<string, number> = {};
  STATS.forEach((name, key) => {
    const number = fields.int(key);
    if (number !== undefined) stats[name] = number;
  });
  return { kind: 'upload-stats', stats };
}

/** IMEI and IMSI have 15 digits (3GPP TS 23.003); numbers have lost leading zeros. 0: unknown to the modem. */
function digits(number: bigint | undefined): string | undefined {
  return number === 0n ? '0' : number?.toString().padStart(15, '0');
}

/** Truncates a text to at most `most` bytes of UTF-8, between two characters. */
function cut(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = most;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
