/** The changes of messages as statements. The content of some types is encrypted (places.ts). */
import type { UnixMillis } from '../../../kernel/time.js';
import type { Vault } from '../secrets/vault.js';
import type { Change, Id } from '../store.js';
import { checksumOf } from './checksum.js';
import type { Dialect, SqlValue, Statement } from './dialect.js';
import { sealedContent } from './places.js';
import { json, valueIf } from './statements.js';

const CANCEL_PENDING = `UPDATE message SET down_state = 'cancelled', down_state_at = ?
  WHERE device_id = ? AND down_state = 'pending'`;

export function cancelPending(deviceId: Id, at: UnixMillis): Statement {
  return { text: CANCEL_PENDING, values: [at, deviceId] };
}

/**
 * Records an offer. It sets the state `pending` again, which a trigger of the database rejects if the downlink is in another
 * state. The database also rejects the statement if the new number of attempts is not the stored number plus one.
 */
export const OFFER_MESSAGE = `UPDATE message SET down_state = 'pending', created_at = ${valueIf('down_attempt = ?', 'created_at')},
  down_attempt = ? WHERE id = ?`;

export const END_MESSAGE = 'UPDATE message SET down_state = ?, down_state_at = ? WHERE id = ?';

const IS_COPY = 'EXISTS (SELECT 1 FROM message WHERE device_id = ? AND print = ? AND created_at >= ?)';
const FIND_COPY = `SELECT ${IS_COPY} AS found`;
const IS_GONE = 'EXISTS (SELECT 1 FROM device WHERE id = ? AND deleted_at IS NOT NULL)';
const HAS_ROOM = "(SELECT count(*) FROM message WHERE device_id = ? AND down_state = 'pending') < ?";

/** Statements that insert a message. The database rejects each if the device is deleted or has a message with a greater id. */
interface MessageInsertions {
  readonly any: string;
  /** Also rejected if the uplink is a copy of a stored one. */
  readonly new: string;
  /** Also rejected if the queue of the device is full. */
  readonly withRoom: string;
}

function messageInsertions({ hasNewer }: Dialect): MessageInsertions {
  const device = valueIf(`NOT ${IS_GONE}`, '?');
  const type = valueIf(`NOT ${hasNewer}`, '?');
  const insertWith = (attempt: string, direction: string) =>
    `INSERT INTO message (id, space_id, device_id, created_at, type, body, codec_hash, raw, print,
      crc, down_state, down_state_at, down_scheduled_at, down_attempt, down_answered_at, direction)
      VALUES (?, ?, ${device}, ?, ${type}, ?, ?, ?, ?, ?, ?, ?, ?, ${attempt}, ?, ${direction})`;
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

/** This is the most frequent write. So its statement and values are written out, which is faster than `insert`. */
export function insertMessage(
  { row, newSince, room }: Extract<Change, { kind: 'message.insert' }>,
  sql: Dialect,
  vault: Vault,
): Statement {
  const { id, fingerprint } = row;
  const { body, raw } = sealedContent(row, { body: json(row.body), raw: row.raw }, vault);
  const insertions = insertionsIn(sql);
  const values: SqlValue[] = [
    id,
    row.spaceId,
    row.deviceId,
    row.deviceId,
    row.createdAt,
    row.deviceId,
    id,
    row.type,
    body,
    row.codecHash,
    raw,
    fingerprint,
    checksumOf(id, body, raw),
    row.downState,
    row.downStateAt,
    row.downScheduledAt,
  ];
  if (room !== undefined) {
    values.push(row.deviceId, room, row.downAnsweredAt, row.direction);
    return { text: insertions.withRoom, values, ofDevice: row.deviceId };
  }
  values.push(row.downAttempt, row.downAnsweredAt);
  if (newSince === undefined || fingerprint === null)
    return { text: insertions.any, values: [...values, row.direction], ofDevice: row.deviceId };
  const copy = [row.deviceId, fingerprint, Math.ceil(newSince)];
  const isCopy = { text: FIND_COPY, values: copy };
  return { text: insertions.new, values: [...values, ...copy], isCopy, ofDevice: row.deviceId };
}
