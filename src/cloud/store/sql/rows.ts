/** Columns of the SQL stores and the rows of the port: what is JSON text on one side is a value on the other. */
import { stationId } from '../order.js';
import {
  type DeviceRow,
  type Id,
  type ListedMessage,
  type MessageRow,
  type RecordRow,
  type Station,
  type TimelineRow,
  WAITING_BODY,
  type WaitingRow,
} from '../store.js';

/** Of `device d`, without its tags. */
export const DEVICE_COLUMNS = `d.id, d.space_id AS "spaceId", d.name, d.comment, d.serial, d.token,
  d.external_id AS "externalId", d.label, d.created_at AS "createdAt", d.last_seen AS "lastSeen",
  d.session_id AS "sessionId", d.session, d.config_hash AS "configHash", d.decoder_hash AS "decoderHash",
  d.encoder_hash AS "encoderHash"`;

/** Of `message m`. */
export const MESSAGE_COLUMNS = `m.id, m.space_id AS "spaceId", m.device_id AS "deviceId", m.created_at AS "createdAt",
  m.type, m.direction, m.body, m.codec_hash AS "codecHash", m.raw, m.print, m.down_state AS "downState",
  m.down_state_at AS "downStateAt", m.down_scheduled_at AS "downScheduledAt", m.down_attempt AS "downAttempt",
  m.down_answered_at AS "downAnsweredAt"`;

/** Of `message m`; a long body is null. */
export const WAITING_COLUMNS = MESSAGE_COLUMNS.replace(
  'm.body',
  `CASE WHEN length(m.body) <= ${WAITING_BODY} THEN m.body END AS body`,
);

/** Of `message m` joined with `device d`. */
export const LISTED_COLUMNS = `${MESSAGE_COLUMNS}, d.name AS "deviceName", d.serial AS "deviceSerial"`;

export const RECORD_COLUMNS =
  'family, id, space_id AS "spaceId", key, created_at AS "createdAt", due_at AS "dueAt", body';

/** What {@link DEVICE_COLUMNS} selects, and the tags. */
export interface StoredDevice extends Omit<DeviceRow, 'label' | 'tagIds' | 'session'> {
  readonly label: string;
  readonly tagIds: string;
  readonly session: string | null;
}

/** What {@link MESSAGE_COLUMNS} selects. */
export interface StoredMessage extends Omit<MessageRow, 'body'> {
  readonly body: string;
}

/** What {@link WAITING_COLUMNS} selects. */
export interface StoredWaiting extends Omit<MessageRow, 'body'> {
  readonly body: string | null;
}

/** A row of the table `timeline`. */
export interface StoredStation extends TimelineRow {
  readonly position: number;
}

/** What {@link LISTED_COLUMNS} selects. */
export interface StoredListed extends Omit<ListedMessage, 'body'> {
  readonly body: string;
}

/** What {@link RECORD_COLUMNS} selects. */
export interface StoredRecord extends Omit<RecordRow, 'body'> {
  readonly body: string;
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

export function toMessage(row: StoredMessage): MessageRow {
  return { ...row, body: JSON.parse(row.body) };
}

export function toWaiting({ body, ...row }: StoredWaiting): WaitingRow {
  return body === null ? row : { ...row, body: JSON.parse(body) };
}

export function toStation({ position, ...row }: StoredStation): Station {
  return { id: stationId(position), ...row };
}

export function toListed(row: StoredListed): ListedMessage {
  return { ...row, body: JSON.parse(row.body) };
}

export function toRecord(row: StoredRecord): RecordRow {
  return { ...row, body: JSON.parse(row.body) };
}
