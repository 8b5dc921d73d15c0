/** The changes that a commit consists of, and the reasons for which it is rejected. */

import type { DownState } from '../../contract/messages.js';
import { isError } from '../../kernel/errors.js';
import { reasonOf } from '../../kernel/system-errors.js';
import type { UnixMillis } from '../../kernel/time.js';
import type { NewEvent } from './events.js';
import type {
  CodecRow,
  DeviceRow,
  Id,
  KeyRange,
  KeyRow,
  MessageRow,
  RecordRow,
  SpaceRow,
  TagRow,
  TimelineRow,
} from './rows.js';

export type SpaceChange = Partial<Pick<SpaceRow, 'name' | 'type'>>;
export type TagChange = Partial<Pick<TagRow, 'name' | 'color' | 'accessType'>>;

/** The fields of a device that may change after its creation. */
export type DeviceChange = Partial<Omit<DeviceRow, 'id' | 'spaceId' | 'serial' | 'createdAt' | 'version'>>;

/** The fields that users change; messages of the device change the others. */
const EDITED = ['name', 'comment', 'externalId', 'label', 'tagIds', 'token'] as const;

/** Whether a change raises the version of its device. */
export function isEdit(change: DeviceChange): boolean {
  return EDITED.some((field) => change[field] !== undefined);
}

/**
 * One change. The changes of a commit are written in order, all or none. A change of a row that does not exist has no effect.
 * `commit` rejects a new row that refers to a space or device that never existed. It also rejects a new device, key, tag or
 * record in a deleted space, except a record of the family `delivery`.
 */
export type Change =
  | { readonly kind: 'space.put'; readonly row: SpaceRow }
  | { readonly kind: 'space.change'; readonly id: Id; readonly change: SpaceChange }
  /**
   * Deletes a space with its keys, and its records of the given families, which must be few. `commit` rejects this change if the
   * space has devices. The row stays, with type `deleted`, because messages of its deleted devices refer to it. The space then
   * accepts only records of the family `delivery`. {@link Store.clearSpace} deletes its other rows.
   */
  | { readonly kind: 'space.delete'; readonly id: Id; readonly families: readonly string[] }
  | { readonly kind: 'key.put'; readonly row: KeyRow }
  /** Replaces the secret of the key. */
  | { readonly kind: 'key.change'; readonly id: Id; readonly hash: string }
  | { readonly kind: 'tag.put'; readonly row: TagRow }
  | { readonly kind: 'tag.change'; readonly id: Id; readonly change: TagChange }
  /** Also removes the tag from every device. */
  | { readonly kind: 'tag.delete'; readonly id: Id }
  /** Tags that do not exist are ignored, here and in `device.change`. */
  | { readonly kind: 'device.insert'; readonly row: DeviceRow }
  /** With `within`, `tagIds` replaces only tags that are in it. With `was`, another version rejects a user's {@link isEdit}. */
  | {
      readonly kind: 'device.change';
      readonly id: Id;
      readonly change: DeviceChange;
      readonly within?: readonly Id[] | undefined;
      readonly was?: number | undefined;
    }
  /** Deletes a device: its messages are unlisted, its pending downlinks cancelled at `at`, its claim token erased. */
  | { readonly kind: 'device.delete'; readonly id: Id; readonly at: UnixMillis }
  /** Rejects the commit if the device is deleted. Concurrent deletions wait for the commit. Precedes records of a device. */
  | { readonly kind: 'device.need'; readonly id: Id }
  /**
   * `commit` rejects a message if the device has one with a greater id: messages of a device are stored in order. `newSince`:
   * `commit` rejects a message if the device has a copy (same fingerprint) that was created at this time or later. `room`:
   * `commit` rejects a downlink if the device has this many pending downlinks. A message needs its device, as with `device.need`.
   */
  | {
      readonly kind: 'message.insert';
      readonly row: MessageRow;
      readonly newSince?: UnixMillis;
      readonly room?: number;
    }
  /**
   * Records that a pending downlink is offered (sent to its device): sets its number of attempts. From then on, an
   * acknowledgement of the downlink is accepted. `commit` rejects the offer with `down-state` if the downlink is not pending,
   * and with `attempt` if the stored number is not `attempt - 1`, because another service has offered the downlink meanwhile.
   */
  | { readonly kind: 'message.offer'; readonly id: Id; readonly attempt: number }
  /** Ends a pending downlink. Rejected if it is not pending: it is sent, cancelled or expired only once. */
  | {
      readonly kind: 'message.state';
      readonly id: Id;
      readonly state: Exclude<DownState, 'pending'>;
      readonly at: UnixMillis;
    }
  /** Records when the device answered a downlink. */
  | { readonly kind: 'message.answered'; readonly id: Id; readonly at: UnixMillis }
  /** Adds an entry to a timeline. With `latest`, it replaces the earlier entries with the same `what`, except the first one. */
  | { readonly kind: 'timeline.add'; readonly row: TimelineRow; readonly latest?: true }
  | { readonly kind: 'codec.put'; readonly row: CodecRow }
  /** Inserts a record, or replaces the record with the same family and id. */
  | { readonly kind: 'record.put'; readonly row: RecordRow }
  /** Replaces a record except for its space and creation time; `commit` rejects it if the stored body is not `was`. */
  | { readonly kind: 'record.change'; readonly row: RecordRow; readonly was: unknown }
  | { readonly kind: 'record.delete'; readonly family: string; readonly id: Id }
  /** Rejects the commit, with `record-body`, if the space has a record of the family with a key in the range. */
  | { readonly kind: 'record.none'; readonly family: string; readonly spaceId: Id; readonly range: KeyRange }
  /**
   * Rejects the commit if other rules now decide which connectors forward the messages of the device: if the device has another
   * version or another number of tags, or the connectors of its space another version ({@link Store.connectorsVersion}; null:
   * any). With a deleted device, it has no effect.
   */
  | {
      readonly kind: 'rules.need';
      readonly deviceId: Id;
      readonly version: number;
      readonly tags: number;
      readonly connectors: number | null;
    }
  | { readonly kind: 'key.delete'; readonly id: Id }
  /** Adds an entry to the journal. It has no effect if the row that the event refers to does not exist. */
  | { readonly kind: 'event.add'; readonly event: NewEvent }
  /** Deletes the entries of the journal with numbers smaller than `below`. */
  | { readonly kind: 'event.prune'; readonly below: number };

export type ConflictField =
  | 'serial'
  | 'token'
  | 'tag-name'
  | 'record-key'
  | 'record-body'
  | 'device'
  | 'device-version'
  | 'down-state'
  | 'attempt'
  | 'order'
  | 'fingerprint'
  | 'queue'
  | 'rules'
  | 'space'
  | 'space-devices';

const OVERTAKEN: Partial<Record<ConflictField, string>> = {
  'record-body': 'the record has changed meanwhile',
  device: 'the device has been deleted',
  'device-version': 'the device has changed meanwhile',
  'down-state': 'the downlink is not pending',
  attempt: 'another service has offered the downlink meanwhile',
  order: 'the device has a newer message',
  fingerprint: 'the message is already stored',
  queue: 'the queue of the device is full',
  rules: 'the tags of the device or the connectors of its space have changed meanwhile',
  space: 'the space has been deleted',
  'space-devices': 'the space has devices',
};

/**
 * `commit` rejects with this error if a unique field is taken, a record or downlink has changed meanwhile, a message is a copy
 * or out of order, the queue of the device is full, a device or space is deleted, or a space not empty. Nothing was written.
 */
export class ConflictError extends Error {
  /**
   * - Taken: `serial` and `token` (unique in the service), `tag-name` (in its space), `record-key` (in its family and space).
   * - Changed meanwhile: `record-body`, `device-version`, `down-state`, `attempt`, `rules`.
   * - `order`: the device has a newer message. `fingerprint`: the message is already stored. `queue`: the queue is full.
   * - `device`, `space`: it is deleted. `space-devices`: the space has devices.
   */
  readonly field: ConflictField;

  constructor(field: ConflictField) {
    super(OVERTAKEN[field] ?? `another row has this ${field}`);
    this.name = 'ConflictError';
    this.field = field;
  }
}

/** Whether a commit was rejected because its device is deleted. */
export function isGone(error: unknown): boolean {
  return error instanceof ConflictError && error.field === 'device';
}

/** Why a store cannot be used; also the code of API responses. */
export type UnavailableCode = 'store-unavailable' | 'store-slow' | 'store-read-only' | 'store-full' | 'store-damaged';

const UNAVAILABLE: Readonly<Record<UnavailableCode, string>> = {
  'store-unavailable': 'the database cannot be reached',
  'store-slow': 'the database did not answer in time; it may be overloaded or locked',
  'store-read-only': 'the database only permits reading; nothing was stored',
  'store-full': 'the disk of the database is full; nothing was stored',
  'store-damaged': 'the database is damaged; the service stores nothing until it is repaired',
};

/**
 * The database cannot be reached, is overloaded, damaged or read-only, or its disk is full. A later retry may succeed; after
 * damage, it fails until the database has been repaired. It is unknown whether an interrupted commit has been written.
 */
export class StoreUnavailable extends Error {
  readonly code: UnavailableCode;

  /** @param message Default: that of the code. It must not contain details of the database, because callers of the API see it */
  constructor(cause: unknown, code: UnavailableCode = 'store-unavailable', message = UNAVAILABLE[code]) {
    super(message, { cause });
    this.name = 'StoreUnavailable';
    this.code = code;
  }

  /** The message with the reason that the database gave. */
  get explained(): string {
    return isError(this.cause) ? `${this.message}: ${reasonOf(this.cause)}` : this.message;
  }
}
