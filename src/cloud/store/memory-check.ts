/**
 * What can be wrong with a list of changes, found before the first of them is made: that is how a commit in memory is whole
 * or not at all without any undoing.
 */
import type { MemoryTables } from './memory-tables.js';
import {
  type Change,
  ConflictError,
  type DeviceRow,
  type Id,
  type KeyRow,
  type MessageRow,
  type TagRow,
} from './store.js';

/**
 * Returns the bodies of the messages in the list, as JSON text.
 * @throws ConflictError, or an Error when a row refers to nothing, is there already, or has a body that is no JSON
 */
export function check(tables: MemoryTables, changes: readonly Change[]): ReadonlyMap<Id, string> {
  const list = new Check(tables);
  for (const change of changes) list.add(change);
  return list.bodies;
}

/** Walks through a list of changes, keeping in mind what the earlier ones of the list will do. */
class Check {
  readonly #tables: MemoryTables;
  readonly #spaces = new Set<Id>();
  readonly #devices = new Set<Id>();
  readonly bodies = new Map<Id, string>();
  /** Serial numbers that the list takes (true) or sets free (false). */
  readonly #serials = new Map<number, boolean>();
  /** Space and name of every tag; made when the list has to do with tags. */
  #tagNames: Map<Id, string> | undefined;

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  add(change: Change): void {
    switch (change.kind) {
      case 'space.put':
        this.#spaces.add(change.row.id);
        break;
      case 'key.put':
        this.#needSpace(change.row.spaceId);
        this.#needFreeHash(change.row);
        break;
      case 'tag.put':
        this.#needSpace(change.row.spaceId);
        this.#takeTagName(change.row);
        break;
      case 'tag.delete':
        this.#namesOfTags().delete(change.id);
        break;
      case 'device.insert':
        this.#needSpace(change.row.spaceId);
        this.#takeSerial(change.row);
        break;
      case 'device.delete': {
        const device = this.#tables.devices.get(change.id);
        if (device && !device.deleted) this.#serials.set(device.row.serial, false);
        break;
      }
      case 'message.insert':
        this.#needMessageParents(change.row);
        break;
      case 'device.change':
      case 'message.state':
      case 'message.answered':
      case 'timeline.add':
      case 'codec.put':
        break;
      default:
        change satisfies never;
    }
  }

  #needSpace(id: Id): void {
    if (!this.#tables.spaces.has(id) && !this.#spaces.has(id)) throw new Error(`there is no space ${id}`);
  }

  #needFreeHash(row: KeyRow): void {
    const holder = this.#tables.keysByHash.get(row.hash);
    if (holder && holder.id !== row.id) throw new Error('another key has this hash');
  }

  #takeSerial(row: DeviceRow): void {
    if (this.#serials.get(row.serial) ?? this.#tables.bySerial.has(row.serial)) throw new ConflictError('serial');
    if (this.#tables.devices.has(row.id) || this.#devices.has(row.id)) throw new Error(`device ${row.id} is there`);
    this.#serials.set(row.serial, true);
    this.#devices.add(row.id);
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
    if (!known) throw new Error(`there is no device ${row.deviceId}`);
    if (this.#tables.messages.has(row.id) || this.bodies.has(row.id)) throw new Error(`message ${row.id} is there`);
    this.bodies.set(row.id, JSON.stringify(row.body) ?? 'null');
  }
}
