/** Columns of the SQL stores, and their conversion to rows of the port: JSON text becomes a value. */
import { stationId } from '../order.js';
import {
  type DeviceRow,
  type Id,
  type ListedMessage,
  type MessageRow,
  type RecordRow,
  type Station,
  type TimelineRow,
  WAITING_CONTENT,
  type WaitingRow,
} from '../store.js';
import { bodyOf } from './checksum.js';

/** Columns of `device d`, without its tags. */
export const DEVICE_COLUMNS = `d.id, d.space_id AS "spaceId", d.name, d.comment, d.serial, d.token,
  d.external_id AS "externalId", d.label, d.created_at AS "createdAt", d.last_seen AS "lastSeen",
  d.session_id AS "sessionId", d.session, d.config_hash AS "configHash", d.decoder_hash AS "decoderHash",
  d.encoder_hash AS "encoderHash"`;

/** Columns of `message m`. */
export const MESSAGE_COLUMNS = `m.id, m.space_id AS "spaceId", m.device_id AS "deviceId", m.created_at AS "createdAt",
  m.type, m.direction, m.body, m.codec_hash AS "codecHash", m.raw, m.print, m.crc, m.down_state AS "downState",
  m.down_state_at AS "downStateAt", m.down_scheduled_at AS "downScheduledAt", m.down_attempt AS "downAttempt",
  m.down_answered_at AS "downAnsweredAt"`;

const IS_SHORT = `length(m.body) + coalesce(length(m.raw), 0) <= ${WAITING_CONTENT}`;

/** Columns of `message m`; the body is null if the content is long. */
export const WAITING_COLUMNS = MESSAGE_COLUMNS.replace(
  'm.body, m.codec_hash AS "codecHash", m.raw',
  `CASE WHEN ${IS_SHORT} THEN m.body END AS body, m.codec_hash AS "codecHash", CASE WHEN ${IS_SHORT} THEN m.raw END AS raw`,
);

/** Columns of `message m` joined with `device d`. */
export const LISTED_COLUMNS = `${MESSAGE_COLUMNS}, d.name AS "deviceName", d.serial AS "deviceSerial"`;

export const RECORD_COLUMNS =
  'family, id, space_id AS "spaceId", key, created_at AS "createdAt", due_at AS "dueAt", body, crc';

/** A row with {@link DEVICE_COLUMNS} and the tags. */
interface StoredDevice extends Omit<DeviceRow, 'label' | 'tagIds' | 'session'> {
  readonly label: string;
  readonly tagIds: string;
  readonly session: string | null;
}

/** A row with {@link MESSAGE_COLUMNS}. */
interface StoredMessage extends Omit<MessageRow, 'body'> {
  readonly body: string;
  readonly crc: number | null;
}

/** A row with {@link WAITING_COLUMNS}. */
interface StoredWaiting extends Omit<MessageRow, 'body'> {
  readonly body: string | null;
  readonly crc: number | null;
}

/** A row of the table `timeline`. */
interface StoredStation extends TimelineRow {
  readonly position: number;
}

/** A row with {@link LISTED_COLUMNS}. */
interface StoredListed extends Omit<ListedMessage, 'body'> {
  readonly body: string;
  readonly crc: number | null;
}

/** A row with {@link RECORD_COLUMNS}. */
interface StoredRecord extends Omit<RecordRow, 'body'> {
  readonly body: string;
  readonly crc: number | null;
}

const NO_TAGS: readonly Id[] = Object.freeze([]);

export function toDevice(row: StoredDevice): DeviceRow {
  return {
    ...row,
    label: JSON.parse(row.label),
    tagIds: row.tagIds === '[]' ? NO_TAGS : JSON.parse(row.tagIds),
    session: row.session === null ? null : JSON.parse(row.session),
  };
}

/** @throws DamagedBody */
export function toMessage({ crc, ...row }: StoredMessage): MessageRow {
  return { ...row, body: bodyOf('message', row, crc) };
}

/** @throws DamagedBody */
export function toWaiting({ body, raw, crc, ...row }: StoredWaiting): WaitingRow {
  return body === null ? row : { ...row, raw, body: bodyOf('message', { id: row.id, body, raw }, crc) };
}

export function toStation({ position, ...row }: StoredStation): Station {
  return { id: stationId(position), ...row };
}

/** @throws DamagedBody */
export function toListed({ crc, ...row }: StoredListed): ListedMessage {
  return { ...row, body: bodyOf('message', row, crc) };
}

/** @throws DamagedBody */
export function toRecord({ crc, ...row }: StoredRecord): RecordRow {
  return { ...row, body: bodyOf('record', row, crc) };
}
