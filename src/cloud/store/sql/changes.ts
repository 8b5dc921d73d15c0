/** Translates the changes of the port to SQL, the same for SQLite and PostgreSQL. */
import { createHash } from 'node:crypto';
import type { UnixMillis } from '../../../kernel/time.js';
import { foldCase } from '../order.js';
import type { Change, DeviceChange, DeviceRow, Id, MessageRow, SessionFacts, TagChange } from '../store.js';
import { checksumOf } from './checksum.js';
import type { Dialect, SqlValue, Statement } from './dialect.js';

/**
 * The statements of one change in the dialect, in order of execution.
 * @throws TypeError if a body cannot be written as JSON
 */
export function statementsOf(change: Change, sql: Dialect): readonly Statement[] {
  switch (change.kind) {
    case 'space.put': {
      const { id, name, type, createdAt } = change.row;
      return [put('space', ['id'], { id, name, type, created_at: createdAt })];
    }
    case 'space.change':
      return update('space', change.change, change.id, " AND type <> 'deleted'");
    case 'space.delete':
      return deleteSpace(change.id, change.families);
    case 'key.put': {
      const { id, spaceId, name, hash, createdAt } = change.row;
      return [put('api_key', ['id'], { id, space_id: spaceId, name, hash, created_at: createdAt })];
    }
    case 'key.change':
      return update('api_key', { hash: change.hash }, change.id);
    case 'key.delete':
      return [{ text: 'DELETE FROM api_key WHERE id = ?', values: [change.id] }];
    case 'tag.put': {
      const { id, spaceId, name, color, accessType, createdAt } = change.row;
      const columns = { id, space_id: spaceId, name, color, access_type: accessType, created_at: createdAt };
      return [put('tag', ['id'], columns)];
    }
    case 'tag.change':
      return update('tag', tagColumns(change.change), change.id);
    case 'tag.delete':
      return [{ text: 'DELETE FROM tag WHERE id = ?', values: [change.id] }];
    case 'device.insert':
      return insertDevice(change.row);
    case 'device.change':
      return changeDevice(change.id, change.change, change.within);
    case 'device.delete':
      return [
        {
          text: "UPDATE device SET deleted_at = ?, token = '', token_hash = NULL WHERE id = ? AND deleted_at IS NULL",
          values: [change.at, change.id],
        },
        detachTags(change.id),
        { text: CANCEL_PENDING, values: [change.at, change.id] },
      ];
    case 'message.insert':
      return [insertMessage(sql, change.row, change.newSince, change.room)];
    case 'message.offer':
      return [{ text: OFFER_MESSAGE, values: [change.attempt - 1, change.attempt, change.id] }];
    case 'message.state':
      return [{ text: END_MESSAGE, values: [change.state, change.at, change.id] }];
    case 'message.answered':
      return [{ text: 'UPDATE message SET down_answered_at = ? WHERE id = ?', values: [change.at, change.id] }];
    case 'timeline.add': {
      const { messageId, at, what, detail } = change.row;
      const station = insert('timeline', { message_id: messageId, at, what, detail });
      return change.latest
        ? [{ text: FORGET_STATIONS, values: [messageId, what, messageId, what] }, station]
        : [station];
    }
    case 'codec.put': {
      const { text, values } = insert('codec', { hash: change.row.hash, document: change.row.document });
      return [{ text: `${text} ON CONFLICT (hash) DO NOTHING`, values }];
    }
    case 'record.put': {
      const { family, id, spaceId, key, createdAt, dueAt } = change.row;
      const body = json(change.row.body);
      const crc = checksumOf(id, body);
      const columns = { family, id, space_id: spaceId, key, created_at: createdAt, due_at: dueAt, body, crc };
      return [put('record', ['family', 'id'], columns)];
    }
    case 'record.change': {
      const { family, id, key, dueAt } = change.row;
      const body = json(change.row.body);
      return [{ text: CHANGE_RECORD, values: [key, dueAt, json(change.was), body, checksumOf(id, body), family, id] }];
    }
    case 'record.delete':
      return [{ text: 'DELETE FROM record WHERE family = ? AND id = ?', values: [change.family, change.id] }];
    default:
      return change satisfies never;
  }
}

/**
 * The database rejects the whole commit if this is written into a NOT NULL column (ADR 8). Drivers map the column to a reason.
 */
const REJECTED = 'NULL';

/** SQL value for a NOT NULL column: `value` if the condition holds; otherwise the database rejects the whole commit. */
function valueIf(condition: string, value: string): string {
  return `CASE WHEN ${condition} THEN ${value} ELSE ${REJECTED} END`;
}

type Columns = Readonly<Record<string, SqlValue>>;

const CANCEL_PENDING = `UPDATE message SET down_state = 'cancelled', down_state_at = ?
  WHERE device_id = ? AND down_state = 'pending'`;

/**
 * Writes the state `pending` again. The database rejects that for a downlink in another state, and if the number of attempts
 * does not follow the stored one.
 */
const OFFER_MESSAGE = `UPDATE message SET down_state = 'pending', created_at = ${valueIf('down_attempt = ?', 'created_at')},
  down_attempt = ? WHERE id = ?`;

const END_MESSAGE = 'UPDATE message SET down_state = ?, down_state_at = ? WHERE id = ?';

/** Rejected if the stored body is not the expected one. */
const CHANGE_RECORD = `UPDATE record SET key = ?, due_at = ?, body = ${valueIf('body = ?', '?')}, crc = ?
  WHERE family = ? AND id = ?`;

const IS_COPY = 'EXISTS (SELECT 1 FROM message WHERE device_id = ? AND print = ? AND created_at >= ?)';
const HAS_ROOM = "(SELECT count(*) FROM message WHERE device_id = ? AND down_state = 'pending') < ?";

/** Statements that insert a message; each rejects one that is older than a stored message of its device. */
interface MessageInsertions {
  readonly any: string;
  /** Rejects an uplink that is a copy of a stored one. */
  readonly new: string;
  /** Rejects a downlink if the queue of the device is full. */
  readonly withRoom: string;
}

function messageInsertions({ hasNewer }: Dialect): MessageInsertions {
  const type = valueIf(`NOT ${hasNewer}`, '?');
  const insertWith = (attempt: string, direction: string) =>
    `INSERT INTO message (id, space_id, device_id, created_at, type, body, codec_hash, raw, print,
      crc, down_state, down_state_at, down_scheduled_at, down_attempt, down_answered_at, direction)
      VALUES (?, ?, ?, ?, ${type}, ?, ?, ?, ?, ?, ?, ?, ?, ${attempt}, ?, ${direction})`;
  return {
    any: insertWith('?', '?'),
    new: insertWith('?', valueIf(`NOT ${IS_COPY}`, "'up'")),
    withRoom: insertWith(valueIf(HAS_ROOM, '0'), '?'),
  };
}

const insertionsByDialect = new Map<Dialect, MessageInsertions>();

function insertionsIn(sql: Dialect): MessageInsertions {
  let insertions = insertionsByDialect.get(sql);
  if (insertions === undefined) {
    insertions = messageInsertions(sql);
    insertionsByDialect.set(sql, insertions);
  }
  return insertions;
}

const FORGET_STATIONS = `DELETE FROM timeline WHERE message_id = ? AND what = ?
  AND position > (SELECT min(position) FROM timeline WHERE message_id = ? AND what = ?)`;

/** Ignores a tag that does not exist or is already attached. */
const ATTACH_TAG = `INSERT INTO device_tag (position, device_id, tag_id)
  SELECT (SELECT coalesce(max(position), -1) + 1 FROM device_tag WHERE device_id = ?), d.id, t.id FROM device d, tag t WHERE d.id = ? AND d.deleted_at IS NULL AND t.id = ?
  ON CONFLICT (device_id, tag_id) DO NOTHING`;

/** Cached statements of `insert` and `put` by table: their columns never change. */
const texts = new Map<string, string>();

function insert(table: string, columns: Columns): Statement {
  let text = texts.get(table);
  if (text === undefined) {
    const names = Object.keys(columns);
    text = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
    texts.set(table, text);
  }
  return { text, values: Object.values(columns) };
}

/** Inserts the row, or replaces the one with its key. */
function put(table: string, key: readonly string[], columns: Columns): Statement {
  const { text, values } = insert(table, columns);
  const name = `put ${table}`;
  let whole = texts.get(name);
  if (whole === undefined) {
    const others = Object.keys(columns).filter((column) => !key.includes(column));
    const replaced = others.map((column) => `${column} = excluded.${column}`).join(', ');
    whole = `${text} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${replaced}`;
    texts.set(name, whole);
  }
  return { text: whole, values };
}

function update(table: string, columns: Columns, id: Id, condition = ''): readonly Statement[] {
  const names = Object.keys(columns);
  if (names.length === 0) return [];
  const text = `UPDATE ${table} SET ${names.join(' = ?, ')} = ? WHERE id = ?${condition}`;
  return [{ text, values: [...Object.values(columns), id] }];
}

/**
 * The first statement updates the row of the space. It waits for transactions that insert into the space, because these hold
 * its lock; so the following statements see their rows. Rejected if the space has devices.
 */
function deleteSpace(id: Id, families: readonly string[]): readonly Statement[] {
  const hasDevice = 'EXISTS (SELECT 1 FROM device WHERE space_id = ? AND deleted_at IS NULL)';
  return [
    { text: "UPDATE space SET type = 'deleted' WHERE id = ?", values: [id] },
    { text: `UPDATE space SET type = ${REJECTED} WHERE id = ? AND ${hasDevice}`, values: [id, id] },
    { text: 'DELETE FROM api_key WHERE space_id = ?', values: [id] },
    { text: 'DELETE FROM tag WHERE space_id = ?', values: [id] },
    ...families.map((family) => ({
      text: "DELETE FROM record WHERE family = ? AND coalesce(space_id, '') = ?",
      values: [family, id],
    })),
  ];
}

function insertDevice(row: DeviceRow): readonly Statement[] {
  const { id, spaceId, serial, createdAt } = row;
  const columns = { id, space_id: spaceId, serial, created_at: createdAt, ...deviceColumns(row) };
  return [insert('device', columns), ...attachTags(id, row.tagIds)];
}

function changeDevice(id: Id, change: DeviceChange, within: readonly Id[] | undefined): readonly Statement[] {
  const detached = within === undefined ? [detachTags(id)] : within.map((tagId) => detachTag(id, tagId));
  const tags = change.tagIds ? [...detached, ...attachTags(id, change.tagIds)] : [];
  return [...update('device', deviceColumns(change), id, ' AND deleted_at IS NULL'), ...tags];
}

function attachTags(deviceId: Id, tagIds: readonly Id[]): readonly Statement[] {
  return tagIds.map((tagId) => ({ text: ATTACH_TAG, values: [deviceId, deviceId, tagId] }));
}

function detachTag(deviceId: Id, tagId: Id): Statement {
  return { text: 'DELETE FROM device_tag WHERE device_id = ? AND tag_id = ?', values: [deviceId, tagId] };
}

function detachTags(deviceId: Id): Statement {
  return { text: 'DELETE FROM device_tag WHERE device_id = ?', values: [deviceId] };
}

function tagColumns({ name, color, accessType }: TagChange): Columns {
  const columns: Record<string, SqlValue> = {};
  if (name !== undefined) columns.name = name;
  if (color !== undefined) columns.color = color;
  if (accessType !== undefined) columns.access_type = accessType;
  return columns;
}

/** SHA-256 of a claim token in lower-case hex, for the index of tokens. A token has 128 random bits and needs no salt. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The columns that a change of a device sets; its tags are in a table of their own. */
function deviceColumns(change: DeviceChange): Columns {
  const columns: Record<string, SqlValue> = {};
  if (change.name !== undefined) {
    columns.name = change.name;
    columns.name_folded = foldCase(change.name);
  }
  if (change.token !== undefined) {
    columns.token = change.token;
    columns.token_hash = tokenHash(change.token);
  }
  if (change.comment !== undefined) columns.comment = change.comment;
  if (change.externalId !== undefined) columns.external_id = change.externalId;
  if (change.label !== undefined) columns.label = json(change.label);
  if (change.lastSeen !== undefined) columns.last_seen = change.lastSeen;
  if (change.sessionId !== undefined) columns.session_id = change.sessionId;
  if (change.session !== undefined) columns.session = sessionText(change.session);
  if (change.configHash !== undefined) columns.config_hash = change.configHash;
  if (change.decoderHash !== undefined) columns.decoder_hash = change.decoderHash;
  if (change.encoderHash !== undefined) columns.encoder_hash = change.encoderHash;
  return columns;
}

/** Lists its columns explicitly, unlike other tables, because it is the most frequent write. */
function insertMessage(
  sql: Dialect,
  row: MessageRow,
  newSince: UnixMillis | undefined,
  room: number | undefined,
): Statement {
  const { id, raw, print } = row;
  const body = json(row.body);
  const insertions = insertionsIn(sql);
  const values: SqlValue[] = [
    id,
    row.spaceId,
    row.deviceId,
    row.createdAt,
    row.deviceId,
    id,
    row.type,
    body,
    row.codecHash,
    raw,
    print,
    checksumOf(id, body, raw),
    row.downState,
    row.downStateAt,
    row.downScheduledAt,
  ];
  if (room !== undefined) {
    values.push(row.deviceId, room, row.downAnsweredAt, row.direction);
    return { text: insertions.withRoom, values };
  }
  values.push(row.downAttempt, row.downAnsweredAt);
  if (newSince === undefined || print === null) values.push(row.direction);
  else values.push(row.deviceId, print, Math.ceil(newSince));
  return { text: newSince === undefined || print === null ? insertions.any : insertions.new, values };
}

function sessionText(session: SessionFacts | null): string | null {
  return session === null ? null : json(session);
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
