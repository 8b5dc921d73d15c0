/** Translates the changes of a commit to SQL, for SQLite and PostgreSQL. */
import type { Vault } from '../secrets/vault.js';
import type { Change, Id, RecordRow, TagChange } from '../store.js';
import { checksumOf } from './checksum.js';
import { changeDevice, deleteDevice, insertDevice, needDevice, needRules } from './device-changes.js';
import type { Dialect, SqlValue, Statement } from './dialect.js';
import { addEvent } from './event-changes.js';
import { END_MESSAGE, insertMessage, OFFER_MESSAGE } from './message-changes.js';
import { place } from './places.js';
import { type Columns, insert, json, put, REJECTED, update, valueIf } from './statements.js';

/**
 * The statements of one change in the dialect, in order of execution.
 * @param vault encrypts the secrets
 * @throws TypeError if a body cannot be written as JSON
 */
export function statementsOf(change: Change, sql: Dialect, vault: Vault): readonly Statement[] {
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
      return insertDevice(change.row, vault);
    case 'device.change':
      return changeDevice(change, vault);
    case 'device.delete':
      return deleteDevice(change);
    case 'device.need':
      return [needDevice(change.id)];
    case 'message.insert':
      return [insertMessage(change, sql, vault)];
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
      const body = sealedBody(change.row, change.row.body, vault);
      const crc = checksumOf(id, body);
      const columns = { family, id, space_id: spaceId, key, created_at: createdAt, due_at: dueAt, body, crc };
      return [put('record', ['family', 'id'], columns)];
    }
    case 'record.change': {
      const { family, id, key, dueAt } = change.row;
      const was = sealedBody(change.row, change.was, vault);
      const body = sealedBody(change.row, change.row.body, vault);
      return [{ text: CHANGE_RECORD, values: [key, dueAt, was, body, checksumOf(id, body), family, id] }];
    }
    case 'record.delete':
      return [{ text: 'DELETE FROM record WHERE family = ? AND id = ?', values: [change.family, change.id] }];
    case 'record.none':
      return [{ text: NO_RECORD, values: [change.family, change.spaceId, change.range.from, change.range.below] }];
    case 'rules.need':
      return [needRules(change)];
    case 'event.add':
      return [addEvent(change.event)];
    case 'event.prune':
      return [{ text: 'DELETE FROM event WHERE seq < ?', values: [change.below] }];
    default:
      return change satisfies never;
  }
}

/** Encrypting the same body of the same record always gives the same text: see vault.ts. */
function sealedBody({ family, id }: RecordRow, body: unknown, vault: Vault): string {
  return vault.seal(place.record(family, id), json(body));
}

/** The database rejects this statement if the stored body is not the expected one. */
const CHANGE_RECORD = `UPDATE record SET key = ?, due_at = ?, body = ${valueIf('body = ?', '?')}, crc = ?
  WHERE family = ? AND id = ?`;

/** The database rejects this statement if it finds a record. */
const NO_RECORD = `UPDATE record SET body = ${REJECTED}
  WHERE family = ? AND coalesce(space_id, '') = ? AND key >= ? AND key < ?`;

const FORGET_STATIONS = `DELETE FROM timeline WHERE message_id = ? AND what = ?
  AND position > (SELECT min(position) FROM timeline WHERE message_id = ? AND what = ?)`;

/** Updates the space's row, which insertions lock: so it waits for them. Rejected if the space has devices. */
function deleteSpace(id: Id, families: readonly string[]): readonly Statement[] {
  const hasDevice = 'EXISTS (SELECT 1 FROM device WHERE space_id = ? AND deleted_at IS NULL)';
  return [
    { text: "UPDATE space SET type = 'deleted' WHERE id = ?", values: [id] },
    { text: `UPDATE space SET type = ${REJECTED} WHERE id = ? AND ${hasDevice}`, values: [id, id] },
    { text: 'DELETE FROM api_key WHERE space_id = ?', values: [id] },
    ...families.map((family) => ({
      text: "DELETE FROM record WHERE family = ? AND coalesce(space_id, '') = ?",
      values: [family, id],
    })),
  ];
}

function tagColumns({ name, color, accessType }: TagChange): Columns {
  const columns: Record<string, SqlValue> = {};
  if (name !== undefined) columns.name = name;
  if (color !== undefined) columns.color = color;
  if (accessType !== undefined) columns.access_type = accessType;
  return columns;
}
