/**
 * The tables of the memory store, as plain data. Lists are sorted by id; rows that the store returns without a copy are frozen.
 */
import type { CodecRow, EventRow, Id, KeyRow, SpaceRow, Station, TagRow } from '../store.js';
import { lowerBound } from './by-id.js';
import type { DeviceEntry, MessageEntry, Messages, OtherEntry } from './messages.js';
import { MemoryRecords } from './records.js';
import { Reports } from './reports.js';

export interface SpaceEntry {
  readonly id: Id;
  row: SpaceRow;
  connectorsVersion: number;
  readonly tags: TagRow[];
  readonly devices: DeviceEntry[];
  /** Includes the messages of deleted devices. */
  readonly messages: Messages;
}

export class MemoryTables {
  readonly spaces = new Map<Id, SpaceEntry>();
  readonly spaceList: SpaceEntry[] = [];
  readonly keys = new Map<Id, KeyRow>();
  readonly keysByHash = new Map<string, KeyRow>();
  readonly tags = new Map<Id, TagRow>();
  /** Includes deleted devices, because their messages refer to them. */
  readonly devices = new Map<Id, DeviceEntry>();
  readonly bySerial = new Map<number, DeviceEntry>();
  readonly byToken = new Map<string, DeviceEntry>();
  readonly reports = new Reports<DeviceEntry>();
  readonly pending: OtherEntry[] = [];
  readonly timelines = new Map<Id, Station[]>();
  /** Number of timeline entries ever written. */
  stations = 0;
  readonly codecs = new Map<string, CodecRow>();
  readonly records = new MemoryRecords();
  /** The journal, in order. */
  readonly events: EventRow[] = [];
  /** Number of the newest entry of the journal that was ever written. */
  newestEvent = 0;

  /** By search in the lists of the spaces: a map of all messages would take 50 bytes for each. */
  findMessage(id: Id): MessageEntry | undefined {
    for (const { messages } of this.spaceList) {
      const newest = messages.at(-1);
      // Most ids that are looked for are those of new messages.
      if (newest === undefined || newest.id < id) continue;
      const entry = messages.at(lowerBound(messages, id));
      if (entry?.id === id) return entry;
    }
    return undefined;
  }
}
