/** Writes single changes into the SQLite store; the transaction around them is the caller's. */
import type { Database, Statement } from 'better-sqlite3';
import type { UnixMillis } from '../../kernel/time.js';
import { foldCase } from './order.js';
import type { SqlValue } from './sqlite-queries.js';
import type { Change, DeviceChange, DeviceRow, Id, MessageRow, SessionFacts } from './store.js';

export class SqliteWriter {
  readonly #statements: ReturnType<typeof prepare>;
  readonly #db: Database;
  /** Updates of a device, by the columns that they set: the few combinations that occur are prepared once. */
  readonly #deviceUpdates = new Map<string, Statement<unknown[]>>();

  constructor(db: Database) {
    this.#db = db;
    this.#statements = prepare(db);
  }

  /** @throws SqliteError when a constraint forbids it */
  write(change: Change): void {
    const sql = this.#statements;
    switch (change.kind) {
      case 'space.put': {
        const { id, name, type, createdAt } = change.row;
        sql.putSpace.run(id, name, type, createdAt);
        return;
      }
      case 'key.put': {
        const { id, spaceId, name, hash, createdAt } = change.row;
        sql.putKey.run(id, spaceId, name, hash, createdAt);
        return;
      }
      case 'tag.put': {
        const { id, spaceId, name, color, accessType, createdAt } = change.row;
        sql.putTag.run(id, spaceId, name, color, accessType, createdAt);
        return;
      }
      case 'tag.delete':
        sql.deleteTag.run(change.id);
        return;
      case 'device.insert':
        return this.#insertDevice(change.row);
      case 'device.change':
        return this.#changeDevice(change.id, change.change);
      case 'device.delete':
        return this.#deleteDevice(change.id, change.at);
      case 'message.insert':
        return this.#insertMessage(change.row);
      case 'message.state':
        sql.moveMessage.run(change.state, change.at, change.state, change.attempt, change.id);
        return;
      case 'message.answered':
        sql.answerMessage.run(change.at, change.id);
        return;
      case 'timeline.add': {
        const { messageId, at, what, detail } = change.row;
        sql.addToTimeline.run(messageId, at, what, detail);
        return;
      }
      case 'codec.put':
        sql.putCodec.run(change.row.hash, change.row.document);
        return;
      default:
        change satisfies never;
    }
  }

  #insertDevice(row: DeviceRow): void {
    this.#statements.insertDevice.run(
      row.id,
      row.spaceId,
      row.name,
      foldCase(row.name),
      row.comment,
      row.serial,
      row.token,
      row.externalId,
      JSON.stringify(row.label),
      row.createdAt,
      row.lastSeen,
      row.sessionId,
      sessionText(row.session),
      row.configHash,
      row.decoderHash,
      row.encoderHash,
    );
    this.#attachTags(row.id, row.tagIds);
  }

  #changeDevice(id: Id, change: DeviceChange): void {
    const columns = deviceColumns(change);
    const names = Object.keys(columns).join(' = ?, ');
    if (names !== '') {
      let update = this.#deviceUpdates.get(names);
      if (!update) {
        update = this.#db.prepare(`UPDATE device SET ${names} = ? WHERE id = ? AND deleted_at IS NULL`);
        this.#deviceUpdates.set(names, update);
      }
      update.run(...Object.values(columns), id);
    }
    if (change.tagIds) {
      this.#statements.detachTags.run(id);
      this.#attachTags(id, change.tagIds);
    }
  }

  #attachTags(deviceId: Id, tagIds: readonly Id[]): void {
    for (const [position, tagId] of tagIds.entries()) this.#statements.attachTag.run(position, deviceId, tagId);
  }

  #deleteDevice(id: Id, at: UnixMillis): void {
    this.#statements.deleteDevice.run(at, id);
    this.#statements.detachTags.run(id);
    this.#statements.cancelPending.run(at, id);
  }

  #insertMessage(row: MessageRow): void {
    this.#statements.insertMessage.run(
      row.id,
      row.spaceId,
      row.deviceId,
      row.createdAt,
      row.type,
      row.direction,
      JSON.stringify(row.body) ?? 'null',
      row.codecHash,
      row.raw,
      row.print,
      row.downState,
      row.downStateAt,
      row.downScheduledAt,
      row.downAttempt,
      row.downAnsweredAt,
    );
  }
}

function prepare(db: Database) {
  const sql = (text: string): Statement<unknown[]> => db.prepare(text);
  return {
    putSpace: sql(`INSERT INTO space (id, name, type, created_at) VALUES (?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, type = excluded.type, created_at = excluded.created_at`),
    putKey: sql(`INSERT INTO api_key (id, space_id, name, hash, created_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, hash = excluded.hash,
      created_at = excluded.created_at`),
    putTag: sql(`INSERT INTO tag (id, space_id, name, color, access_type, created_at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, color = excluded.color, access_type = excluded.access_type,
      created_at = excluded.created_at`),
    deleteTag: sql('DELETE FROM tag WHERE id = ?'),
    insertDevice: sql(`INSERT INTO device (id, space_id, name, name_folded, comment, serial, token, external_id, label,
      created_at, last_seen, session_id, session, config_hash, decoder_hash, encoder_hash)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    deleteDevice: sql("UPDATE device SET deleted_at = ?, token = '' WHERE id = ? AND deleted_at IS NULL"),
    detachTags: sql('DELETE FROM device_tag WHERE device_id = ?'),
    attachTag: sql(`INSERT OR IGNORE INTO device_tag (position, device_id, tag_id)
      SELECT ?, d.id, t.id FROM device d, tag t WHERE d.id = ? AND d.deleted_at IS NULL AND t.id = ?`),
    cancelPending: sql(`UPDATE message SET down_state = 'cancelled', down_state_at = ?
      WHERE device_id = ? AND down_state = 'pending'`),
    insertMessage:
      sql(`INSERT INTO message (id, space_id, device_id, created_at, type, direction, body, codec_hash, raw,
      print, down_state, down_state_at, down_scheduled_at, down_attempt, down_answered_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    moveMessage: sql(`UPDATE message SET down_state_at = iif(down_state IS ?, down_state_at, ?), down_state = ?,
      down_attempt = ? WHERE id = ?`),
    answerMessage: sql('UPDATE message SET down_answered_at = ? WHERE id = ?'),
    addToTimeline: sql('INSERT INTO timeline (message_id, at, what, detail) VALUES (?, ?, ?, ?)'),
    putCodec: sql('INSERT OR IGNORE INTO codec (hash, document) VALUES (?, ?)'),
  };
}

/** The columns that a change of a device sets; its tags live in a table of their own. */
function deviceColumns(change: DeviceChange): Readonly<Record<string, SqlValue>> {
  const columns: Record<string, SqlValue> = {};
  if (change.name !== undefined) {
    columns.name = change.name;
    columns.name_folded = foldCase(change.name);
  }
  if (change.comment !== undefined) columns.comment = change.comment;
  if (change.externalId !== undefined) columns.external_id = change.externalId;
  if (change.label !== undefined) columns.label = JSON.stringify(change.label);
  if (change.lastSeen !== undefined) columns.last_seen = change.lastSeen;
  if (change.sessionId !== undefined) columns.session_id = change.sessionId;
  if (change.session !== undefined) columns.session = sessionText(change.session);
  if (change.configHash !== undefined) columns.config_hash = change.configHash;
  if (change.decoderHash !== undefined) columns.decoder_hash = change.decoderHash;
  if (change.encoderHash !== undefined) columns.encoder_hash = change.encoderHash;
  return columns;
}

function sessionText(session: SessionFacts | null): string | null {
  return session === null ? null : JSON.stringify(session);
}
