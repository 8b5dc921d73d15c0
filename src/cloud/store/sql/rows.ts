/** The columns of the SQL stores, and the conversion of their rows to those of `Store`: JSON text becomes a value. */
import { stationId } from '../order.js';
import type { Vault } from '../secrets/vault.js';
import {
  type DeviceRow,
  type EventRow,
  type Id,
  type ListedDevice,
  type ListedMessage,
  type MessageRow,
  type RecordRow,
  type Station,
  type TimelineRow,
  WAITING_CONTENT,
  type WaitingRow,
} from '../store.js';
import { checkBody } from './checksum.js';
import { openedContent, place, SEALED_TYPES } from './places.js';

/** Columns of `device d`, without its tags. */
export const DEVICE_COLUMNS = `d.id, d.space_id AS "spaceId", d.name, d.comment, d.serial, d.token,
  d.external_id AS "externalId", d.label, d.created_at AS "createdAt", d.version, d.last_seen AS "lastSeen",
  d.session_id AS "sessionId", d.session, d.config_hash AS "configHash", d.decoder_hash AS "decoderHash",
  d.encoder_hash AS "encoderHash", d.last_contact AS "lastContact", d.contact_every AS "contactEvery",
  d.contact_gaps AS "contactGaps"`;

/** The same without the claim token. */
export const PUBLIC_DEVICE_COLUMNS = DEVICE_COLUMNS.replace(' d.token,', '');

/** Columns of `message m`. */
export const MESSAGE_COLUMNS = `m.id, m.space_id AS "spaceId", m.device_id AS "deviceId", m.created_at AS "createdAt",
  m.type, m.direction, m.body, m.codec_hash AS "codecHash", m.raw, m.print AS "fingerprint", m.crc, m.down_state AS "downState",
  m.down_state_at AS "downStateAt", m.down_scheduled_at AS "downScheduledAt", m.down_attempt AS "downAttempt",
  m.down_answered_at AS "downAnsweredAt"`;

/**
 * Longest encrypted form of {@link WAITING_CONTENT} characters: a character has up to three bytes, which are four digits in
 * base64. 200 more digits are enough for the key ids, nonces and tags of two envelopes (vault.ts).
 */
const SEALED_CONTENT = 4 * WAITING_CONTENT + 200;

const IS_SHORT = `length(m.body) + coalesce(length(m.raw), 0) <=
  CASE WHEN m.type IN (${SEALED_TYPES.map((type) => `'${type}'`).join(', ')}) THEN ${SEALED_CONTENT} ELSE ${WAITING_CONTENT} END`;

/**
 * Columns of `message m`. Body and raw bytes are null if they are together longer than {@link WAITING_CONTENT}. For encrypted
 * content, this limit is only estimated here: `toWaiting` checks it after decryption.
 */
export const WAITING_COLUMNS = MESSAGE_COLUMNS.replace(
  'm.body, m.codec_hash AS "codecHash", m.raw',
  `CASE WHEN ${IS_SHORT} THEN m.body END AS body, m.codec_hash AS "codecHash", CASE WHEN ${IS_SHORT} THEN m.raw END AS raw`,
);

/** Columns of `message m` joined with `device d`. */
export const LISTED_COLUMNS = `${MESSAGE_COLUMNS}, d.name AS "deviceName", d.serial AS "deviceSerial"`;

export const RECORD_COLUMNS =
  'family, id, space_id AS "spaceId", key, created_at AS "createdAt", due_at AS "dueAt", body, crc';

/** A row with {@link PUBLIC_DEVICE_COLUMNS} and the tags. */
interface StoredPublicDevice extends Omit<DeviceRow, 'token' | 'label' | 'tagIds' | 'session' | 'contactGaps'> {
  readonly label: string;
  readonly tagIds: string;
  readonly session: string | null;
  readonly contactGaps: string | null;
}

/** A row with {@link DEVICE_COLUMNS} and the tags. */
interface StoredDevice extends StoredPublicDevice {
  readonly token: string;
}

interface StoredMessage extends Omit<MessageRow, 'body'> {
  readonly body: string;
  readonly crc: number | null;
}

interface StoredWaiting extends Omit<MessageRow, 'body'> {
  readonly body: string | null;
  readonly crc: number | null;
}

interface StoredStation extends TimelineRow {
  readonly position: number;
}

interface StoredEvent extends Omit<EventRow, 'detail'> {
  readonly detail: string | null;
}

/** A row with {@link LISTED_COLUMNS}. */
interface StoredListed extends Omit<ListedMessage, 'body'> {
  readonly body: string;
  readonly crc: number | null;
}

interface StoredRecord extends Omit<RecordRow, 'body'> {
  readonly body: string;
  readonly crc: number | null;
}

const NO_TAGS: readonly Id[] = Object.freeze([]);
const NO_LABEL: DeviceRow['label'] = Object.freeze({});

/** @throws UnreadableSecret */
export function toDevice(row: StoredDevice, vault: Vault): DeviceRow {
  return { ...toPublicDevice(row, vault), token: vault.open(place.token(row.id), row.token) };
}

/** @throws UnreadableSecret */
export function toPublicDevice(row: StoredPublicDevice, vault: Vault): ListedDevice {
  const { id, label, tagIds, session, contactGaps } = row;
  return {
    ...row,
    label: label === '{}' ? NO_LABEL : JSON.parse(label),
    tagIds: tagIds === '[]' ? NO_TAGS : JSON.parse(tagIds),
    session: session === null ? null : JSON.parse(vault.open(place.session(id), session)),
    contactGaps: contactGaps === null ? null : JSON.parse(contactGaps),
  };
}

/** @throws DamagedBody, UnreadableSecret */
export function toMessage(row: StoredMessage, vault: Vault): MessageRow {
  return withContent(row, vault);
}

/** @throws DamagedBody, UnreadableSecret */
export function toWaiting({ body, raw, crc, ...row }: StoredWaiting, vault: Vault): WaitingRow {
  if (body === null) return row;
  checkBody('message', { id: row.id, body, raw }, crc);
  const content = openedContent(row, { body, raw }, vault);
  if (content.body.length + (content.raw?.length ?? 0) > WAITING_CONTENT) return row;
  return { ...row, raw: content.raw, body: JSON.parse(content.body) };
}

export function toStation({ position, ...row }: StoredStation): Station {
  return { id: stationId(position), ...row };
}

export function toEvent({ detail, ...row }: StoredEvent): EventRow {
  return { ...row, detail: detail === null ? null : JSON.parse(detail) };
}

/** @throws DamagedBody, UnreadableSecret */
export function toListed(row: StoredListed, vault: Vault): ListedMessage {
  return withContent(row, vault);
}

/** @throws DamagedBody, UnreadableSecret */
export function toRecord({ crc, ...row }: StoredRecord, vault: Vault): RecordRow {
  checkBody('record', row, crc);
  return { ...row, body: JSON.parse(vault.open(place.record(row.family, row.id), row.body)) };
}

function withContent<Row extends StoredMessage>({ crc, ...row }: Row, vault: Vault): Omit<Row, 'crc'> & MessageRow {
  checkBody('message', row, crc);
  const { body, raw } = openedContent(row, row, vault);
  return { ...row, raw, body: JSON.parse(body) };
}
