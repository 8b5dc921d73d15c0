/**
 * The interface of a store. Three rules hold for every implementation.
 *
 *   1. `commit` is atomic, and its promise resolves only when the changes are durable.
 *   2. After a commit has resolved, every later read returns the rows that it has written.
 *   3. Rows are passed as plain data; the store shares no object with its callers that could change.
 *
 * The contract suite in test/contracts/store runs against all implementations.
 */
import type { DeviceSort } from '../../contract/devices.js';
import type { Health, HealthCounts } from '../../contract/health.js';
import type { UnixMillis } from '../../kernel/time.js';
import type { Change } from './changes.js';
import type { EventRow } from './events.js';
import type { Nodes } from './nodes.js';
import type {
  CodecRow,
  DeviceRow,
  Id,
  KeyRange,
  KeyRow,
  ListedDevice,
  ListedMessage,
  MessageRow,
  RecordRow,
  SpaceRow,
  Station,
  TagRow,
  WaitingRow,
} from './rows.js';
import type { Soundness } from './soundness.js';

export * from './changes.js';
export * from './events.js';
export * from './rows.js';

export interface Page {
  readonly limit: number;
  /** Id of the last item of the previous page; undefined: the first page. */
  readonly after?: Id | undefined;
}

export interface DeviceFilter {
  /** Case-insensitive part of the name. */
  readonly name?: string | undefined;
  /** Part of the serial number, written as ten digits. */
  readonly serial?: string | undefined;
  /** The complete external id. */
  readonly externalId?: string | undefined;
  readonly tagIds?: readonly Id[] | undefined;
  /** Whether a device must have any or all of `tagIds`. Default: any. */
  readonly tagLogic?: 'any' | 'all' | undefined;
  /** Only devices with at least one of these tags. This condition holds in addition to `tagIds`. */
  readonly scope?: readonly Id[] | undefined;
  /** Only devices that have one of these healths at a time. */
  readonly health?: { readonly among: readonly Health[]; readonly at: UnixMillis } | undefined;
}

/** A device and its new health. */
export interface HealthChange {
  readonly id: Id;
  readonly health: Health;
}

/** A place in a sorted list: that of a row with this value and id, whether or not a row is still there. */
export interface Place {
  readonly id: Id;
  /** The value by which the list is sorted. */
  readonly value: string | number | null;
}

/** A page of a sorted list. Nulls come last in both directions; devices with equal values are sorted by id, ascending. */
export interface DeviceQuery extends DeviceFilter {
  readonly limit: number;
  readonly sortBy: DeviceSort;
  readonly order: 'asc' | 'desc';
  /** Place of the last row of the previous page; undefined: the first page. */
  readonly after?: Place | undefined;
  /** Leaves out devices with a greater value. Only for values that are numbers. */
  readonly upTo?: number | undefined;
  /** Whether the rows must contain claim tokens. If not, a store with encrypted tokens omits them. Default: false. */
  readonly withTokens?: boolean | undefined;
}

/** A page of messages, newest first. Messages of deleted devices are not listed. */
export interface MessageQuery extends Page {
  readonly deviceId?: Id | undefined;
  readonly tagId?: Id | undefined;
  /** Only messages of devices with at least one of these tags. This condition holds in addition to `tagId`. */
  readonly scope?: readonly Id[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly direction?: 'up' | 'down' | undefined;
  /** Leaves out downlinks of these types. */
  readonly onlyUp?: readonly string[] | undefined;
  /** Only messages created after this moment (exclusive). */
  readonly createdAfter?: UnixMillis | undefined;
  /** Only messages created before this moment (exclusive). */
  readonly createdBefore?: UnixMillis | undefined;
}

export interface Store {
  /** Notifications between the services on this database; absent if services cannot share the store. */
  readonly nodes?: Nodes | undefined;
  /** Reports damage of the database; absent for a store in memory. */
  readonly soundness?: Soundness | undefined;
  /** The key file beside an SQLite database. Absent if the caller gave the key, and for other stores. */
  readonly keyFile?: string | undefined;

  /**
   * Writes all changes or none; resolves when they are durable.
   * @throws ConflictError, StoreUnavailable
   */
  commit(changes: readonly Change[]): Promise<void>;

  spaces(page: Page): Promise<readonly SpaceRow[]>;
  space(id: Id): Promise<SpaceRow | undefined>;
  keyByHash(hash: string): Promise<KeyRow | undefined>;

  tags(spaceId: Id, page: Page): Promise<readonly TagRow[]>;
  tag(spaceId: Id, id: Id): Promise<TagRow | undefined>;

  devices(spaceId: Id, query: DeviceQuery): Promise<readonly ListedDevice[]>;
  /** @param most number at which counting stops. Default: all */
  countDevices(spaceId: Id, filter: DeviceFilter, most?: number): Promise<number>;
  /** The number of devices with each health, by space; without spaces that have no devices. */
  countByHealth(at: UnixMillis): Promise<ReadonlyMap<Id, Readonly<HealthCounts>>>;
  /** The devices of the whole service that had another health at `from` than at `to`, as far as their last contacts say. */
  healthChanges(from: UnixMillis, to: UnixMillis): Promise<readonly HealthChange[]>;
  device(spaceId: Id, id: Id): Promise<DeviceRow | undefined>;
  deviceBySerial(serial: number): Promise<DeviceRow | undefined>;

  messages(spaceId: Id, query: MessageQuery): Promise<readonly ListedMessage[]>;
  message(spaceId: Id, id: Id): Promise<ListedMessage | undefined>;
  /** Id of the newest message of the device; without `deviceId`, of the whole service. Undefined without messages. */
  newestMessage(deviceId?: Id): Promise<Id | undefined>;
  /** Downlinks of the device in state pending, oldest first; without long bodies, see {@link WaitingRow}. */
  pendingDownlinks(deviceId: Id): Promise<readonly WaitingRow[]>;
  /** Pending downlinks of the whole service that were queued before `createdBefore`, oldest first. */
  overdueDownlinks(createdBefore: UnixMillis, limit: number): Promise<readonly MessageRow[]>;
  /** How many downlinks of the whole service are in state pending. */
  countPending(): Promise<number>;
  /** The same by space; without spaces that have none. */
  countPendingBySpace(): Promise<ReadonlyMap<Id, number>>;
  /** Config and shell downlinks of the device in state sent that are not answered yet, oldest first. */
  unansweredDownlinks(deviceId: Id): Promise<readonly MessageRow[]>;
  /** Id of the device's uplink with this fingerprint that is not older than `since`; undefined without such an uplink. */
  copyOf(deviceId: Id, fingerprint: string, since: UnixMillis): Promise<Id | undefined>;
  /** Timeline entries in the order in which they were written. */
  timeline(messageId: Id, page: Page): Promise<readonly Station[]>;

  codec(hash: string): Promise<CodecRow | undefined>;

  /** Deletes up to `limit` old finished rows, oldest first: messages but pending downlinks, and deliveries. Codecs stay. */
  prune(createdBefore: UnixMillis, limit: number): Promise<number>;

  /** Deletes up to `limit` tags or records of these families that a deleted space still has; returns their number, 0 at the end. */
  clearSpace(id: Id, families: readonly string[], limit: number): Promise<number>;

  /** Records of one family and space, oldest first. */
  records(family: string, spaceId: Id | null, page: Page): Promise<readonly RecordRow[]>;
  /** @param most number at which counting stops */
  countRecords(family: string, spaceId: Id | null, most: number): Promise<number>;
  record(family: string, spaceId: Id | null, id: Id): Promise<RecordRow | undefined>;
  recordByKey(family: string, spaceId: Id | null, key: string): Promise<RecordRow | undefined>;
  /** Records of one family and space with `from` <= key < `below`, greatest key first; keys are compared byte by byte. */
  recordsInRange(family: string, spaceId: Id | null, range: KeyRange, limit: number): Promise<readonly RecordRow[]>;
  /** Due records of the family in all spaces, or in one: `dueAt` <= `now`, earliest first. */
  dueRecords(family: string, now: UnixMillis, limit: number, spaceId?: Id): Promise<readonly RecordRow[]>;
  /** Spaces with due records of the family, by id. In SQL, the cost depends on the number of spaces, not of records. */
  dueSpaces(family: string, now: UnixMillis): Promise<readonly Id[]>;

  /** A number that increases whenever a record of the family `connector` of the space is created, changed or deleted. */
  connectorsVersion(spaceId: Id): Promise<number>;

  /** Entries of the journal with numbers above `after`, in their order. */
  events(after: number, limit: number): Promise<readonly EventRow[]>;
  /** Number of the newest entry of the journal; 0 if it is empty. */
  newestEvent(): Promise<number>;

  close(): Promise<void>;
}
