/** The queries of the SQL stores with a constant text. */
import type { Dialect } from './dialect.js';
import { DEVICE_COLUMNS, LISTED_COLUMNS, MESSAGE_COLUMNS, RECORD_COLUMNS, WAITING_COLUMNS } from './rows.js';

const SPACE_COLUMNS = 'id, name, type, created_at AS "createdAt"';
const TAG_COLUMNS = 'id, space_id AS "spaceId", name, color, access_type AS "accessType", created_at AS "createdAt"';

/** These queries in a dialect, by name. */
export function queriesIn(sql: Dialect) {
  const device = `SELECT ${DEVICE_COLUMNS}, ${sql.tagIds} FROM device d WHERE d.deleted_at IS NULL`;
  const message = (index: string) => `SELECT ${MESSAGE_COLUMNS} FROM ${sql.messagesBy(index)}`;
  // A null space (the whole service) is compared as '', because the indexes contain '' in its place.
  const ofSpace = "coalesce(space_id, '') = coalesce(?, '')";
  return {
    spaces: `SELECT ${SPACE_COLUMNS} FROM space WHERE id > ? ORDER BY id LIMIT ?`,
    space: `SELECT ${SPACE_COLUMNS} FROM space WHERE id = ?`,
    keyByHash: 'SELECT id, space_id AS "spaceId", name, hash, created_at AS "createdAt" FROM api_key WHERE hash = ?',
    tags: `SELECT ${TAG_COLUMNS} FROM tag WHERE space_id = ? AND id > ? ORDER BY id LIMIT ?`,
    tagIds: 'SELECT id FROM tag WHERE space_id = ? ORDER BY id LIMIT ?',
    tag: `SELECT ${TAG_COLUMNS} FROM tag WHERE id = ? AND space_id = ?`,
    device: `${device} AND d.id = ? AND d.space_id = ?`,
    deviceBySerial: `${device} AND d.serial = ?`,
    message: `SELECT ${LISTED_COLUMNS} FROM message m ${sql.joinDevice}
      WHERE m.id = ? AND m.space_id = ? AND d.deleted_at IS NULL`,
    newestMessage: 'SELECT id FROM message ORDER BY id DESC LIMIT 1',
    newestOfDevice: `SELECT m.id FROM ${sql.messagesBy('message_of_device')}
      WHERE m.device_id = ? ORDER BY ${sql.listedId} DESC LIMIT 1`,
    pendingDownlinks: `SELECT ${WAITING_COLUMNS} FROM ${sql.messagesBy('message_pending_of_device')}
      WHERE m.device_id = ? AND m.down_state = 'pending' ORDER BY m.id`,
    countPending: `SELECT count(*) AS count FROM ${sql.messagesBy('message_pending')} WHERE m.down_state = 'pending'`,
    countPendingBySpace: `SELECT m.space_id AS "spaceId", count(*) AS count FROM ${sql.messagesBy('message_pending')}
      WHERE m.down_state = 'pending' GROUP BY m.space_id`,
    overdueDownlinks: `${message('message_pending')}
      WHERE m.down_state = 'pending' AND m.id < ? AND m.created_at < ? ORDER BY m.id LIMIT ?`,
    unansweredDownlinks: `${message('message_unanswered')}
      WHERE m.device_id = ? AND m.down_state = 'sent' AND m.down_answered_at IS NULL AND m.type IN ('config', 'shell')
      ORDER BY m.id`,
    copyOf: `SELECT m.id FROM ${sql.messagesBy('message_print')}
      WHERE m.device_id = ? AND m.print = ? AND m.created_at >= ? ORDER BY ${sql.listedId} DESC LIMIT 1`,
    timeline: `SELECT position, message_id AS "messageId", at, what, detail FROM timeline
      WHERE message_id = ? AND position > ? ORDER BY position LIMIT ?`,
    oldMessages: `SELECT id FROM message
      WHERE id < ? AND created_at < ? AND (down_state IS NULL OR down_state <> 'pending') ORDER BY id LIMIT ?`,
    oldDeliveries: `SELECT id FROM record
      WHERE family = 'delivery' AND id < ? AND created_at < ? AND due_at IS NULL ORDER BY id LIMIT ?`,
    codec: 'SELECT hash, document FROM codec WHERE hash = ?',
    records: `SELECT ${RECORD_COLUMNS} FROM record WHERE family = ? AND ${ofSpace} AND id > ? ORDER BY id LIMIT ?`,
    countRecords: `SELECT count(*) AS count
      FROM (SELECT 1 FROM record WHERE family = ? AND ${ofSpace} LIMIT ?) counted`,
    recordIds: `SELECT id FROM record WHERE family = ? AND ${ofSpace} ORDER BY id LIMIT ?`,
    record: `SELECT ${RECORD_COLUMNS} FROM record WHERE family = ? AND id = ? AND ${ofSpace}`,
    recordByKey: `SELECT ${RECORD_COLUMNS} FROM record WHERE family = ? AND ${ofSpace} AND key = ?`,
    recordsInRange: `SELECT ${RECORD_COLUMNS} FROM record
      WHERE family = ? AND ${ofSpace} AND key >= ? AND key < ? ORDER BY key DESC LIMIT ?`,
    dueRecords: `SELECT ${RECORD_COLUMNS} FROM record WHERE family = ? AND due_at <= ? ORDER BY due_at, id LIMIT ?`,
    dueRecordsOfSpace: `SELECT ${RECORD_COLUMNS} FROM record
      WHERE family = ? AND space_id = ? AND due_at <= ? ORDER BY due_at, id LIMIT ?`,
    connectorsVersion: 'SELECT connectors_version AS version FROM space WHERE id = ?',
    events: `SELECT seq, space_id AS "spaceId", device_id AS "deviceId", at, kind, ref, detail FROM event
      WHERE seq > ? ORDER BY seq LIMIT ?`,
    newestEvent: 'SELECT max(seq) AS seq FROM event',
    // Jumps in the index from one space to the next, without reading the other records of each space.
    dueSpaces: `WITH RECURSIVE waiting (id) AS (
        SELECT min(space_id) FROM record WHERE family = ? AND due_at IS NOT NULL
        UNION ALL
        SELECT (SELECT min(space_id) FROM record WHERE family = ? AND due_at IS NOT NULL AND space_id > waiting.id)
        FROM waiting WHERE waiting.id IS NOT NULL
      )
      SELECT id FROM waiting WHERE id IS NOT NULL
        AND EXISTS (SELECT 1 FROM record WHERE family = ? AND space_id = waiting.id AND due_at <= ?) ORDER BY id`,
  };
}
