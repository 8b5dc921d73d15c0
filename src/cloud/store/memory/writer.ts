/** Applies changes to the tables of the memory store. */
import type { DownState } from '../../../contract/messages.js';
import type { UnixMillis } from '../../../kernel/time.js';
import { compareValues, idBefore, stationId } from '../order.js';
import {
  type Change,
  type CodecRow,
  type DeviceChange,
  type DeviceRow,
  type Id,
  isDeleted,
  isEdit,
  type KeyRow,
  type MessageRow,
  type SpaceRow,
  type TagRow,
  type TimelineRow,
} from '../store.js';
import { insertById, lowerBound, removeById } from './by-id.js';
import { type Bodies, Check } from './check.js';
import { addEvent, firstAbove } from './journal.js';
import { type DeviceEntry, type MessageEntry, Messages, type OtherEntry, printOf } from './messages.js';
import { isReport, ReportEntry } from './reports.js';
import type { MemoryTables, SpaceEntry } from './tables.js';

export class MemoryWriter {
  readonly #tables: MemoryTables;
  readonly #check: Check;

  constructor(tables: MemoryTables) {
    this.#tables = tables;
    this.#check = new Check(tables);
  }

  /** @throws the errors of {@link Check.check}; then nothing has changed */
  write(changes: readonly Change[]): void {
    const bodies = this.#check.check(changes);
    for (const change of changes) this.#apply(change, bodies);
  }

  /** Deletes up to `limit` old messages that are not pending downlinks, oldest first; returns their number. */
  prune(createdBefore: UnixMillis, limit: number): number {
    const before = idBefore(createdBefore);
    const old = this.#tables.spaceList.flatMap(({ messages }) => {
      const oldest: MessageEntry[] = [];
      for (let at = 0; at < messages.length && oldest.length < limit; at++) {
        const entry = messages.at(at) as MessageEntry;
        const { id, createdAt, downState } = entry.row;
        if (id >= before) break;
        if (createdAt < createdBefore && downState !== 'pending') oldest.push(entry);
      }
      return oldest;
    });
    const chosen = old.sort((a, b) => compareValues(a.id, b.id)).slice(0, limit);
    for (const entry of chosen) this.#deleteMessage(entry);
    return chosen.length;
  }

  /** Deletes up to `limit` tags or records of a deleted space; returns their number. */
  clearSpace(id: Id, families: readonly string[], limit: number): number {
    const tags = this.#tables.spaces.get(id)?.tags.slice(0, limit) ?? [];
    for (const tag of tags) this.#deleteTag(tag.id);
    let deleted = tags.length;
    for (const family of families) deleted += this.#tables.records.deleteFrom(family, id, limit - deleted);
    return deleted;
  }

  #apply(change: Change, bodies: Bodies): void {
    switch (change.kind) {
      case 'space.put':
        return this.#putSpace(change.row);
      case 'space.change': {
        const entry = this.#tables.spaces.get(change.id);
        if (entry && !isDeleted(entry.row)) entry.row = Object.freeze({ ...entry.row, ...change.change });
        return;
      }
      case 'space.delete':
        return this.#deleteSpace(change.id, change.families);
      case 'key.put':
        return this.#putKey(change.row);
      case 'key.change': {
        const key = this.#tables.keys.get(change.id);
        if (key) this.#putKey({ ...key, hash: change.hash });
        return;
      }
      case 'tag.put':
        return this.#putTag(change.row);
      case 'tag.change': {
        const tag = this.#tables.tags.get(change.id);
        if (tag) this.#putTag({ ...tag, ...change.change });
        return;
      }
      case 'tag.delete':
        return this.#deleteTag(change.id);
      case 'device.insert':
        return this.#insertDevice(change.row);
      case 'device.change':
        return this.#changeDevice(change.id, change.change, change.within);
      case 'device.delete':
        return this.#deleteDevice(change.id, change.at);
      case 'message.insert':
        return this.#insertMessage(change.row, bodies.ofMessages.get(change.row) ?? 'null');
      case 'message.offer':
        return this.#offerMessage(this.#find(change.id), change.attempt);
      case 'message.state':
        return this.#endMessage(this.#find(change.id), change.state, change.at);
      case 'message.answered':
        return this.#answerMessage(this.#find(change.id), change.at);
      case 'timeline.add':
        return this.#addToTimeline(change.row, change.latest ?? false);
      case 'codec.put':
        if (!this.#tables.codecs.has(change.row.hash)) this.#tables.codecs.set(change.row.hash, copyCodec(change.row));
        return;
      case 'record.put':
        this.#tables.records.put(change.row, bodies.ofRecords.get(change.row) ?? 'null');
        return this.#countConnectors(change.row.family, change.row.spaceId);
      case 'record.change':
        this.#tables.records.change(change.row, bodies.ofRecords.get(change.row) ?? 'null');
        return this.#countConnectors(change.row.family, change.row.spaceId);
      case 'record.delete':
        this.#countConnectors(change.family, this.#tables.records.get(change.family, change.id)?.spaceId ?? null);
        return this.#tables.records.delete(change.family, change.id);
      case 'device.need':
      case 'record.none':
      case 'rules.need':
        return;
      case 'key.delete':
        return this.#deleteKey(change.id);
      case 'event.add':
        return addEvent(this.#tables, change.event);
      case 'event.prune':
        this.#tables.events.splice(0, firstAbove(this.#tables.events, change.below - 1));
        return;
      default:
        change satisfies never;
    }
  }

  #countConnectors(family: string, spaceId: Id | null): void {
    const space = family === 'connector' && spaceId !== null ? this.#tables.spaces.get(spaceId) : undefined;
    if (space) space.connectorsVersion++;
  }

  #putSpace(row: SpaceRow): void {
    const entry = this.#tables.spaces.get(row.id);
    if (entry) {
      entry.row = Object.freeze({ ...row });
      return;
    }
    const made: SpaceEntry = {
      id: row.id,
      row: Object.freeze({ ...row }),
      connectorsVersion: 0,
      tags: [],
      devices: [],
      messages: new Messages(this.#tables.reports),
    };
    this.#tables.spaces.set(row.id, made);
    insertById(this.#tables.spaceList, made);
  }

  #deleteSpace(id: Id, families: readonly string[]): void {
    const entry = this.#tables.spaces.get(id);
    if (!entry) return;
    entry.row = Object.freeze({ ...entry.row, type: 'deleted' });
    for (const key of this.#tables.keys.values()) if (key.spaceId === id) this.#deleteKey(key.id);
    for (const family of families) this.#tables.records.deleteFrom(family, id);
  }

  #putKey(row: KeyRow): void {
    const before = this.#tables.keys.get(row.id);
    if (before) this.#tables.keysByHash.delete(before.hash);
    const kept = Object.freeze({ ...row });
    this.#tables.keys.set(row.id, kept);
    this.#tables.keysByHash.set(row.hash, kept);
  }

  #deleteKey(id: Id): void {
    const key = this.#tables.keys.get(id);
    if (!key) return;
    this.#tables.keys.delete(id);
    this.#tables.keysByHash.delete(key.hash);
  }

  #putTag(row: TagRow): void {
    const kept = Object.freeze({ ...row });
    const list = this.#space(row.spaceId).tags;
    removeById(list, row.id);
    insertById(list, kept);
    this.#tables.tags.set(row.id, kept);
  }

  #deleteTag(id: Id): void {
    const tag = this.#tables.tags.get(id);
    if (!tag) return;
    this.#tables.tags.delete(id);
    const space = this.#space(tag.spaceId);
    removeById(space.tags, id);
    for (const device of space.devices) {
      if (!device.row.tagIds.includes(id)) continue;
      const tagIds = Object.freeze(device.row.tagIds.filter((other) => other !== id));
      device.row = Object.freeze({ ...device.row, tagIds });
    }
  }

  #insertDevice(row: DeviceRow): void {
    const entry: DeviceEntry = {
      id: row.id,
      row: this.#freezeDevice(row, row),
      deleted: false,
      messages: new Messages(this.#tables.reports),
      prints: [],
      pending: [],
      unanswered: [],
    };
    this.#tables.devices.set(row.id, entry);
    this.#tables.bySerial.set(row.serial, entry);
    this.#tables.byToken.set(row.token, entry);
    insertById(this.#space(row.spaceId).devices, entry);
  }

  #changeDevice(id: Id, given: DeviceChange, within: readonly Id[] | undefined): void {
    const entry = this.#tables.devices.get(id);
    if (!entry || entry.deleted) return;
    const others = within && entry.row.tagIds.filter((tagId) => !within.includes(tagId));
    const change = given.tagIds && others ? { ...given, tagIds: [...others, ...given.tagIds] } : given;
    if (change.token !== undefined) {
      this.#tables.byToken.delete(entry.row.token);
      this.#tables.byToken.set(change.token, entry);
    }
    const version = entry.row.version + (isEdit(change) ? 1 : 0);
    const row = { ...entry.row, ...change, version };
    // The change that every message makes to its device has no nested values.
    const plain = !change.label && !change.tagIds && !change.session;
    entry.row = plain ? Object.freeze(row) : this.#freezeDevice(row, change);
  }

  /** Returns a frozen copy of `row`, with frozen copies of the nested values in `given`. */
  #freezeDevice(row: DeviceRow, given: DeviceChange): DeviceRow {
    return Object.freeze({
      ...row,
      label: given.label ? Object.freeze({ ...given.label }) : row.label,
      tagIds: given.tagIds ? this.#knownTags(given.tagIds) : row.tagIds,
      // `Object.assign` instead of a spread: each frozen object made by a spread has a hidden class of its own, which takes 1
      // kB a device (Node 20).
      session: given.session ? Object.freeze(Object.assign({}, given.session)) : row.session,
    });
  }

  #knownTags(ids: readonly Id[]): readonly Id[] {
    return Object.freeze([...new Set(ids)].filter((id) => this.#tables.tags.has(id)));
  }

  #deleteDevice(id: Id, at: UnixMillis): void {
    const entry = this.#tables.devices.get(id);
    if (!entry || entry.deleted) return;
    for (const message of [...entry.pending]) this.#endMessage(message, 'cancelled', at);
    entry.deleted = true;
    this.#tables.byToken.delete(entry.row.token);
    entry.row = Object.freeze({ ...entry.row, token: '' });
    this.#tables.bySerial.delete(entry.row.serial);
    removeById(this.#space(entry.row.spaceId).devices, id);
  }

  #insertMessage(row: MessageRow, body: string): void {
    const device = this.#tables.devices.get(row.deviceId);
    if (!device) return;
    const entry = isReport(row) ? this.#tables.reports.add(row, device) : { id: row.id, row: { ...row, body }, device };
    insertById(this.#space(row.spaceId).messages, entry);
    // The check has ensured that this is the newest message of the device.
    device.messages.push(entry);
    device.prints.push(printOf(row.fingerprint));
    if (!(entry instanceof ReportEntry)) this.#queueUp(entry);
  }

  /** The message with this id, unless it is a report, which never changes. */
  #find(id: Id): OtherEntry | undefined {
    const entry = this.#tables.findMessage(id);
    return entry instanceof ReportEntry ? undefined : entry;
  }

  #offerMessage(entry: OtherEntry | undefined, attempt: number): void {
    if (entry) entry.row = { ...entry.row, downAttempt: attempt };
  }

  #endMessage(entry: OtherEntry | undefined, state: DownState, at: UnixMillis): void {
    if (!entry) return;
    this.#unqueue(entry);
    entry.row = { ...entry.row, downState: state, downStateAt: at };
    this.#queueUp(entry);
  }

  #answerMessage(entry: OtherEntry | undefined, at: UnixMillis): void {
    if (!entry) return;
    this.#unqueue(entry);
    entry.row = { ...entry.row, downAnsweredAt: at };
    this.#queueUp(entry);
  }

  #addToTimeline(row: TimelineRow, latest: boolean): void {
    const rows = this.#tables.timelines.get(row.messageId) ?? [];
    const first = latest ? rows.find(({ what }) => what === row.what) : undefined;
    const kept = first ? rows.filter((other) => other.what !== row.what || other === first) : rows;
    kept.push(Object.freeze({ id: stationId(++this.#tables.stations), ...row }));
    this.#tables.timelines.set(row.messageId, kept);
  }

  #deleteMessage(entry: MessageEntry): void {
    const { id, device, row } = entry;
    this.#tables.timelines.delete(id);
    removeById(this.#space(row.spaceId).messages, id);
    const at = lowerBound(device.messages, id);
    device.messages.splice(at, 1);
    device.prints.splice(at, 1);
    if (entry instanceof ReportEntry) this.#tables.reports.delete(entry.number);
    else this.#unqueue(entry);
  }

  /** Adds a downlink to the list of its state: pending or unanswered. Other messages are in no such list. */
  #queueUp(entry: OtherEntry): void {
    if (entry.row.downState === 'pending') {
      insertById(entry.device.pending, entry);
      insertById(this.#tables.pending, entry);
    } else if (awaitsAnswer(entry.row)) {
      insertById(entry.device.unanswered, entry);
    }
  }

  #unqueue(entry: OtherEntry): void {
    if (entry.row.downState === 'pending') {
      removeById(entry.device.pending, entry.id);
      removeById(this.#tables.pending, entry.id);
    } else if (awaitsAnswer(entry.row)) {
      removeById(entry.device.unanswered, entry.id);
    }
  }

  #space(id: Id): SpaceEntry {
    const space = this.#tables.spaces.get(id);
    if (!space) throw new Error(`unknown space "${id}"`);
    return space;
  }
}

function awaitsAnswer(row: OtherEntry['row']): boolean {
  return row.downState === 'sent' && row.downAnsweredAt === null && (row.type === 'config' || row.type === 'shell');
}

/** A copy of the row. The document is copied as well, because a byte array cannot be frozen. */
export function copyCodec(row: CodecRow): CodecRow {
  return { hash: row.hash, document: row.document.slice() };
}
