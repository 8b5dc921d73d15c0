/**
 * A store in memory, for virtual runs. A commit is a function call. The reads that every uplink needs (a device by its serial
 * number, its queue, a copy of a message) are index look-ups. The tables can be passed to another store, which simulates a
 * restart; they are lost at the end of the process.
 */
import { countNone, findHealth, type HealthCounts } from '../../../contract/health.js';
import { foldCase } from '../../../kernel/fold-case.js';
import type { UnixMillis } from '../../../kernel/time.js';
import { BEYOND, compareValues, idBefore, idRange, placeOf, serialText } from '../order.js';
import {
  type Change,
  type CodecRow,
  type DeviceFilter,
  type DeviceQuery,
  type DeviceRow,
  type EventRow,
  type HealthChange,
  type Id,
  type KeyRow,
  type ListedDevice,
  type ListedMessage,
  type MessageQuery,
  type MessageRow,
  type Page,
  type Place,
  type RecordRow,
  type SpaceRow,
  type Station,
  type Store,
  type TagRow,
  WAITING_CONTENT,
  type WaitingRow,
} from '../store.js';
import { ascending, descending, lowerBound, pageById } from './by-id.js';
import { firstAbove } from './journal.js';
import { type DeviceEntry, findFingerprint, type MessageEntry, type OtherEntry } from './messages.js';
import { ReportEntry } from './reports.js';
import { MemoryTables } from './tables.js';
import { copyCodec, MemoryWriter } from './writer.js';

export class MemoryStore implements Store {
  readonly #tables: MemoryTables;
  readonly #writer: MemoryWriter;

  /** @param tables the tables of an earlier store, as if read from a disk; default: empty */
  constructor(tables = new MemoryTables()) {
    this.#tables = tables;
    this.#writer = new MemoryWriter(tables);
  }

  async commit(changes: readonly Change[]): Promise<void> {
    this.#writer.write(changes);
  }

  async spaces(page: Page): Promise<readonly SpaceRow[]> {
    return pageById(this.#tables.spaceList, page).map((space) => space.row);
  }

  async space(id: Id): Promise<SpaceRow | undefined> {
    return this.#tables.spaces.get(id)?.row;
  }

  async keyByHash(hash: string): Promise<KeyRow | undefined> {
    return this.#tables.keysByHash.get(hash);
  }

  async tags(spaceId: Id, page: Page): Promise<readonly TagRow[]> {
    return pageById(this.#tables.spaces.get(spaceId)?.tags ?? [], page);
  }

  async tag(spaceId: Id, id: Id): Promise<TagRow | undefined> {
    const tag = this.#tables.tags.get(id);
    return tag?.spaceId === spaceId ? tag : undefined;
  }

  async devices(spaceId: Id, query: DeviceQuery): Promise<readonly ListedDevice[]> {
    const devices = this.#tables.spaces.get(spaceId)?.devices ?? [];
    const matches = deviceMatcher(query);
    if (query.sortBy === 'id') {
      const order =
        query.order === 'asc'
          ? ascending(devices, query.after?.id)
          : descending(devices, '', query.after?.id ?? BEYOND);
      return take(order, query.limit, (device) => matches(device.row)).map((device) => device.row);
    }
    const { sortBy, after, upTo, limit } = query;
    const compare = placeOrder(query.order);
    const isAsked = ({ value }: Place) => upTo === undefined || value === null || Number(value) <= upTo;
    const places = devices.flatMap(({ row }) => {
      const place = placeOf(row, sortBy);
      const isOfPage = matches(row) && isAsked(place) && (after === undefined || compare(place, after) > 0);
      return isOfPage ? [{ ...place, row }] : [];
    });
    return places
      .sort(compare)
      .slice(0, limit)
      .map(({ row }) => row);
  }

  async countDevices(spaceId: Id, filter: DeviceFilter, most = Number.POSITIVE_INFINITY): Promise<number> {
    const devices = this.#tables.spaces.get(spaceId)?.devices ?? [];
    // Without a filter, the count is known. This is the usual case, because most requests for lists of devices have no filter.
    const { tagLogic: _, ...wanted } = filter;
    if (Object.values(wanted).every((value) => value === undefined)) return Math.min(most, devices.length);
    const matches = deviceMatcher(filter);
    return take(devices, most, (device) => matches(device.row)).length;
  }

  async countByHealth(at: UnixMillis): Promise<ReadonlyMap<Id, HealthCounts>> {
    const spaces = new Map<Id, HealthCounts>();
    for (const { row, devices } of this.#tables.spaceList) {
      const counts = countNone();
      for (const device of devices) counts[findHealth(device.row, at)]++;
      if (devices.length > 0) spaces.set(row.id, counts);
    }
    return spaces;
  }

  async healthChanges(from: UnixMillis, to: UnixMillis): Promise<readonly HealthChange[]> {
    const changes: HealthChange[] = [];
    for (const { devices } of this.#tables.spaceList) {
      for (const { row } of devices) {
        const health = findHealth(row, to);
        if (health !== findHealth(row, from)) changes.push({ id: row.id, health });
      }
    }
    return changes;
  }

  async device(spaceId: Id, id: Id): Promise<DeviceRow | undefined> {
    return this.#device(spaceId, id)?.row;
  }

  async deviceBySerial(serial: number): Promise<DeviceRow | undefined> {
    return this.#tables.bySerial.get(serial)?.row;
  }

  async messages(spaceId: Id, query: MessageQuery): Promise<readonly ListedMessage[]> {
    const source =
      query.deviceId === undefined ? this.#tables.spaces.get(spaceId) : this.#device(spaceId, query.deviceId);
    const { from, to } = idRange(query);
    const found = take(descending(source?.messages ?? [], from, to), query.limit, messageMatcher(query));
    return found.map(listed);
  }

  async message(spaceId: Id, id: Id): Promise<ListedMessage | undefined> {
    const entry = this.#tables.findMessage(id);
    return entry && entry.row.spaceId === spaceId && !entry.device.deleted ? listed(entry) : undefined;
  }

  async newestMessage(deviceId?: Id): Promise<Id | undefined> {
    if (deviceId !== undefined) return this.#tables.devices.get(deviceId)?.messages.at(-1)?.id;
    const newest = this.#tables.spaceList.flatMap(({ messages }) => messages.at(-1)?.id ?? []);
    return newest.sort().at(-1);
  }

  async pendingDownlinks(deviceId: Id): Promise<readonly WaitingRow[]> {
    return (this.#tables.devices.get(deviceId)?.pending ?? []).map(waiting);
  }

  async countPending(): Promise<number> {
    return this.#tables.pending.length;
  }

  async countPendingBySpace(): Promise<ReadonlyMap<Id, number>> {
    const counts = new Map<Id, number>();
    for (const { row } of this.#tables.pending) counts.set(row.spaceId, (counts.get(row.spaceId) ?? 0) + 1);
    return counts;
  }

  async overdueDownlinks(createdBefore: UnixMillis, limit: number): Promise<readonly MessageRow[]> {
    const pending = this.#tables.pending;
    const candidates = pending.slice(0, lowerBound(pending, idBefore(createdBefore)));
    return take(candidates, limit, (entry) => entry.row.createdAt < createdBefore).map(plain);
  }

  async unansweredDownlinks(deviceId: Id): Promise<readonly MessageRow[]> {
    return (this.#tables.devices.get(deviceId)?.unanswered ?? []).map(plain);
  }

  async copyOf(deviceId: Id, fingerprint: string, since: UnixMillis): Promise<Id | undefined> {
    const entry = findFingerprint(this.#tables.devices.get(deviceId), fingerprint);
    return entry && entry.row.createdAt >= since ? entry.id : undefined;
  }

  async timeline(messageId: Id, page: Page): Promise<readonly Station[]> {
    return pageById(this.#tables.timelines.get(messageId) ?? [], page);
  }

  async codec(hash: string): Promise<CodecRow | undefined> {
    const row = this.#tables.codecs.get(hash);
    return row && copyCodec(row);
  }

  async prune(createdBefore: UnixMillis, limit: number): Promise<number> {
    const messages = this.#writer.prune(createdBefore, limit);
    return messages + this.#tables.records.prune('delivery', createdBefore, limit - messages);
  }

  async clearSpace(id: Id, families: readonly string[], limit: number): Promise<number> {
    return this.#writer.clearSpace(id, families, limit);
  }

  async records(family: string, spaceId: Id | null, page: Page): Promise<readonly RecordRow[]> {
    return this.#tables.records.list(family, spaceId, page);
  }

  async countRecords(family: string, spaceId: Id | null, most: number): Promise<number> {
    return Math.min(this.#tables.records.count(family, spaceId), most);
  }

  async record(family: string, spaceId: Id | null, id: Id): Promise<RecordRow | undefined> {
    const row = this.#tables.records.get(family, id);
    return row?.spaceId === spaceId ? row : undefined;
  }

  async recordByKey(family: string, spaceId: Id | null, key: string): Promise<RecordRow | undefined> {
    return this.#tables.records.byKey(family, spaceId, key);
  }

  async recordsInRange(
    family: string,
    spaceId: Id | null,
    range: { readonly from: string; readonly below: string },
    limit: number,
  ): Promise<readonly RecordRow[]> {
    return this.#tables.records.inRange(family, spaceId, range, limit);
  }

  async dueRecords(family: string, now: UnixMillis, limit: number, spaceId?: Id): Promise<readonly RecordRow[]> {
    return this.#tables.records.due(family, now, limit, spaceId);
  }

  async dueSpaces(family: string, now: UnixMillis): Promise<readonly Id[]> {
    return this.#tables.records.dueSpaces(family, now);
  }

  async connectorsVersion(spaceId: Id): Promise<number> {
    return this.#tables.spaces.get(spaceId)?.connectorsVersion ?? 0;
  }

  async events(after: number, limit: number): Promise<readonly EventRow[]> {
    const { events } = this.#tables;
    const from = firstAbove(events, after);
    return events.slice(from, from + limit);
  }

  async newestEvent(): Promise<number> {
    return this.#tables.events.at(-1)?.seq ?? 0;
  }

  async close(): Promise<void> {}

  #device(spaceId: Id, id: Id): DeviceEntry | undefined {
    const device = this.#tables.devices.get(id);
    return device && device.row.spaceId === spaceId && !device.deleted ? device : undefined;
  }
}

function take<T>(rows: Iterable<T>, limit: number, wanted: (row: T) => boolean): T[] {
  const taken: T[] = [];
  for (const row of rows) {
    if (!wanted(row)) continue;
    taken.push(row);
    if (taken.length >= limit) break;
  }
  return taken;
}

function plain(entry: MessageEntry): MessageRow {
  return { ...entry.row, body: bodyOf(entry) };
}

function waiting(entry: OtherEntry): WaitingRow {
  const { body, raw, ...row } = entry.row;
  return body.length + (raw?.length ?? 0) > WAITING_CONTENT ? row : plain(entry);
}

function listed(entry: MessageEntry): ListedMessage {
  const { name, serial } = entry.device.row;
  return { ...entry.row, body: bodyOf(entry), deviceName: name, deviceSerial: serial };
}

function bodyOf(entry: MessageEntry): unknown {
  return entry instanceof ReportEntry ? entry.readBody() : JSON.parse(entry.row.body);
}

function deviceMatcher(filter: DeviceFilter): (row: DeviceRow) => boolean {
  const name = filter.name === undefined ? undefined : foldCase(filter.name);
  const tagIds = new Set(filter.tagIds);
  const scope = filter.scope && new Set(filter.scope);
  const { health } = filter;
  const enough = filter.tagLogic === 'all' ? tagIds.size : Math.min(1, tagIds.size);
  return (row) =>
    (name === undefined || foldCase(row.name).includes(name)) &&
    (filter.serial === undefined || serialText(row.serial).includes(filter.serial)) &&
    (filter.externalId === undefined || row.externalId === filter.externalId) &&
    (scope === undefined || row.tagIds.some((id) => scope.has(id))) &&
    (enough === 0 || row.tagIds.filter((id) => tagIds.has(id)).length >= enough) &&
    (health === undefined || health.among.includes(findHealth(row, health.at)));
}

function messageMatcher(query: MessageQuery): (entry: MessageEntry) => boolean {
  const types = query.types && new Set(query.types);
  const scope = query.scope && new Set(query.scope);
  const onlyUp = query.onlyUp && new Set(query.onlyUp);
  const { tagId, direction, createdAfter, createdBefore } = query;
  return ({ row, device }) =>
    !device.deleted &&
    (types === undefined || types.has(row.type)) &&
    (direction === undefined || row.direction === direction) &&
    (onlyUp === undefined || row.direction === 'up' || !onlyUp.has(row.type)) &&
    (createdAfter === undefined || row.createdAt > createdAfter) &&
    (createdBefore === undefined || row.createdAt < createdBefore) &&
    (scope === undefined || device.row.tagIds.some((id) => scope.has(id))) &&
    (tagId === undefined || device.row.tagIds.includes(tagId));
}

/** The order of a list of devices: null values come last in both directions, and equal values are sorted by id, ascending. */
function placeOrder(order: 'asc' | 'desc'): (a: Place, b: Place) => number {
  const sign = order === 'asc' ? 1 : -1;
  return (a, b) => {
    const [x, y] = [a.value, b.value];
    const byValue = x === null || y === null ? Number(x === null) - Number(y === null) : sign * compareValues(x, y);
    return byValue || compareValues(a.id, b.id);
  };
}
