/** Checks a list of changes before the first of them is applied. This makes a commit in memory atomic without a rollback. */
import type { DownState } from '../../../contract/messages.js';
import type { UnixMillis } from '../../../kernel/time.js';
import {
  type Change,
  ConflictError,
  type DeviceRow,
  type Id,
  isDeleted,
  isEdit,
  type KeyRow,
  type MessageRow,
  type RecordRow,
  type TagRow,
} from '../store.js';
import { findFingerprint } from './messages.js';
import { keyOf } from './records.js';
import { isReport } from './reports.js';
import { SharedTexts } from './shared-texts.js';
import type { MemoryTables } from './tables.js';

/** The bodies of a list of changes as JSON texts, by row. Valid until the next list is checked. */
export interface Bodies {
  /** Those of reports are left out, because they stay encoded. */
  readonly ofMessages: ReadonlyMap<MessageRow, string>;
  readonly ofRecords: ReadonlyMap<RecordRow, string>;
}

/** Types of messages whose body is the same for many devices. */
const OF_MANY: ReadonlySet<string> = new Set(['config', 'decoder', 'encoder']);

/** Checks each change of a list against the tables and the effects of the earlier changes of the list. */
export class Check implements Bodies {
  readonly #tables: MemoryTables;
  readonly #spaces = new Set<Id>();
  readonly #goneSpaces = new Set<Id>();
  /** New devices by id, with their spaces. */
  readonly #devices = new Map<Id, Id>();
  /** Devices that the list deletes. */
  readonly #gone = new Set<Id>();
  /** New messages by id, with their devices. */
  readonly #messages = new Map<Id, Id>();
  readonly #newest = new Map<Id, Id>();
  readonly ofMessages = new Map<MessageRow, string>();
  readonly ofRecords = new Map<RecordRow, string>();
  readonly #texts = new SharedTexts();
  /** Serial numbers that the list registers (true) or releases (false). */
  readonly #serials = new Map<number, boolean>();
  /** For each claim token that the list has changed: the device that has it now, if any. */
  readonly #tokenHolders = new Map<string, Id | undefined>();
  /** Claim tokens of the devices that the list has changed. */
  readonly #tokens = new Map<Id, string>();
  /** Space and name of every tag; undefined until the list changes a tag. */
  #tagNames: Map<Id, string> | undefined;
  /** States of the messages that the list has changed. */
  readonly #downStates = new Map<Id, DownState | null>();
  /** Whether the list has a single new message, as most lists, and nothing else about messages: then none is noted. */
  #isOneMessage = false;
  /** Keys that the list deletes: their hashes can be used again. */
  readonly #deletedKeys = new Set<Id>();
  /** For each key of a record that the list has changed: the record that has it now, if any. */
  readonly #recordHolders = new Map<string, Id | undefined>();
  /** Keys of the records that the list has changed; undefined for a record that now has no key or is deleted. */
  readonly #recordKeys = new Map<string, string | undefined>();
  /** Bodies, as JSON text, of the records that the list has changed; undefined: deleted. */
  readonly #recordBodies = new Map<string, string | undefined>();
  readonly #all: readonly { readonly size: number; clear(): void }[];

  constructor(tables: MemoryTables) {
    this.#tables = tables;
    this.#all = [
      ...[
        this.#spaces,
        this.#goneSpaces,
        this.#devices,
        this.#gone,
        this.#messages,
        this.#newest,
        this.ofMessages,
        this.ofRecords,
        this.#serials,
        this.#tokenHolders,
        this.#tokens,
      ],
      ...[this.#downStates, this.#deletedKeys, this.#recordHolders, this.#recordKeys, this.#recordBodies],
    ];
  }

  /**
   * Returns the bodies of the messages and records in the list.
   * @throws ConflictError, or an Error if a row exists already, refers to a missing row, or has a body that
   *   cannot be written as JSON
   */
  check(changes: readonly Change[]): Bodies {
    // Most lists of changes use few of these collections, and clearing an empty collection would cost as much as creating a new
    // one.
    for (const known of this.#all) if (known.size > 0) known.clear();
    this.#tagNames = undefined;
    this.#isOneMessage = changes.every(({ kind }, i) =>
      i === 0 ? kind === 'message.insert' : kind === 'device.change',
    );
    for (const change of changes) this.#add(change);
    return this;
  }

  #add(change: Change): void {
    switch (change.kind) {
      case 'space.put':
        this.#spaces.add(change.row.id);
        break;
      case 'space.delete':
        this.#deleteSpace(change.id);
        break;
      case 'key.put':
        this.#needOpenSpace(change.row.spaceId);
        this.#needFreeHash(change.row);
        break;
      case 'tag.put':
        this.#needOpenSpace(change.row.spaceId);
        this.#takeTagName(change.row);
        break;
      case 'tag.change': {
        const tag = this.#tables.tags.get(change.id);
        const { name } = change.change;
        if (name !== undefined && tag && this.#namesOfTags().has(tag.id)) this.#takeTagName({ ...tag, name });
        break;
      }
      case 'tag.delete':
        this.#namesOfTags().delete(change.id);
        break;
      case 'device.insert':
        this.#needOpenSpace(change.row.spaceId);
        this.#takeSerial(change.row);
        this.#takeToken(change.row.id, change.row.token);
        break;
      case 'device.change':
        this.#needVersion(change);
        if (change.change.token !== undefined) this.#changeToken(change.id, change.change.token);
        break;
      case 'device.delete': {
        const device = this.#tables.devices.get(change.id);
        this.#freeToken(change.id);
        this.#gone.add(change.id);
        this.#devices.delete(change.id);
        if (device && !device.deleted) this.#serials.set(device.row.serial, false);
        for (const { id } of device?.pending ?? []) this.#downStates.set(id, 'cancelled');
        break;
      }
      case 'device.need':
        this.#needDevice(change.id);
        break;
      case 'message.insert':
        this.#needDevice(change.row.deviceId);
        if (change.room !== undefined) this.#needRoom(change.row.deviceId, change.room);
        this.#needMessageParents(change.row);
        this.#needOrder(change.row);
        if (change.newSince !== undefined) this.#needNew(change.row, change.newSince);
        break;
      case 'key.delete':
        this.#deletedKeys.add(change.id);
        break;
      case 'record.put':
        this.#putRecord(change.row);
        break;
      case 'record.change':
        this.#changeRecord(change.row, JSON.stringify(change.was) ?? 'null');
        break;
      case 'record.none':
        this.#needNoRecord(change);
        break;
      case 'rules.need':
        this.#needRules(change);
        break;
      case 'record.delete':
        this.#freeRecordKey(change.family, change.id);
        this.#recordBodies.set(`${change.family} ${change.id}`, undefined);
        break;
      case 'message.offer':
        this.#needPending(change.id, 'pending');
        this.#needAttempt(change.id, change.attempt - 1);
        break;
      case 'message.state':
        this.#needPending(change.id, change.state);
        break;
      case 'space.change':
      case 'key.change':
      case 'message.answered':
      case 'timeline.add':
      case 'codec.put':
      case 'event.add':
      case 'event.prune':
        break;
      default:
        change satisfies never;
    }
  }

  #needSpace(id: Id): void {
    if (!this.#tables.spaces.has(id) && !this.#spaces.has(id)) throw new Error(`unknown space "${id}"`);
  }

  /** @throws ConflictError if the space has been deleted */
  #needOpenSpace(id: Id): void {
    this.#needSpace(id);
    const row = this.#tables.spaces.get(id)?.row;
    if (this.#goneSpaces.has(id) || (row && isDeleted(row))) throw new ConflictError('space');
  }

  #deleteSpace(id: Id): void {
    const devices = (this.#tables.spaces.get(id)?.devices ?? []).filter((device) => !this.#gone.has(device.id));
    if (devices.length > 0 || [...this.#devices.values()].includes(id)) throw new ConflictError('space-devices');
    this.#goneSpaces.add(id);
  }

  #needFreeHash(row: KeyRow): void {
    const holder = this.#tables.keysByHash.get(row.hash);
    if (holder && holder.id !== row.id && !this.#deletedKeys.has(holder.id))
      throw new Error('another key has this hash');
  }

  #takeSerial(row: DeviceRow): void {
    if (this.#serials.get(row.serial) ?? this.#tables.bySerial.has(row.serial)) throw new ConflictError('serial');
    if (this.#tables.devices.has(row.id) || this.#devices.has(row.id)) throw new Error(`device "${row.id}" exists`);
    this.#serials.set(row.serial, true);
    this.#devices.set(row.id, row.spaceId);
  }

  #changeToken(id: Id, token: string): void {
    const stored = this.#tables.devices.get(id);
    const exists = this.#devices.has(id) || (stored !== undefined && !stored.deleted && !this.#gone.has(id));
    if (exists) this.#takeToken(id, token);
  }

  #takeToken(id: Id, token: string): void {
    const holder = this.#tokenHolders.has(token) ? this.#tokenHolders.get(token) : this.#tables.byToken.get(token)?.id;
    if (holder !== undefined && holder !== id) throw new ConflictError('token');
    this.#freeToken(id);
    this.#tokenHolders.set(token, id);
    this.#tokens.set(id, token);
  }

  #freeToken(id: Id): void {
    const held = this.#tokens.get(id) ?? this.#tables.devices.get(id)?.row.token;
    if (held !== undefined) this.#tokenHolders.set(held, undefined);
    this.#tokens.delete(id);
  }

  #takeTagName(row: TagRow): void {
    const names = this.#namesOfTags();
    const wanted = `${row.spaceId} ${row.name}`;
    for (const [id, name] of names) if (name === wanted && id !== row.id) throw new ConflictError('tag-name');
    names.set(row.id, wanted);
  }

  #namesOfTags(): Map<Id, string> {
    if (!this.#tagNames) {
      this.#tagNames = new Map();
      for (const tag of this.#tables.tags.values()) this.#tagNames.set(tag.id, `${tag.spaceId} ${tag.name}`);
    }
    return this.#tagNames;
  }

  #needMessageParents(row: MessageRow): void {
    this.#needSpace(row.spaceId);
    const known = this.#tables.devices.has(row.deviceId) || this.#devices.has(row.deviceId);
    if (!known) throw new Error(`unknown device "${row.deviceId}"`);
    if (this.#tables.findMessage(row.id) || this.#messages.has(row.id)) throw new Error(`message "${row.id}" exists`);
    if (!isReport(row)) this.ofMessages.set(row, this.#textOf(row));
    if (this.#isOneMessage) return;
    this.#messages.set(row.id, row.deviceId);
    this.#downStates.set(row.id, row.downState);
  }

  #textOf({ type, body }: MessageRow): string {
    const text = JSON.stringify(body) ?? 'null';
    return OF_MANY.has(type) ? this.#texts.of(text) : text;
  }

  #needOrder({ deviceId, id }: MessageRow): void {
    const newest = this.#newest.get(deviceId) ?? this.#tables.devices.get(deviceId)?.messages.at(-1)?.id;
    if (newest !== undefined && newest > id) throw new ConflictError('order');
    if (!this.#isOneMessage) this.#newest.set(deviceId, id);
  }

  /** Compares with stored messages only: a list never contains two copies of a message. */
  #needNew({ deviceId, fingerprint }: MessageRow, since: UnixMillis): void {
    if (fingerprint === null) return;
    const known = findFingerprint(this.#tables.devices.get(deviceId), fingerprint);
    if (known && known.row.createdAt >= since) throw new ConflictError('fingerprint');
  }

  #needRoom(deviceId: Id, room: number): void {
    let taken = 0;
    for (const { id } of this.#tables.devices.get(deviceId)?.pending ?? []) {
      if ((this.#downStates.get(id) ?? 'pending') === 'pending') taken++;
    }
    for (const [id, device] of this.#messages) {
      if (device === deviceId && this.#downStates.get(id) === 'pending') taken++;
    }
    if (taken >= room) throw new ConflictError('queue');
  }

  #needPending(id: Id, state: DownState): void {
    const known = this.#downStates.has(id) ? this.#downStates.get(id) : this.#tables.findMessage(id)?.row.downState;
    if (known === undefined) return;
    if (known !== 'pending') throw new ConflictError('down-state');
    this.#downStates.set(id, state);
  }

  /** Compares with the stored number only: a list never offers the same downlink twice. */
  #needAttempt(id: Id, attempt: number): void {
    const known = this.#tables.findMessage(id)?.row.downAttempt;
    if (known !== undefined && known !== attempt) throw new ConflictError('attempt');
  }

  #needDevice(id: Id): void {
    if (this.#gone.has(id) || this.#tables.devices.get(id)?.deleted) throw new ConflictError('device');
  }

  /** Compares with the stored version only: a commit never changes the same device twice. */
  #needVersion({ id, change, was }: Extract<Change, { kind: 'device.change' }>): void {
    const device = this.#tables.devices.get(id);
    if (was === undefined || !isEdit(change) || !device || device.deleted) return;
    if (device.row.version !== was) throw new ConflictError('device-version');
  }

  /** Compares with stored rows only: a commit with a message changes neither tags nor connectors. */
  #needRules({ deviceId, version, tags, connectors }: Extract<Change, { kind: 'rules.need' }>): void {
    const device = this.#tables.devices.get(deviceId);
    if (!device || device.deleted) return;
    const { row } = device;
    const current = this.#tables.spaces.get(row.spaceId)?.connectorsVersion;
    const isSame = connectors === null || connectors === current;
    if (row.version !== version || row.tagIds.length !== tags || !isSame) throw new ConflictError('rules');
  }

  #putRecord(row: RecordRow): void {
    if (row.spaceId !== null && row.family === 'delivery') this.#needSpace(row.spaceId);
    else if (row.spaceId !== null) this.#needOpenSpace(row.spaceId);
    this.#freeRecordKey(row.family, row.id);
    if (row.key !== null) this.#takeRecordKey(row, row.key);
    const body = JSON.stringify(row.body) ?? 'null';
    this.ofRecords.set(row, body);
    this.#recordBodies.set(`${row.family} ${row.id}`, body);
  }

  #changeRecord(row: RecordRow, was: string): void {
    const name = `${row.family} ${row.id}`;
    const body = this.#recordBodies.has(name)
      ? this.#recordBodies.get(name)
      : this.#tables.records.body(row.family, row.id);
    if (body === undefined) return;
    if (body !== was) throw new ConflictError('record-body');
    this.#putRecord(row);
  }

  /** Looks at stored records, without those that the list deletes. A list adds no record in such a range. */
  #needNoRecord({ family, spaceId, range }: Extract<Change, { kind: 'record.none' }>): void {
    const found = this.#tables.records.inRange(family, spaceId, range, Number.POSITIVE_INFINITY);
    for (const { id } of found) {
      const name = `${family} ${id}`;
      if (!this.#recordKeys.has(name) || this.#recordKeys.get(name) !== undefined)
        throw new ConflictError('record-body');
    }
  }

  #freeRecordKey(family: string, id: Id): void {
    const name = `${family} ${id}`;
    const held = this.#recordKeys.has(name) ? this.#recordKeys.get(name) : this.#storedRecordKey(family, id);
    if (held !== undefined) this.#recordHolders.set(held, undefined);
    this.#recordKeys.set(name, undefined);
  }

  #takeRecordKey(row: RecordRow, key: string): void {
    const name = `${row.family} ${keyOf(row.spaceId, key)}`;
    const holder = this.#recordHolders.has(name)
      ? this.#recordHolders.get(name)
      : this.#tables.records.byKey(row.family, row.spaceId, key)?.id;
    if (holder !== undefined) throw new ConflictError('record-key');
    this.#recordHolders.set(name, row.id);
    this.#recordKeys.set(`${row.family} ${row.id}`, name);
  }

  #storedRecordKey(family: string, id: Id): string | undefined {
    const row = this.#tables.records.get(family, id);
    return row && row.key !== null ? `${family} ${keyOf(row.spaceId, row.key)}` : undefined;
  }
}
