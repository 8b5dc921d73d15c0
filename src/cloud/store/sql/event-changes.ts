/** Writes entries of the journal of events. */
import type { EventKind } from '../../../contract/events.js';
import type { NewEvent } from '../store.js';
import type { Statement } from './dialect.js';
import { json } from './statements.js';

/** The entry gets the space and the device of the row that the event is about. */
export function addEvent({ kind, ref, at, detail }: NewEvent): Statement {
  const values = [at, kind, ref, detail === null ? null : json(detail), ...(isOfRecord(kind) ? [kind] : []), ref];
  return { text: ADD_EVENT[kind], values, inOrder: true };
}

function isOfRecord(kind: EventKind): boolean {
  return kind === 'delivery' || kind === 'firmware';
}

const addEventOf = (columns: string, rest: string) =>
  `INSERT INTO event (space_id, device_id, at, kind, ref, detail) SELECT ${columns}, ?, ?, ?, ? FROM ${rest}`;
const OF_MESSAGE = addEventOf('space_id, device_id', 'message WHERE id = ?');
const OF_RECORD = addEventOf('space_id, NULL', 'record WHERE family = ? AND id = ? AND space_id IS NOT NULL');
const OF_DEVICE = addEventOf('space_id, id', 'device WHERE id = ?');

const ADD_EVENT: Readonly<Record<EventKind, string>> = {
  message: OF_MESSAGE,
  downlink: OF_MESSAGE,
  device: OF_DEVICE,
  health: OF_DEVICE,
  delivery: OF_RECORD,
  firmware: OF_RECORD,
};
