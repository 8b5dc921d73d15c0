/**
 * The journal of events: which rows have changed, in the order of the commits. An entry refers to a row without repeating its
 * contents. The entry is written in the commit that changes the row, and only while the journal is kept
 * (cloud/events/journal.ts).
 *
 * The entries are numbered in the order in which commits become visible, also if several services write them. So a reader that
 * can see an entry can also see all entries with smaller numbers.
 */
import type { EventKind } from '../../contract/events.js';
import type { UnixMillis } from '../../kernel/time.js';
import type { Id } from './rows.js';

export interface NewEvent {
  readonly kind: EventKind;
  /** Id of the row: a message (for a station, the message of the downlink), a device, or a record of the family `kind`. */
  readonly ref: Id;
  readonly at: UnixMillis;
  /** JSON value: the station of a downlink, the change of a device (`created`, …), or its health; otherwise null. */
  readonly detail: unknown;
}

export interface EventRow extends NewEvent {
  /** Number of the entry. Later entries have greater numbers; there may be gaps. */
  readonly seq: number;
  readonly spaceId: Id;
  /** Null if the entry refers to a record. */
  readonly deviceId: Id | null;
}
