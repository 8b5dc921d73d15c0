/**
 * The store port: what the cloud needs kept. Three rules hold for every implementation.
 *
 *  1. `commit` is atomic, and its promise resolves only when the changes are durable.
 *  2. What a resolved promise has written, every later read sees.
 *  3. Rows go in and come out as plain data; nobody shares an object with the store.
 *
 * One contract suite runs over all implementations: test/contracts/store.ts.
 */
import type { UnixMillis } from '../../kernel/time.js';
import type { Nodes } from './nodes.js';

/**
 * A lower-case UUID, version 7: the order of ids is the order of creation. The time in a row's id and its `createdAt` come
 * from one clock and differ by no more than the moment between two readings; searches by time rely on it.
 */
export type Id = string;

export interface SpaceRow {
  readonly id: Id;
  readonly name: string;
  readonly type: string;
  readonly createdAt: UnixMillis;
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

/** What a device told about itself when it began its session (wire protocol, 7.1); snake_case names, absent ones left out. */
export type SessionFacts = Readonly<Record<string, string | number>>;

export interface DeviceRow {
  readonly id: Id;
  readonly spaceId: Id;
  readonly name: string;
  readonly comment: string | null;
  /** 1 to 4294967295. */
  readonly serial: number;
  /** Claim token, 32 lower-case hex digits. It signs every packet: never leaves the service. */
  readonly token: string;
  readonly externalId: string | null;
  readonly label: Readonly<Record<string, string>>;
  /** Ids of the tags, in the order in which they were given. */
  readonly tagIds: readonly Id[];
  readonly createdAt: UnixMillis;
  /** Arrival of the last message. */
  readonly lastSeen: UnixMillis | null;
  readonly sessionId: number | null;
  readonly session: SessionFacts | null;
  /** 16 lower-case hex digits: what this device uploaded last and is stored intact. */
  readonly configHash: string | null;
  readonly decoderHash: string | null;
  readonly encoderHash: string | null;
}

export type SpaceChange = Partial<Pick<SpaceRow, 'name' | 'type'>>;
export type TagChange = Partial<Pick<TagRow, 'name' | 'color' | 'accessType'>>;

/** The fields of a device that change after it was created. */
export type DeviceChange = Partial<Omit<DeviceRow, 'id' | 'spaceId' | 'serial' | 'token' | 'createdAt'>>;

export type DownState = 'pending' | 'sent' | 'cancelled' | 'expired';

export interface MessageRow {
  readonly id: Id;
  readonly spaceId: Id;
  readonly deviceId: Id;
  readonly createdAt: UnixMillis;
  /** `data`, `session`, `config`, `shell`, `decoder`, `encoder`, `stats`, `firmware`. */
  readonly type: string;
  readonly direction: 'up' | 'down';
  /** A JSON value. */
  readonly body: unknown;
  /** The codec that decoded it, 16 hex digits. */
  readonly codecHash: string | null;
  /** The bytes of a message that could not be decoded, lower-case hex. */
  readonly raw: string | null;
  /** Content of a data uplink, to recognise its repetition; null for everything else. */
  readonly print: string | null;
  readonly downState: DownState | null;
  readonly downStateAt: UnixMillis | null;
  readonly downScheduledAt: UnixMillis | null;
  /** Times that it was offered; 0 for uplinks. */
  readonly downAttempt: number;
  /** When the evidence came in that the device acted on it: a shell answer, or a reported configuration. */
  readonly downAnsweredAt: UnixMillis | null;
}

/** A message as the API lists it: with the name and serial number of its device. */
export interface ListedMessage extends MessageRow {
  readonly deviceName: string;
  readonly deviceSerial: number;
}

/** A station of a downlink's life: `queued`, `contact`, `offered`, `sent`, `answered`, `cancelled`, `expired`. */
export interface TimelineRow {
  readonly messageId: Id;
  readonly at: UnixMillis;
  readonly what: string;
  readonly detail: string | null;
}

/** A codec document, kept under its hash for ever: old messages refer to it. */
export interface CodecRow {
  /** 16 lower-case hex digits. */
  readonly hash: string;
  readonly document: Uint8Array;
}

/**
 * A row of the families that are small and rarely read: users, variables, connectors, deliveries, firmware jobs. The store
 * keeps them as documents; what is in one, and what its key means, is its family's business.
 */
export interface RecordRow {
  /** The family: `user`, `variable`, `connector`, `delivery`, `firmware`. */
  readonly family: string;
  readonly id: Id;
  /** Null: belongs to the service as a whole. */
  readonly spaceId: Id | null;
  /** Unique within family and space; null: nothing to be unique about. */
  readonly key: string | null;
  readonly createdAt: UnixMillis;
  /** When it is to be looked at again (see {@link Store.dueRecords}); null: never. */
  readonly dueAt: UnixMillis | null;
  /** A JSON value. */
  readonly body: unknown;
}

/**
 * One thing to write. A list of them is written in order, whole or not at all. Changing what does not exist (any more)
 * does nothing; a new row that refers to a space or device that never existed makes `commit` reject.
 */
export type Change =
  | { readonly kind: 'space.put'; readonly row: SpaceRow }
  | { readonly kind: 'space.change'; readonly id: Id; readonly change: SpaceChange }
  | { readonly kind: 'key.put'; readonly row: KeyRow }
  /** Gives the key another secret. */
  | { readonly kind: 'key.change'; readonly id: Id; readonly hash: string }
  | { readonly kind: 'tag.put'; readonly row: TagRow }
  | { readonly kind: 'tag.change'; readonly id: Id; readonly change: TagChange }
  /** Also takes the tag off every device. */
  | { readonly kind: 'tag.delete'; readonly id: Id }
  /** Tags that do not exist (any more) are left out, here and in `device.change`. */
  | { readonly kind: 'device.insert'; readonly row: DeviceRow }
  | { readonly kind: 'device.change'; readonly id: Id; readonly change: DeviceChange }
  /** Its messages stay but are no longer listed; its pending downlinks are cancelled at `at`; its claim token is erased. */
  | { readonly kind: 'device.delete'; readonly id: Id; readonly at: UnixMillis }
  /** With `newSince`: a message of the device with the same print, created then or later, makes `commit` reject. */
  | { readonly kind: 'message.insert'; readonly row: MessageRow; readonly newSince?: UnixMillis }
  /**
   * Moves a pending downlink to a state, or (state pending) counts an attempt; `downStateAt` moves only with the state. One
   * that is not pending any more makes `commit` reject: a downlink is sent, cancelled or expired once.
   */
  | {
      readonly kind: 'message.state';
      readonly id: Id;
      readonly state: DownState;
      readonly at: UnixMillis;
      readonly attempt: number;
    }
  | { readonly kind: 'message.answered'; readonly id: Id; readonly at: UnixMillis }
  | { readonly kind: 'timeline.add'; readonly row: TimelineRow }
  | { readonly kind: 'codec.put'; readonly row: CodecRow }
  /** Inserts the row, or replaces the one with its id. */
  | { readonly kind: 'record.put'; readonly row: RecordRow }
  /**
   * Replaces what was read before, with all but its space and time of creation: one whose body is not `was` any more makes
   * `commit` reject.
   */
  | { readonly kind: 'record.change'; readonly row: RecordRow; readonly was: unknown }
  | { readonly kind: 'record.delete'; readonly family: string; readonly id: Id }
  | { readonly kind: 'key.delete'; readonly id: Id };

export type ConflictField = 'serial' | 'tag-name' | 'record-key' | 'record-body' | 'down-state' | 'print';

const OVERTAKEN: Partial<Record<ConflictField, string>> = {
  'record-body': 'the record has changed meanwhile',
  'down-state': 'the downlink is not pending any more',
  print: 'the message is stored already',
};

/**
 * `commit` rejects with this when a unique field is taken, when a record or a downlink is not any more what it was, or when a
 * message is a copy; nothing was written.
 */
export class ConflictError extends Error {
  /**
   * `serial` (service-wide), `tag-name` (in its space), `record-key` (in its family and space); `record-body` and
   * `down-state`, which are not any more what they were; `print`, of a message that is stored already.
   */
  readonly field: ConflictField;

  constructor(field: ConflictField) {
    super(OVERTAKEN[field] ?? `another row has this ${field}`);
    this.name = 'ConflictError';
    this.field = field;
  }
}

/**
 * The database cannot be reached just now, or can take no more; a read or a commit that is tried again later may work. Whether
 * a commit that was under way has been written is not known.
 */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database cannot be reached', { cause });
    this.name = 'StoreUnavailable';
  }
}

export interface Page {
  readonly limit: number;
  /** Id of the last item received. */
  readonly after?: Id | undefined;
}

export const DEVICE_SORTS = ['id', 'name', 'serial_number', 'external_id', 'last_seen', 'session_id'] as const;
export type DeviceSort = (typeof DEVICE_SORTS)[number];

export interface DeviceFilter {
  /** Case-insensitive part of the name. */
  readonly name?: string | undefined;
  /** Part of the serial number, written as ten digits. */
  readonly serial?: string | undefined;
  /** Exact. */
  readonly externalId?: string | undefined;
  readonly tagIds?: readonly Id[] | undefined;
  readonly tagLogic?: 'any' | 'all' | undefined;
  /** Besides: only devices with at least one of these tags. */
  readonly scope?: readonly Id[] | undefined;
}

/** Nulls come last in both directions; ties are broken by id, ascending. */
export interface DeviceQuery extends DeviceFilter, Page {
  readonly sortBy: DeviceSort;
  readonly order: 'asc' | 'desc';
}

/** Newest first. Messages of deleted devices are not listed. */
export interface MessageQuery extends Page {
  readonly deviceId?: Id | undefined;
  readonly tagId?: Id | undefined;
  /** Besides: only messages of devices with at least one of these tags. */
  readonly scope?: readonly Id[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly direction?: 'up' | 'down' | undefined;
  /** Only messages created after this moment (exclusive). */
  readonly createdAfter?: UnixMillis | undefined;
  /** Only messages created before this moment (exclusive). */
  readonly createdBefore?: UnixMillis | undefined;
}

export interface Store {
  /** The other services on this database; absent when there can be none. */
  readonly nodes?: Nodes | undefined;

  /** Writes all changes, or none. Resolves when they are durable. @throws ConflictError, StoreUnavailable */
  commit(changes: readonly Change[]): Promise<void>;

  spaces(page: Page): Promise<readonly SpaceRow[]>;
  space(id: Id): Promise<SpaceRow | undefined>;
  keyByHash(hash: string): Promise<KeyRow | undefined>;

  tags(spaceId: Id, page: Page): Promise<readonly TagRow[]>;
  tag(spaceId: Id, id: Id): Promise<TagRow | undefined>;

  /** When not sorted by id, `after` must be the id of a device of the space; otherwise 'unknown-cursor'. */
  devices(spaceId: Id, query: DeviceQuery): Promise<readonly DeviceRow[] | 'unknown-cursor'>;
  countDevices(spaceId: Id, filter: DeviceFilter): Promise<number>;
  device(spaceId: Id, id: Id): Promise<DeviceRow | undefined>;
  deviceBySerial(serial: number): Promise<DeviceRow | undefined>;

  messages(spaceId: Id, query: MessageQuery): Promise<readonly ListedMessage[]>;
  message(spaceId: Id, id: Id): Promise<ListedMessage | undefined>;
  /** Downlinks of the device in state pending, oldest first. */
  pendingDownlinks(deviceId: Id): Promise<readonly MessageRow[]>;
  /** Pending downlinks of the whole service that were queued before `createdBefore`, oldest first. */
  overdueDownlinks(createdBefore: UnixMillis, limit: number): Promise<readonly MessageRow[]>;
  /** How many downlinks of the whole service are in state pending. */
  countPending(): Promise<number>;
  /** Config and shell downlinks of the device in state sent that are not answered yet, oldest first. */
  unansweredDownlinks(deviceId: Id): Promise<readonly MessageRow[]>;
  /** Id of the device's data uplink with this print that is not older than `since`. */
  copyOf(deviceId: Id, print: string, since: UnixMillis): Promise<Id | undefined>;
  timeline(messageId: Id): Promise<readonly TimelineRow[]>;

  codec(hash: string): Promise<CodecRow | undefined>;

  /**
   * Deletes what was created before that moment and is over: messages with their timelines, except pending downlinks, and
   * delivery records that are not due any more. At most `limit` of them, oldest first; resolves with their number. Codecs
   * stay: a device may use one that no message has mentioned for long.
   */
  prune(createdBefore: UnixMillis, limit: number): Promise<number>;

  /** Of one family and space, oldest first. */
  records(family: string, spaceId: Id | null, page: Page): Promise<readonly RecordRow[]>;
  record(family: string, spaceId: Id | null, id: Id): Promise<RecordRow | undefined>;
  recordByKey(family: string, spaceId: Id | null, key: string): Promise<RecordRow | undefined>;
  /** Of one family and space, those with `from` <= key < `below`, greatest key first; keys are compared byte by byte. */
  recordsInRange(
    family: string,
    spaceId: Id | null,
    range: { readonly from: string; readonly below: string },
    limit: number,
  ): Promise<readonly RecordRow[]>;
  /** Records of the family, of all spaces, whose time has come: `dueAt` <= `now`, earliest first. */
  dueRecords(family: string, now: UnixMillis, limit: number): Promise<readonly RecordRow[]>;

  close(): Promise<void>;
}
