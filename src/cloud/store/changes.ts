/** What is written: the changes that a commit is made of, and why it may be refused. */
import type { UnixMillis } from '../../kernel/time.js';
import type {
  CodecRow,
  DeviceRow,
  DownState,
  Id,
  KeyRow,
  MessageRow,
  RecordRow,
  SpaceRow,
  TagRow,
  TimelineRow,
} from './rows.js';

export type SpaceChange = Partial<Pick<SpaceRow, 'name' | 'type'>>;
export type TagChange = Partial<Pick<TagRow, 'name' | 'color' | 'accessType'>>;

/** The fields of a device that change after it was created. */
export type DeviceChange = Partial<Omit<DeviceRow, 'id' | 'spaceId' | 'serial' | 'token' | 'createdAt'>>;
/**
 * One thing to write. A list of them is written in order, whole or not at all. Changing what does not exist (any more)
 * does nothing; a new row that refers to a space or device that never existed makes `commit` reject, and so does a new device,
 * key, tag or record in a space that is deleted.
 */
export type Change =
  | { readonly kind: 'space.put'; readonly row: SpaceRow }
  | { readonly kind: 'space.change'; readonly id: Id; readonly change: SpaceChange }
  /**
   * Deletes a space with its keys, its tags and its records of these families; one that has devices makes `commit` reject.
   * Its row stays, of type `deleted`, because messages of its deleted devices refer to it. Nothing more comes in but what
   * such devices have said: messages, and records of the family `delivery`.
   */
  | { readonly kind: 'space.delete'; readonly id: Id; readonly families: readonly string[] }
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
  /**
   * With `newSince`: a message of the device with the same print, created then or later, makes `commit` reject. With `room`:
   * so many pending downlinks of the device, or more, do.
   */
  | {
      readonly kind: 'message.insert';
      readonly row: MessageRow;
      readonly newSince?: UnixMillis;
      readonly room?: number;
    }
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
  /** With `latest`: in place of the earlier stations of the message that are called the same, but for the first of them. */
  | { readonly kind: 'timeline.add'; readonly row: TimelineRow; readonly latest?: true }
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

export type ConflictField =
  | 'serial'
  | 'tag-name'
  | 'record-key'
  | 'record-body'
  | 'down-state'
  | 'print'
  | 'queue'
  | 'space'
  | 'space-devices';

const OVERTAKEN: Partial<Record<ConflictField, string>> = {
  'record-body': 'the record has changed meanwhile',
  'down-state': 'the downlink is not pending any more',
  print: 'the message is stored already',
  queue: 'the queue of the device is full',
  space: 'the space is gone',
  'space-devices': 'the space has devices',
};

/**
 * `commit` rejects with this when a unique field is taken, when a record or a downlink is not any more what it was, when a
 * message is a copy or has no room in its queue, or when a space is gone or is not empty; nothing was written.
 */
export class ConflictError extends Error {
  /**
   * `serial` (service-wide), `tag-name` (in its space), `record-key` (in its family and space); `record-body` and
   * `down-state`, which are not any more what they were; `print`, of a message that is stored already;
   * `queue`, which is full; `space`, which is deleted; `space-devices`, for which it cannot be.
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
