/**
 * A store in one SQLite file, made to be killed at any moment: what a resolved commit has written is on the disk.
 *
 * Being that sure costs a sync of the disk, so commits share it: those that arrive in one turn of the event loop form one
 * transaction, written at the end of the turn (setImmediate), each inside its own savepoint, so that the conflict of one
 * leaves the others alone. A busy service pays one sync for hundreds of messages, an idle one waits for nobody.
 */
import { type Database, SqliteError, type Statement } from 'better-sqlite3';
import type { UnixMillis } from '../../kernel/time.js';
import { idBefore } from './order.js';
import { deviceCount, devicesById, devicesSorted, messageList, type Query } from './sqlite-queries.js';
import {
  DEVICE_COLUMNS,
  LISTED_COLUMNS,
  MESSAGE_COLUMNS,
  type StoredDevice,
  type StoredListed,
  type StoredMessage,
  toDevice,
  toListed,
  toMessage,
} from './sqlite-rows.js';
import { SqliteWriter } from './sqlite-writer.js';
import {
  type Change,
  type CodecRow,
  ConflictError,
  type DeviceFilter,
  type DeviceQuery,
  type DeviceRow,
  type Id,
  type KeyRow,
  type ListedMessage,
  type MessageQuery,
  type MessageRow,
  type Page,
  type SpaceRow,
  type Store,
  type TagRow,
  type TimelineRow,
} from './store.js';

/** A commit that waits for the end of the turn. */
interface Waiting {
  readonly changes: readonly Change[];
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
  failure: Error | undefined;
}

export class SqliteStore implements Store {
  readonly #db: Database;
  readonly #writer: SqliteWriter;
  readonly #sql: ReturnType<typeof prepare>;
  readonly #composed = new Map<string, Statement<unknown[], unknown>>();
  #waiting: Waiting[] = [];

  /** @param db open and migrated: see sqlite-open.ts. The store closes it. */
  constructor(db: Database) {
    this.#db = db;
    this.#writer = new SqliteWriter(db);
    this.#sql = prepare(db);
  }

  commit(changes: readonly Change[]): Promise<void> {
    if (!this.#db.open) return Promise.reject(new Error('the store is closed'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ changes, resolve, reject, failure: undefined });
      if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    });
  }

  async spaces(page: Page): Promise<readonly SpaceRow[]> {
    return this.#sql.spaces.all(page.after ?? '', page.limit);
  }

  async space(id: Id): Promise<SpaceRow | undefined> {
    return this.#sql.space.get(id);
  }

  async keyByHash(hash: string): Promise<KeyRow | undefined> {
    return this.#sql.keyByHash.get(hash);
  }

  async tags(spaceId: Id, page: Page): Promise<readonly TagRow[]> {
    return this.#sql.tags.all(spaceId, page.after ?? '', page.limit);
  }

  async tag(spaceId: Id, id: Id): Promise<TagRow | undefined> {
    return this.#sql.tag.get(id, spaceId);
  }

  async devices(spaceId: Id, query: DeviceQuery): Promise<readonly DeviceRow[] | 'unknown-cursor'> {
    if (query.sortBy === 'id') return this.#all<StoredDevice>(devicesById(spaceId, query)).map(toDevice);
    const cursor = query.after === undefined ? undefined : await this.device(spaceId, query.after);
    if (query.after !== undefined && !cursor) return 'unknown-cursor';
    return this.#all<StoredDevice>(devicesSorted(spaceId, query, cursor)).map(toDevice);
  }

  async countDevices(spaceId: Id, filter: DeviceFilter): Promise<number> {
    return this.#all<{ count: number }>(deviceCount(spaceId, filter))[0]?.count ?? 0;
  }

  async device(spaceId: Id, id: Id): Promise<DeviceRow | undefined> {
    const row = this.#sql.device.get(id, spaceId);
    return row && toDevice(row);
  }

  async deviceBySerial(serial: number): Promise<DeviceRow | undefined> {
    const row = this.#sql.deviceBySerial.get(serial);
    return row && toDevice(row);
  }

  async messages(spaceId: Id, query: MessageQuery): Promise<readonly ListedMessage[]> {
    return this.#all<StoredListed>(messageList(spaceId, query)).map(toListed);
  }

  async message(spaceId: Id, id: Id): Promise<ListedMessage | undefined> {
    const row = this.#sql.message.get(id, spaceId);
    return row && toListed(row);
  }

  async pendingDownlinks(deviceId: Id): Promise<readonly MessageRow[]> {
    return this.#sql.pendingDownlinks.all(deviceId).map(toMessage);
  }

  async overdueDownlinks(createdBefore: UnixMillis, limit: number): Promise<readonly MessageRow[]> {
    return this.#sql.overdueDownlinks.all(idBefore(createdBefore), createdBefore, limit).map(toMessage);
  }

  async unansweredDownlinks(deviceId: Id): Promise<readonly MessageRow[]> {
    return this.#sql.unansweredDownlinks.all(deviceId).map(toMessage);
  }

  async copyOf(deviceId: Id, print: string, since: UnixMillis): Promise<Id | undefined> {
    return this.#sql.copyOf.get(deviceId, print, since)?.id;
  }

  async timeline(messageId: Id): Promise<readonly TimelineRow[]> {
    return this.#sql.timeline.all(messageId);
  }

  async codec(hash: string): Promise<CodecRow | undefined> {
    const row = this.#sql.codec.get(hash);
    // Because better-sqlite3 hands out a Buffer, and the port promises a plain byte array.
    return row && { hash: row.hash, document: new Uint8Array(row.document) };
  }

  async close(): Promise<void> {
    this.#flush();
    this.#db.close();
  }

  #all<Row>(query: Query): Row[] {
    let statement = this.#composed.get(query.text);
    if (!statement) {
      statement = this.#db.prepare<unknown[], unknown>(query.text);
      this.#composed.set(query.text, statement);
    }
    // Because the caller names the type of the columns that its own query selects.
    return statement.all(...query.values) as Row[];
  }

  /** Writes everything that waits as one transaction, then tells everybody. */
  #flush(): void {
    if (this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      this.#sql.begin.run();
      for (const entry of batch) entry.failure = this.#write(entry.changes);
      this.#sql.commit.run();
    } catch (error) {
      if (this.#db.inTransaction) this.#sql.rollback.run();
      for (const entry of batch) entry.reject(error);
      return;
    }
    for (const entry of batch) {
      if (entry.failure) entry.reject(entry.failure);
      else entry.resolve();
    }
  }

  /** Writes one commit's changes, or none; returns why not. @throws when the whole transaction is lost */
  #write(changes: readonly Change[]): Error | undefined {
    this.#sql.savepoint.run();
    try {
      for (const change of changes) this.#writer.write(change);
      this.#sql.release.run();
      return undefined;
    } catch (error) {
      // A full disk and the like end the transaction by themselves, and with it what the others wrote.
      if (!this.#db.inTransaction) throw error;
      this.#sql.rollbackToSavepoint.run();
      this.#sql.release.run();
      return asConflict(error);
    }
  }
}

function asConflict(error: unknown): Error {
  if (error instanceof SqliteError && error.code === 'SQLITE_CONSTRAINT_UNIQUE') {
    if (error.message.includes('device.serial')) return new ConflictError('serial');
    if (error.message.includes('tag.name')) return new ConflictError('tag-name');
  }
  return error instanceof Error ? error : new Error(String(error));
}

function prepare(db: Database) {
  const select = <Values extends unknown[], Row>(text: string) => db.prepare<Values, Row>(text);
  return {
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollback: db.prepare('ROLLBACK'),
    savepoint: db.prepare('SAVEPOINT one'),
    release: db.prepare('RELEASE one'),
    rollbackToSavepoint: db.prepare('ROLLBACK TO one'),
    spaces: select<[Id, number], SpaceRow>(
      'SELECT id, name, type, created_at AS createdAt FROM space WHERE id > ? ORDER BY id LIMIT ?',
    ),
    space: select<[Id], SpaceRow>('SELECT id, name, type, created_at AS createdAt FROM space WHERE id = ?'),
    keyByHash: select<[string], KeyRow>(
      'SELECT id, space_id AS spaceId, name, hash, created_at AS createdAt FROM api_key WHERE hash = ?',
    ),
    tags: select<[Id, Id, number], TagRow>(
      `SELECT ${TAG_COLUMNS} FROM tag WHERE space_id = ? AND id > ? ORDER BY id LIMIT ?`,
    ),
    tag: select<[Id, Id], TagRow>(`SELECT ${TAG_COLUMNS} FROM tag WHERE id = ? AND space_id = ?`),
    device: select<[Id, Id], StoredDevice>(
      `SELECT ${DEVICE_COLUMNS} FROM device d WHERE d.id = ? AND d.space_id = ? AND d.deleted_at IS NULL`,
    ),
    deviceBySerial: select<[number], StoredDevice>(
      `SELECT ${DEVICE_COLUMNS} FROM device d WHERE d.serial = ? AND d.deleted_at IS NULL`,
    ),
    message: select<[Id, Id], StoredListed>(
      `SELECT ${LISTED_COLUMNS} FROM message m CROSS JOIN device d ON d.id = m.device_id
       WHERE m.id = ? AND m.space_id = ? AND d.deleted_at IS NULL`,
    ),
    pendingDownlinks: select<[Id], StoredMessage>(
      `SELECT ${MESSAGE_COLUMNS} FROM message m INDEXED BY message_pending_of_device
       WHERE m.device_id = ? AND m.down_state = 'pending' ORDER BY m.id`,
    ),
    overdueDownlinks: select<[Id, UnixMillis, number], StoredMessage>(
      `SELECT ${MESSAGE_COLUMNS} FROM message m INDEXED BY message_pending
       WHERE m.down_state = 'pending' AND m.id < ? AND m.created_at < ? ORDER BY m.id LIMIT ?`,
    ),
    unansweredDownlinks: select<[Id], StoredMessage>(
      `SELECT ${MESSAGE_COLUMNS} FROM message m INDEXED BY message_unanswered
       WHERE m.device_id = ? AND m.down_state = 'sent' AND m.down_answered_at IS NULL AND m.type IN ('config', 'shell')
       ORDER BY m.id`,
    ),
    copyOf: select<[Id, string, UnixMillis], { id: Id }>(
      `SELECT m.id FROM message m INDEXED BY message_print
       WHERE m.device_id = ? AND m.print = ? AND m.created_at >= ? ORDER BY m.id DESC LIMIT 1`,
    ),
    timeline: select<[Id], TimelineRow>(
      'SELECT message_id AS messageId, at, what, detail FROM timeline WHERE message_id = ? ORDER BY position',
    ),
    codec: select<[string], CodecRow>('SELECT hash, document FROM codec WHERE hash = ?'),
  };
}

const TAG_COLUMNS = 'id, space_id AS spaceId, name, color, access_type AS accessType, created_at AS createdAt';
