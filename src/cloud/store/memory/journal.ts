/** The journal of events in memory. */
import { deserialize, serialize } from 'node:v8';
import { bisect } from '../../../kernel/bisect.js';
import type { EventRow, Id, NewEvent } from '../store.js';
import type { MemoryTables } from './tables.js';

/** Adds an entry, with the space and the device of the row that the event is about. */
export function addEvent(tables: MemoryTables, event: NewEvent): void {
  const place = placeOf(tables, event);
  if (!place) return;
  // Not the global function for copies, which test environments with a DOM may leave out.
  const row = { seq: ++tables.newestEvent, ...place, ...event, detail: deserialize(serialize(event.detail)) };
  tables.events.push(Object.freeze(row));
}

/** Index of the first entry with a number above `seq`. */
export function firstAbove(events: readonly EventRow[], seq: number): number {
  return bisect(events.length, (index) => (events[index]?.seq ?? 0) > seq);
}

function placeOf(tables: MemoryTables, { kind, ref }: NewEvent): Pick<EventRow, 'spaceId' | 'deviceId'> | undefined {
  switch (kind) {
    case 'message':
    case 'downlink':
      return ofMessage(tables.findMessage(ref)?.row);
    case 'device':
    case 'health':
      return ofDevice(tables.devices.get(ref)?.row.spaceId, ref);
    case 'delivery':
    case 'firmware':
      return ofDevice(tables.records.get(kind, ref)?.spaceId, null);
    default:
      return kind satisfies never;
  }
}

function ofDevice(spaceId: Id | null | undefined, deviceId: Id | null) {
  return spaceId === undefined || spaceId === null ? undefined : { spaceId, deviceId };
}

function ofMessage(row: Pick<EventRow, 'spaceId' | 'deviceId'> | undefined) {
  return row && { spaceId: row.spaceId, deviceId: row.deviceId };
}
