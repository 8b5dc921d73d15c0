/** The differences between SQLite and PostgreSQL. All other SQL is shared; `?` is a parameter in it. */
import type { ConflictField } from '../store.js';

export type SqlValue = string | number | null | Uint8Array | readonly string[];

export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** The statement writes to the journal of events: transactions with such statements take place one after another. */
  readonly inOrder?: true;
  /** A query with the value `found`: whether this statement's message is a copy. For a database that logs rejections. */
  readonly isCopy?: Statement;
  /** The device whose row this statement changes, or into which it stores a message if the stored ones permit it. */
  readonly ofDevice?: string;
}

export interface Dialect {
  /** Condition: the column contains the text `?`. */
  contains(column: string): string;
  /** Condition: the column is one of the texts in `?`, which is made by {@link list}. */
  among(column: string): string;
  list(texts: readonly string[]): SqlValue;
  /** A number of up to ten digits as text, padded with zeros to ten digits. */
  tenDigits(column: string): string;
  /** Tags of `device d` as one JSON array, in the order in which they were given. */
  readonly tagIds: string;
  /** Condition: device `?` has a message with an id above `?`. */
  readonly hasNewer: string;
  /** The table `message m`. SQLite reads it by this index; PostgreSQL chooses the index itself. */
  messagesBy(index: string): string;
  /** Joins `device d`, with the messages as the outer loop. */
  readonly joinDevice: string;
  /** Whether a list that may read many messages is divided into steps, because its query would delay others. */
  readonly inSteps: boolean;
  /** The id of `message m`, by which lists are sorted; postgres/migrations.ts explains its collation. */
  readonly listedId: string;
}

/** A statement sets a NOT NULL column to null to make the database reject the commit (ADR 8). The column shows the reason. */
export const NULLED: Readonly<Record<string, ConflictField>> = {
  'message.device_id': 'device',
  'message.direction': 'fingerprint',
  'message.down_attempt': 'queue',
  'message.created_at': 'attempt',
  'message.type': 'order',
  'record.body': 'record-body',
  'device.label': 'device',
  'device.version': 'device-version',
  'device.created_at': 'rules',
  'space.type': 'space-devices',
};
