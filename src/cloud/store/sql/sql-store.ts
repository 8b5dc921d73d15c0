/**
 * The store port in SQL. The SQL is written once and executed by a driver for SQLite (sqlite/driver.ts) or PostgreSQL
 * (postgres/driver.ts).
 */
import type { UnixMillis } from '../../../kernel/time.js';
import type { Nodes } from '../nodes.js';
import { idBefore, positionOf } from '../order.js';
import type { Soundness } from '../soundness.js';
import type {
  Change,
  CodecRow,
  DeviceFilter,
  DeviceQuery,
  DeviceRow,
  Id,
  KeyRow,
  ListedMessage,
  MessageQuery,
  MessageRow,
  Page,
  RecordRow,
  SpaceRow,
  Station,
  Store,
  TagRow,
  WaitingRow,
} from '../store.js';
import { StoreUnavailable } from '../store.js';
import { statementsOf } from './changes.js';
import { DamagedBody } from './checksum.js';
import type { Dialect, SqlValue, Statement } from './dialect.js';
import { deviceCount, devicesById, devicesSorted, messageList } from './queries.js';
import {
  DEVICE_COLUMNS,
  LISTED_COLUMNS,
  MESSAGE_COLUMNS,
  RECORD_COLUMNS,
  toDevice,
  toListed,
  toMessage,
  toRecord,
  toStation,
  toWaiting,
  WAITING_COLUMNS,
} from './rows.js';

/** An open database with the schema of this version. */
export interface SqlDriver {
  readonly dialect: Dialect;
  readonly nodes?: Nodes;
  readonly soundness: Soundness;
  /** Returns the rows of a query. Each text is prepared once. */
  all(text: string, values: readonly SqlValue[]): readonly unknown[] | Promise<readonly unknown[]>;
  /**
   * Executes the statements in order, all or none; resolves when they are durable. Concurrent calls take effect in the
   * order of the calls; they may share a transaction, and with it the cost of durability. @throws ConflictError
   */
  write(statements: readonly Statement[]): Promise<void>;
  /** Completes running calls and closes the database. */
  close(): Promise<void>;
}

export class SqlStore implements Store {
  readonly nodes: Nodes | undefined;
  readonly soundness: Soundness;
  readonly #driver: SqlDriver;
  readonly #sql: ReturnType<typeof queriesIn>;

  constructor(driver: SqlDriver) {
    this.nodes = driver.nodes;
    this.soundness = driver.soundness;
    this.#driver = driver;
    this.#sql = queriesIn(driver.dialect);
  }

  async commit(changes: readonly Change[]): Promise<void> {
    const statements: Statement[] = [];
    for (const change of changes) statements.push(...statementsOf(change, this.#driver.dialect));
    await this.#write(statements);
  }

  async spaces(page: Page): Promise<readonly SpaceRow[]> {
    return this.#all(this.#sql.spaces, page.after ?? '', page.limit);
  }

  async space(id: Id): Promise<SpaceRow | undefined> {
    return this.#one(this.#sql.space, id);
  }

  async keyByHash(hash: string): Promise<KeyRow | undefined> {
    return this.#one(this.#sql.keyByHash, hash);
  }

  async tags(spaceId: Id, page: Page): Promise<readonly TagRow[]> {
    return this.#all(this.#sql.tags, spaceId, page.after ?? '', page.limit);
  }

  async tag(spaceId: Id, id: Id): Promise<TagRow | undefined> {
    return this.#one(this.#sql.tag, id, spaceId);
  }

  async devices(spaceId: Id, query: DeviceQuery): Promise<readonly DeviceRow[] | 'unknown-cursor'> {
    const { dialect } = this.#driver;
    if (query.sortBy === 'id') return this.#devices(devicesById(dialect, spaceId, query));
    const cursor = query.after === undefined ? undefined : await this.device(spaceId, query.after);
    if (query.after !== undefined && !cursor) return 'unknown-cursor';
    return this.#devices(devicesSorted(dialect, spaceId, query, cursor));
  }

  async countDevices(spaceId: Id, filter: DeviceFilter): Promise<number> {
    const { text, values } = deviceCount(this.#driver.dialect, spaceId, filter);
    return (await this.#one<{ count: number }>(text, ...values))?.count ?? 0;
  }

  async device(spaceId: Id, id: Id): Promise<DeviceRow | undefined> {
    return this.#row(toDevice, this.#sql.device, id, spaceId);
  }

  async deviceBySerial(serial: number): Promise<DeviceRow | undefined> {
    return this.#row(toDevice, this.#sql.deviceBySerial, serial);
  }

  async messages(spaceId: Id, query: MessageQuery): Promise<readonly ListedMessage[]> {
    const { text, values } = messageList(this.#driver.dialect, spaceId, query);
    return this.#rows(toListed, text, ...values);
  }

  async message(spaceId: Id, id: Id): Promise<ListedMessage | undefined> {
    return this.#row(toListed, this.#sql.message, id, spaceId);
  }

  async newestMessage(deviceId?: Id): Promise<Id | undefined> {
    if (deviceId === undefined) return (await this.#ids(this.#sql.newestMessage))[0];
    return (await this.#ids(this.#sql.newestOfDevice, deviceId))[0];
  }

  async pendingDownlinks(deviceId: Id): Promise<readonly WaitingRow[]> {
    return this.#rows(toWaiting, this.#sql.pendingDownlinks, deviceId);
  }

  async countPending(): Promise<number> {
    return (await this.#one<{ count: number }>(this.#sql.countPending))?.count ?? 0;
  }

  async overdueDownlinks(createdBefore: UnixMillis, limit: number): Promise<readonly MessageRow[]> {
    const before = Math.ceil(createdBefore);
    return this.#rows(toMessage, this.#sql.overdueDownlinks, idBefore(before), before, limit);
  }

  async unansweredDownlinks(deviceId: Id): Promise<readonly MessageRow[]> {
    return this.#rows(toMessage, this.#sql.unansweredDownlinks, deviceId);
  }

  async copyOf(deviceId: Id, print: string, since: UnixMillis): Promise<Id | undefined> {
    return (await this.#one<{ id: Id }>(this.#sql.copyOf, deviceId, print, Math.ceil(since)))?.id;
  }

  async timeline(messageId: Id, page: Page): Promise<readonly Station[]> {
    return this.#rows(toStation, this.#sql.timeline, messageId, positionOf(page.after), page.limit);
  }

  async codec(hash: string): Promise<CodecRow | undefined> {
    const row = await this.#one<CodecRow>(this.#sql.codec, hash);
    // Because both databases return a Buffer, and the port promises a plain byte array.
    return row && { hash: row.hash, document: new Uint8Array(row.document) };
  }

  async records(family: string, spaceId: Id | null, page: Page): Promise<readonly RecordRow[]> {
    return this.#rows(toRecord, this.#sql.records, family, spaceId, page.after ?? '', page.limit);
  }

  async record(family: string, spaceId: Id | null, id: Id): Promise<RecordRow | undefined> {
    return this.#row(toRecord, this.#sql.record, family, id, spaceId);
  }

  async recordByKey(family: string, spaceId: Id | null, key: string): Promise<RecordRow | undefined> {
    return this.#row(toRecord, this.#sql.recordByKey, family, spaceId, key);
  }

  async recordsInRange(
    family: string,
    spaceId: Id | null,
    { from, below }: { readonly from: string; readonly below: string },
    limit: number,
  ): Promise<readonly RecordRow[]> {
    return this.#rows(toRecord, this.#sql.recordsInRange, family, spaceId, from, below, limit);
  }

  async dueRecords(family: string, now: UnixMillis, limit: number, spaceId?: Id): Promise<readonly RecordRow[]> {
    const until = Math.floor(now);
    return spaceId === undefined
      ? this.#rows(toRecord, this.#sql.dueRecords, family, until, limit)
      : this.#rows(toRecord, this.#sql.dueRecordsOfSpace, family, spaceId, until, limit);
  }

  async dueSpaces(family: string, now: UnixMillis): Promise<readonly Id[]> {
    return this.#ids(this.#sql.dueSpaces, family, family, family, Math.floor(now));
  }

  async prune(createdBefore: UnixMillis, limit: number): Promise<number> {
    const before = Math.ceil(createdBefore);
    const messages = await this.#ids(this.#sql.oldMessages, idBefore(before), before, limit);
    const deliveries = await this.#ids(this.#sql.oldDeliveries, idBefore(before), before, limit - messages.length);
    const { list, among } = this.#driver.dialect;
    await this.#write([
      { text: `DELETE FROM timeline WHERE ${among('message_id')}`, values: [list(messages)] },
      { text: `DELETE FROM message WHERE ${among('id')}`, values: [list(messages)] },
      { text: `DELETE FROM record WHERE family = 'delivery' AND ${among('id')}`, values: [list(deliveries)] },
    ]);
    return messages.length + deliveries.length;
  }

  close(): Promise<void> {
    return this.#driver.close();
  }

  async #devices({ text, values }: Statement): Promise<readonly DeviceRow[]> {
    return this.#rows(toDevice, text, ...values);
  }

  /** Refuses after damage. */
  #write(statements: readonly Statement[]): Promise<void> {
    this.soundness.demand();
    return this.#driver.write(statements);
  }

  /** @throws StoreUnavailable `store-damaged` if a row does not match its checksum */
  async #rows<Stored, Row>(
    convert: (stored: Stored) => Row,
    text: string,
    ...values: readonly SqlValue[]
  ): Promise<readonly Row[]> {
    const rows = await this.#all<Stored>(text, ...values);
    try {
      return rows.map(convert);
    } catch (error) {
      if (!(error instanceof DamagedBody)) throw error;
      this.soundness.report(error.message);
      throw new StoreUnavailable(error, 'store-damaged');
    }
  }

  async #row<Stored, Row>(
    convert: (stored: Stored) => Row,
    text: string,
    ...values: readonly SqlValue[]
  ): Promise<Row | undefined> {
    return (await this.#rows(convert, text, ...values))[0];
  }

  async #ids(text: string, ...values: readonly SqlValue[]): Promise<readonly Id[]> {
    return (await this.#all<{ id: Id }>(text, ...values)).map((row) => row.id);
  }

  async #one<Row>(text: string, ...values: readonly SqlValue[]): Promise<Row | undefined> {
    return (await this.#all<Row>(text, ...values))[0];
  }

  async #all<Row>(text: string, ...values: readonly SqlValue[]): Promise<readonly Row[]> {
    // Because the caller names the type of the columns that its own query selects.
    return (await this.#driver.all(text, values)) as readonly Row[];
  }
}

const SPACE_COLUMNS = 'id, name, type, created_at AS "createdAt"';
const TAG_COLUMNS = 'id, space_id AS "spaceId", name, color, access_type AS "accessType", created_at AS "createdAt"';

/** The queries with a constant text. */
function queriesIn(sql: Dialect) {
  const device = `SELECT ${DEVICE_COLUMNS}, ${sql.tagIds} FROM device d WHERE d.deleted_at IS NULL`;
  const message = (index: string) => `SELECT ${MESSAGE_COLUMNS} FROM ${sql.messagesBy(index)}`;
  // Null (the whole service) is compared as '', because an index finds that value.
  const ofSpace = "coalesce(space_id, '') = coalesce(?, '')";
  return {
    spaces: `SELECT ${SPACE_COLUMNS} FROM space WHERE id > ? ORDER BY id LIMIT ?`,
    space: `SELECT ${SPACE_COLUMNS} FROM space WHERE id = ?`,
    keyByHash: 'SELECT id, space_id AS "spaceId", name, hash, created_at AS "createdAt" FROM api_key WHERE hash = ?',
    tags: `SELECT ${TAG_COLUMNS} FROM tag WHERE space_id = ? AND id > ? ORDER BY id LIMIT ?`,
    tag: `SELECT ${TAG_COLUMNS} FROM tag WHERE id = ? AND space_id = ?`,
    device: `${device} AND d.id = ? AND d.space_id = ?`,
    deviceBySerial: `${device} AND d.serial = ?`,
    message: `SELECT ${LISTED_COLUMNS} FROM message m ${sql.joinDevice}
      WHERE m.id = ? AND m.space_id = ? AND d.deleted_at IS NULL`,
    newestMessage: 'SELECT id FROM message ORDER BY id DESC LIMIT 1',
    newestOfDevice: `SELECT m.id FROM ${sql.messagesBy('message_of_device')}
      WHERE m.device_id = ? ORDER BY ${sql.listedId} DESC LIMIT 1`,
    pendingDownlinks: `SELECT ${WAITING_COLUMNS} FROM ${sql.messagesBy('message_pending_of_device')}
      WHERE m.device_id = ? AND m.down_state = 'pending' ORDER BY m.id`,
    countPending: `SELECT count(*) AS count FROM ${sql.messagesBy('message_pending')} WHERE m.down_state = 'pending'`,
    overdueDownlinks: `${message('message_pending')}
      WHERE m.down_state = 'pending' AND m.id < ? AND m.created_at < ? ORDER BY m.id LIMIT ?`,
    unansweredDownlinks: `${message('message_unanswered')}
      WHERE m.device_id = ? AND m.down_state = 'sent' AND m.down_answered_at IS NULL AND m.type IN ('config', 'shell')
      ORDER BY m.id`,
    copyOf: `SELECT m.id FROM ${sql.messagesBy('message_print')}
      WHERE m.device_id = ? AND m.print = ? AND m.created_at >= ? ORDER BY ${sql.listedId} DESC LIMIT 1`,
    timeline: `SELECT position, message_id AS "messageId", at, what, detail FROM timeline
      WHERE message_id = ? AND position > ? ORDER BY position LIMIT ?`,
    oldMessages: `SELECT id FROM message
      WHERE id < ? AND created_at < ? AND (down_state IS NULL OR down_state <> 'pending') ORDER BY id LIMIT ?`,
    oldDeliveries: `SELECT id FROM record
      WHERE family = 'delivery' AND id < ? AND created_at < ? AND due_at IS NULL ORDER BY id LIMIT ?`,
    codec: 'SELECT hash, document FROM codec WHERE hash = ?',
    records: `SELECT ${RECORD_COLUMNS} FROM record WHERE family = ? AND ${ofSpace} AND id > ? ORDER BY id LIMIT ?`,
    record: `SELECT ${RECORD_COLUMNS} FROM record WHERE family = ? AND id = ? AND ${ofSpace}`,
    recordByKey: `SELECT ${RECORD_COLUMNS} FROM record WHERE family = ? AND ${ofSpace} AND key = ?`,
    recordsInRange: `SELECT ${RECORD_COLUMNS} FROM record
      WHERE family = ? AND ${ofSpace} AND key >= ? AND key < ? ORDER BY key DESC LIMIT ?`,
    dueRecords: `SELECT ${RECORD_COLUMNS} FROM record WHERE family = ? AND due_at <= ? ORDER BY due_at, id LIMIT ?`,
    dueRecordsOfSpace: `SELECT ${RECORD_COLUMNS} FROM record
      WHERE family = ? AND space_id = ? AND due_at <= ? ORDER BY due_at, id LIMIT ?`,
    // From one space to the next in the index, past all other records of each.
    dueSpaces: `WITH RECURSIVE waiting (id) AS (
        SELECT min(space_id) FROM record WHERE family = ? AND due_at IS NOT NULL
        UNION ALL
        SELECT (SELECT min(space_id) FROM record WHERE family = ? AND due_at IS NOT NULL AND space_id > waiting.id)
        FROM waiting WHERE waiting.id IS NOT NULL
      )
      SELECT id FROM waiting WHERE id IS NOT NULL
        AND EXISTS (SELECT 1 FROM record WHERE family = ? AND space_id = waiting.id AND due_at <= ?) ORDER BY id`,
  };
}
