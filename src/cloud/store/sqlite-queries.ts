/**
 * The composed queries of the SQLite store: lists with filters. The text of a query depends only on which filters are
 * given, never on their values or their number, so that each shape is prepared once.
 */
import { foldCase, idRange, SORT_VALUES } from './order.js';
import { DEVICE_COLUMNS, LISTED_COLUMNS } from './sqlite-rows.js';
import type { DeviceFilter, DeviceQuery, DeviceRow, DeviceSort, Id, MessageQuery } from './store.js';

export type SqlValue = string | number | null;

export interface Query {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

const SORT_COLUMNS: Readonly<Record<DeviceSort, string>> = {
  id: 'd.id',
  name: 'd.name',
  serial_number: 'd.serial',
  external_id: 'd.external_id',
  last_seen: 'd.last_seen',
  session_id: 'd.session_id',
};

/** Devices in order of id. */
export function devicesById(spaceId: Id, query: DeviceQuery): Query {
  const where = deviceConditions(spaceId, query);
  if (query.after !== undefined) where.and(`d.id ${query.order === 'asc' ? '>' : '<'} ?`, query.after);
  return {
    text: `SELECT ${DEVICE_COLUMNS} FROM device d WHERE ${where.text} ORDER BY d.id ${query.order} LIMIT ?`,
    values: [...where.values, query.limit],
  };
}

/** Devices in another order, from behind `cursor` on. */
export function devicesSorted(spaceId: Id, query: DeviceQuery, cursor: DeviceRow | undefined): Query {
  const where = deviceConditions(spaceId, query);
  const column = SORT_COLUMNS[query.sortBy];
  if (cursor) {
    const value = SORT_VALUES[query.sortBy](cursor);
    const beyond = query.order === 'asc' ? '>' : '<';
    if (value === null) where.and(`${column} IS NULL AND d.id > ?`, cursor.id);
    else {
      const later = `(${column} IS NULL OR ${column} ${beyond} ? OR (${column} = ? AND d.id > ?))`;
      where.and(later, value, value, cursor.id);
    }
  }
  return {
    text: `SELECT ${DEVICE_COLUMNS} FROM device d WHERE ${where.text}
      ORDER BY ${column} IS NULL, ${column} ${query.order}, d.id LIMIT ?`,
    values: [...where.values, query.limit],
  };
}

export function deviceCount(spaceId: Id, filter: DeviceFilter): Query {
  const where = deviceConditions(spaceId, filter);
  return { text: `SELECT count(*) AS count FROM device d WHERE ${where.text}`, values: where.values };
}

/**
 * Messages, newest first. The index is named because the planner, which keeps no statistics here, would as soon walk the
 * whole space for one device's latest message; CROSS JOIN makes the message the outer loop.
 */
export function messageList(spaceId: Id, query: MessageQuery): Query {
  const { from, to } = idRange(query);
  const ofDevice = query.deviceId !== undefined;
  const where = new Conditions();
  where.and(ofDevice ? 'm.device_id = ?' : 'm.space_id = ?', query.deviceId ?? spaceId);
  where.and('m.id >= ? AND m.id < ?', from, to);
  where.and('d.space_id = ? AND d.deleted_at IS NULL', spaceId);
  if (query.types?.length === 1) where.and('m.type = ?', query.types[0] ?? '');
  else if (query.types) where.and('m.type IN (SELECT value FROM json_each(?))', JSON.stringify(query.types));
  if (query.direction !== undefined) where.and('m.direction = ?', query.direction);
  if (query.createdAfter !== undefined) where.and('m.created_at > ?', query.createdAfter);
  if (query.createdBefore !== undefined) where.and('m.created_at < ?', query.createdBefore);
  if (query.tagId !== undefined) {
    where.and('EXISTS (SELECT 1 FROM device_tag t WHERE t.device_id = m.device_id AND t.tag_id = ?)', query.tagId);
  }
  return {
    text: `SELECT ${LISTED_COLUMNS} FROM message m INDEXED BY ${ofDevice ? 'message_of_device' : 'message_of_space'}
      CROSS JOIN device d ON d.id = m.device_id WHERE ${where.text} ORDER BY m.id DESC LIMIT ?`,
    values: [...where.values, query.limit],
  };
}

function deviceConditions(spaceId: Id, filter: DeviceFilter): Conditions {
  const where = new Conditions();
  where.and('d.space_id = ? AND d.deleted_at IS NULL', spaceId);
  if (filter.name !== undefined) where.and('instr(d.name_folded, ?) > 0', foldCase(filter.name));
  if (filter.serial !== undefined) where.and("instr(printf('%010d', d.serial), ?) > 0", filter.serial);
  if (filter.externalId !== undefined) where.and('d.external_id = ?', filter.externalId);
  const tagIds = [...new Set(filter.tagIds)];
  if (tagIds.length > 0) {
    const matching = `(SELECT count(*) FROM device_tag t
      WHERE t.device_id = d.id AND t.tag_id IN (SELECT value FROM json_each(?)))`;
    where.and(`${matching} >= ?`, JSON.stringify(tagIds), filter.tagLogic === 'all' ? tagIds.length : 1);
  }
  return where;
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
