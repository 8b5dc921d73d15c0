/** Lists with filters. A query's text depends on which filters are given, so that each combination is prepared once. */
import type { DeviceSort } from '../../../contract/devices.js';
import { GRACE, INTERVALS, LONGEST_INTERVAL } from '../../../contract/health.js';
import { foldCase } from '../../../kernel/fold-case.js';
import type { UnixMillis } from '../../../kernel/time.js';
import { type IdRange, idRange } from '../order.js';
import type { DeviceFilter, DeviceQuery, Id, MessageQuery } from '../store.js';
import type { Dialect, SqlValue, Statement } from './dialect.js';
import { DEVICE_COLUMNS, LISTED_COLUMNS, PUBLIC_DEVICE_COLUMNS } from './rows.js';

const SORT_COLUMNS: Readonly<Record<DeviceSort, string>> = {
  id: 'd.id',
  name: 'd.name',
  serial_number: 'd.serial',
  external_id: 'd.external_id',
  last_seen: 'd.last_seen',
  session_id: 'd.session_id',
};

export function devicesById(sql: Dialect, spaceId: Id, query: DeviceQuery): Statement {
  const where = deviceConditions(sql, spaceId, query);
  if (query.after !== undefined) where.and(`d.id ${query.order === 'asc' ? '>' : '<'} ?`, query.after.id);
  return {
    text: `SELECT ${columns(query)}, ${sql.tagIds} FROM device d WHERE ${where.text} ORDER BY d.id ${query.order} LIMIT ?`,
    values: [...where.values, query.limit],
  };
}

/** Devices sorted by another column. */
export function devicesSorted(sql: Dialect, spaceId: Id, query: DeviceQuery): Statement {
  const where = deviceConditions(sql, spaceId, query);
  const column = SORT_COLUMNS[query.sortBy];
  if (query.after) {
    const { id, value } = query.after;
    const beyond = query.order === 'asc' ? '>' : '<';
    if (value === null) where.and(`${column} IS NULL AND d.id > ?`, id);
    else {
      const later = `(${column} IS NULL OR ${column} ${beyond} ? OR (${column} = ? AND d.id > ?))`;
      where.and(later, value, value, id);
    }
  }
  if (query.upTo !== undefined) where.and(`(${column} IS NULL OR ${column} <= ?)`, query.upTo);
  return {
    text: `SELECT ${columns(query)}, ${sql.tagIds} FROM device d WHERE ${where.text}
      ORDER BY ${column} IS NULL, ${column} ${query.order}, d.id LIMIT ?`,
    values: [...where.values, query.limit],
  };
}

function columns({ withTokens = false }: DeviceQuery): string {
  return withTokens ? DEVICE_COLUMNS : PUBLIC_DEVICE_COLUMNS;
}

/** @param most number at which counting stops */
export function deviceCount(sql: Dialect, spaceId: Id, filter: DeviceFilter, most?: number): Statement {
  const where = deviceConditions(sql, spaceId, filter);
  const all = `FROM device d WHERE ${where.text}`;
  return most === undefined
    ? { text: `SELECT count(*) AS count ${all}`, values: where.values }
    : { text: `SELECT count(*) AS count FROM (SELECT 1 ${all} LIMIT ?) counted`, values: [...where.values, most] };
}

/**
 * Messages, newest first. A planner may scan the whole space for the latest message of one device; the dialects prevent this
 * (`messagesBy`, `joinDevice`).
 * @param range of ids. Default: all that the query allows
 */
export function messageList(
  sql: Dialect,
  spaceId: Id,
  query: MessageQuery,
  { from, to }: IdRange = idRange(query),
): Statement {
  const id = sql.listedId;
  const ofDevice = query.deviceId !== undefined;
  const where = new Conditions();
  where.and(ofDevice ? 'm.device_id = ?' : 'm.space_id = ?', query.deviceId ?? spaceId);
  where.and(`${id} >= ? AND ${id} < ?`, from, to);
  where.and('d.space_id = ? AND d.deleted_at IS NULL', spaceId);
  if (query.types?.length === 1) where.and('m.type = ?', query.types[0] ?? '');
  else if (query.types) where.and(sql.among('m.type'), sql.list(query.types));
  if (query.direction !== undefined) where.and('m.direction = ?', query.direction);
  if (query.onlyUp) where.and(`(m.direction = 'up' OR NOT (${sql.among('m.type')}))`, sql.list(query.onlyUp));
  if (query.createdAfter !== undefined) where.and('m.created_at > ?', Math.floor(query.createdAfter));
  if (query.createdBefore !== undefined) where.and('m.created_at < ?', Math.ceil(query.createdBefore));
  if (query.tagId !== undefined) {
    where.and('EXISTS (SELECT 1 FROM device_tag t WHERE t.device_id = m.device_id AND t.tag_id = ?)', query.tagId);
  }
  if (query.scope !== undefined) where.and(taggedWithAny(sql, 'm.device_id'), sql.list(query.scope));
  return {
    text: `SELECT ${LISTED_COLUMNS} FROM ${sql.messagesBy(ofDevice ? 'message_of_device' : 'message_of_space')}
      ${sql.joinDevice} WHERE ${where.text} ORDER BY ${id} DESC LIMIT ?`,
    values: [...where.values, query.limit],
  };
}

/** Selects the id of the `size`-th message below `to`, newest first; no row if there are fewer messages from `from` on. */
export function stepEnd(
  sql: Dialect,
  spaceId: Id,
  { deviceId }: Pick<MessageQuery, 'deviceId'>,
  { from, to }: IdRange,
  size: number,
): Statement {
  const ofDevice = deviceId !== undefined;
  const id = sql.listedId;
  return {
    text: `SELECT m.id FROM ${sql.messagesBy(ofDevice ? 'message_of_device' : 'message_of_space')}
      WHERE ${ofDevice ? 'm.device_id = ?' : 'm.space_id = ?'} AND ${id} >= ? AND ${id} < ? ORDER BY ${id} DESC LIMIT 1 OFFSET ?`,
    values: [deviceId ?? spaceId, from, to, size - 1],
  };
}

/** Selects a row if the space has more than `count` devices. */
export function moreDevices(spaceId: Id, count: number): Statement {
  return {
    text: 'SELECT id FROM device WHERE space_id = ? AND deleted_at IS NULL LIMIT 1 OFFSET ?',
    values: [spaceId, count],
  };
}

function deviceConditions(sql: Dialect, spaceId: Id, filter: DeviceFilter): Conditions {
  const where = new Conditions();
  where.and('d.space_id = ? AND d.deleted_at IS NULL', spaceId);
  if (filter.name !== undefined) where.and(sql.contains('d.name_folded'), foldCase(filter.name));
  if (filter.serial !== undefined) where.and(sql.contains(sql.tenDigits('d.serial')), filter.serial);
  if (filter.externalId !== undefined) where.and('d.external_id = ?', filter.externalId);
  const tagIds = [...new Set(filter.tagIds)];
  if (tagIds.length > 0) {
    const matching = `(SELECT count(*) FROM device_tag t WHERE t.device_id = d.id AND ${sql.among('t.tag_id')})`;
    where.and(`${matching} >= ?`, sql.list(tagIds), filter.tagLogic === 'all' ? tagIds.length : 1);
  }
  if (filter.scope !== undefined) where.and(taggedWithAny(sql, 'd.id'), sql.list(filter.scope));
  if (filter.health !== undefined) {
    const { among, at } = filter.health;
    where.and(`${HEALTH} IN (${among.map(() => '?').join(', ')})`, at, at, ...among);
  }
  return where;
}

/** `findHealth` of src/contract/health.ts in SQL; its two values are the time. */
const HEALTH = `CASE WHEN d.last_contact IS NULL THEN 'never_seen' WHEN ${isWithin('late')} THEN 'on_time'
  WHEN ${isWithin('silent')} THEN 'late' ELSE 'silent' END`;

function isWithin(health: keyof typeof INTERVALS): string {
  return `d.last_contact + coalesce(d.contact_every, ${LONGEST_INTERVAL}) * ${INTERVALS[health]} + ${GRACE} >= ?`;
}

export function healthCounts(at: UnixMillis): Statement {
  const text = `SELECT d.space_id AS "spaceId", ${HEALTH} AS health, count(*) AS count FROM device d
    WHERE d.deleted_at IS NULL GROUP BY 1, 2 ORDER BY 1`;
  return { text, values: [at, at] };
}

export function healthChanges(from: UnixMillis, to: UnixMillis): Statement {
  const text = `SELECT d.id, ${HEALTH} AS health FROM device d WHERE d.deleted_at IS NULL AND ${HEALTH} <> ${HEALTH}`;
  return { text, values: [to, to, from, from, to, to] };
}

function taggedWithAny(sql: Dialect, device: string): string {
  return `EXISTS (SELECT 1 FROM device_tag t WHERE t.device_id = ${device} AND ${sql.among('t.tag_id')})`;
}

/** Conditions that must all hold, with the values for their question marks. */
class Conditions {
  text = '';
  readonly values: SqlValue[] = [];

  and(condition: string, ...values: readonly SqlValue[]): void {
    this.text += this.text === '' ? condition : ` AND ${condition}`;
    this.values.push(...values);
  }
}
