/** Order and matching of rows, the same in every store. */
import type { DeviceSort } from '../../contract/devices.js';
import { seconds, type UnixMillis } from '../../kernel/time.js';
import type { Id, ListedDevice, MessageQuery, Place } from './store.js';

/** An id's time and `createdAt` may differ slightly: searches by time extend their range of ids by this, then compare. */
const SLACK = seconds(60);

const LAST_MS = 0xffff_ffff_ffff;
/** Greater than every id. */
export const BEYOND: Id = 'g';

/** The time in the id of a row, which is close to its `createdAt`: the first 48 bits. */
export function timeOfId(id: Id): UnixMillis {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The smallest id (version 7) of this millisecond. */
export function firstIdAt(at: UnixMillis): Id {
  const ms = Math.min(Math.max(0, Math.floor(at)), LAST_MS);
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** An id that is greater than the ids of all rows created before `at`. */
export function idBefore(at: UnixMillis): Id {
  return firstIdAt(at + SLACK);
}

/** A range of ids: `from` is included, `to` is not. */
export interface IdRange {
  readonly from: Id;
  readonly to: Id;
}

/** The range of ids that messages of this query can have. */
export function idRange(query: MessageQuery): IdRange {
  const from = query.createdAfter === undefined ? '' : firstIdAt(query.createdAfter - SLACK);
  const before = query.createdBefore === undefined ? BEYOND : idBefore(query.createdBefore);
  let to = query.after ?? BEYOND;
  if (before < to) to = before;
  return { from, to };
}

/** The id of a timeline entry: its position among all entries as a UUID, version 8, so that ids are ordered. */
export function stationId(position: number): Id {
  return STATIONS + position.toString(16).padStart(12, '0');
}

/** Position of a timeline entry; 0 for undefined or an id below all, MAX_SAFE_INTEGER for one above all. */
export function positionOf(id: Id | undefined): number {
  if (id === undefined || id < STATIONS) return 0;
  return id.startsWith(STATIONS) ? Number.parseInt(id.slice(STATIONS.length), 16) : Number.MAX_SAFE_INTEGER;
}

const STATIONS = '00000000-0000-8000-8000-';

/** A serial number as displayed: ten decimal digits (cloud C-15). */
export function serialText(serial: number): string {
  return String(serial).padStart(10, '0');
}

/** For each sort field, the value by which a device is sorted. */
const SORT_VALUES: Readonly<Record<DeviceSort, (row: ListedDevice) => Place['value']>> = {
  id: (row) => row.id,
  name: (row) => row.name,
  serial_number: (row) => row.serial,
  external_id: (row) => row.externalId,
  last_seen: (row) => row.lastSeen,
  session_id: (row) => row.sessionId,
};

/** The place of a device in a list that is sorted by `sortBy`. */
export function placeOf(row: ListedDevice, sortBy: DeviceSort): Place {
  return { id: row.id, value: SORT_VALUES[sortBy](row) };
}

/**
 * Compares two values of a sortable column, ascending. Texts are compared by code point, as SQLite and PostgreSQL (collation
 * "C") do. The operator `<` compares UTF-16 units and would put an emoji before "ｱ".
 */
export function compareValues(a: string | number, b: string | number): number {
  if (typeof a === 'number' || typeof b === 'number') return Number(a) - Number(b);
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return codePointRank(x) - codePointRank(y);
  }
  return a.length - b.length;
}

/** Moves surrogates (code points from 0x10000 up) after all other UTF-16 units. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
