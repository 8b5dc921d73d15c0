/** The stored rows, as plain data. Rows refer to each other by id. */
import type { Rhythm } from '../../contract/health.js';
import type { DownState } from '../../contract/messages.js';
import type { UnixMillis } from '../../kernel/time.js';

/**
 * A lower-case UUID, version 7. The order of ids is the order of creation. This always holds for the messages of one device. It
 * holds for other rows as long as the clocks of all services agree and are not corrected. The time in a row's id and its
 * `createdAt` differ only slightly (`SLACK` in order.ts); searches by time rely on this.
 */
export type Id = string;

export interface SpaceRow {
  readonly id: Id;
  readonly name: string;
  /** `deleted`: see `space.delete` in changes.ts. */
  readonly type: string;
  readonly createdAt: UnixMillis;
}

export function isDeleted({ type }: SpaceRow): boolean {
  return type === 'deleted';
}

/** An API key. Only the hash of the secret is kept. */
export interface KeyRow {
  readonly id: Id;
  readonly spaceId: Id;
  readonly name: string;
  /** Lower-case hex SHA-256 of the secret. */
  readonly hash: string;
  readonly createdAt: UnixMillis;
}

export interface TagRow {
  readonly id: Id;
  readonly spaceId: Id;
  readonly name: string;
  /** `#RRGGBB` */
  readonly color: string;
  readonly accessType: 'write' | 'read';
  readonly createdAt: UnixMillis;
}

/** Facts that a device reports when it starts a session (wire W-47); names in snake_case, absent facts omitted. */
export type SessionFacts = Readonly<Record<string, string | number>>;

export interface DeviceRow extends Rhythm {
  readonly id: Id;
  readonly spaceId: Id;
  readonly name: string;
  readonly comment: string | null;
  /** 1 to 4294967295. */
  readonly serial: number;
  /** Claim token, 32 lower-case hex digits. It authenticates the device, and the API never returns it. */
  readonly token: string;
  readonly externalId: string | null;
  readonly label: Readonly<Record<string, string>>;
  /** Ids of the tags, in the order in which they were given. */
  readonly tagIds: readonly Id[];
  readonly createdAt: UnixMillis;
  /** Number of changes of its name, comment, external id, label, tags or claim token. */
  readonly version: number;
  /** Arrival of the last message. */
  readonly lastSeen: UnixMillis | null;
  readonly sessionId: number | null;
  readonly session: SessionFacts | null;
  /**
   * Hash of the last configuration that the device uploaded, 16 lower-case hex digits. The next two hashes are of its codecs.
   */
  readonly configHash: string | null;
  readonly decoderHash: string | null;
  readonly encoderHash: string | null;
}

/** A device of a list; the claim token may be missing. */
export type ListedDevice = Omit<DeviceRow, 'token'> & Partial<Pick<DeviceRow, 'token'>>;

/** Stands in place of the hash of a codec that does not exist. Devices do not compare this hash (wire W-68). */
export const NO_CODEC = '0000000000000000';

export interface MessageRow {
  readonly id: Id;
  readonly spaceId: Id;
  readonly deviceId: Id;
  readonly createdAt: UnixMillis;
  /** `data`, `session`, `config`, `shell`, `decoder`, `encoder`, `stats`, `firmware`; for downlinks also `timestamp`. */
  readonly type: string;
  readonly direction: 'up' | 'down';
  /** A JSON value; callers may pass an EncodedBody, and reads return the decoded body. */
  readonly body: unknown;
  /** The codec of the data, or the uploaded one, 16 hex digits; {@link NO_CODEC} for raw downlinks; null for others. */
  readonly codecHash: string | null;
  /** The bytes of an uplink that could not be decoded, or of a downlink that is not encoded, in lower-case hex. */
  readonly raw: string | null;
  /** Fingerprint of an uplink, or of its request; copies have the same. Null: never a copy. */
  readonly fingerprint: string | null;
  readonly downState: DownState | null;
  readonly downStateAt: UnixMillis | null;
  readonly downScheduledAt: UnixMillis | null;
  /** Number of offers; 0 for uplinks. */
  readonly downAttempt: number;
  /** When the device proved that it carried out the downlink: by a shell response, or a reported configuration. */
  readonly downAnsweredAt: UnixMillis | null;
}

/** Longest content that is read with a queue: characters of the body as JSON, plus hex digits of raw bytes. */
export const WAITING_CONTENT = 512;

/** A downlink in its queue. Body and raw bytes are absent if they are together longer than {@link WAITING_CONTENT}. */
export type WaitingRow = MessageRow | Omit<MessageRow, 'body' | 'raw'>;

/** A message as listed by the API: with the name and serial number of its device. */
export interface ListedMessage extends MessageRow {
  readonly deviceName: string;
  readonly deviceSerial: number;
}

/** An entry of a downlink's timeline: `queued`, `waiting`, `contact`, `offered`, `sent`, `answered`, `cancelled`, `expired`. */
export interface TimelineRow {
  readonly messageId: Id;
  readonly at: UnixMillis;
  readonly what: string;
  readonly detail: string | null;
}

/** A timeline entry with its id, which serves as the cursor of a page. */
export interface Station extends TimelineRow {
  readonly id: Id;
}

/** A codec document, stored permanently under its hash: old messages refer to it. */
export interface CodecRow {
  /** 16 lower-case hex digits. */
  readonly hash: string;
  readonly document: Uint8Array;
}

/**
 * A row of a family that is small or rarely read, such as users, variables, connectors, deliveries or firmware updates. Such
 * rows are stored as JSON documents; the family defines the contents and the meaning of the key (ADR 5).
 */
export interface RecordRow {
  /** The family, such as `user`, `variable`, `connector`, `delivery`, `firmware`. */
  readonly family: string;
  readonly id: Id;
  /** Null: the record belongs to the whole service. */
  readonly spaceId: Id | null;
  /** Unique within family and space; null: no uniqueness. */
  readonly key: string | null;
  readonly createdAt: UnixMillis;
  /** When the record becomes due (see {@link Store.dueRecords}); null: never. */
  readonly dueAt: UnixMillis | null;
  /** A JSON value. */
  readonly body: unknown;
}

/** Keys that are not less than `from`, and less than `below`. */
export interface KeyRange {
  readonly from: string;
  readonly below: string;
}
