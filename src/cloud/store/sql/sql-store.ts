/** The `Store` in SQL, written once, for drivers of SQLite (sqlite/driver.ts) and PostgreSQL (postgres/driver.ts). */
import { countNone, type Health, type HealthCounts } from '../../../contract/health.js';
import type { UnixMillis } from '../../../kernel/time.js';
import type { Owner } from '../fair-queue.js';
import type { Nodes } from '../nodes.js';
import { idBefore, positionOf } from '../order.js';
import { SMALL_PAGE } from '../records.js';
import { UnreadableSecret, type Vault } from '../secrets/vault.js';
import type { Soundness } from '../soundness.js';
import type {
  Change,
  CodecRow,
  DeviceFilter,
  DeviceQuery,
  DeviceRow,
  EventRow,
  HealthChange,
  Id,
  KeyRange,
  KeyRow,
  ListedDevice,
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
import { queriesIn } from './fixed-queries.js';
import { listInSteps } from './message-steps.js';
import {
  deviceCount,
  devicesById,
  devicesSorted,
  healthChanges,
  healthCounts,
  messageList,
  moreDevices,
} from './queries.js';
import { ofService, ReadOwners } from './read-owners.js';
import { toDevice, toEvent, toListed, toMessage, toPublicDevice, toRecord, toStation, toWaiting } from './rows.js';

/** An open database with the schema of this version. */
export interface SqlDriver {
  readonly dialect: Dialect;
  readonly nodes?: Nodes | undefined;
  readonly soundness: Soundness;
  /**
   * Returns the rows of a query. The driver prepares each SQL text once.
   * @param owner whose turn the query takes; called only if queries may have to wait for others (query-turns.ts)
   */
  all(
    text: string,
    values: readonly SqlValue[],
    owner: () => Owner | Promise<Owner>,
  ): readonly unknown[] | Promise<readonly unknown[]>;
  /**
   * Returns the rows of a query that may read many rows, without delaying other requests.
   * @param owner for whom the query reads; the tenants take turns (query-turns.ts)
   */
  scan(owner: Owner, text: string, values: readonly SqlValue[]): Promise<readonly unknown[]>;
  /**
   * Executes the statements in order, all or none; resolves when they are durable. Concurrent calls take effect in the order of
   * the calls; they may share a transaction, and with it the cost of durability. @throws ConflictError
   */
  write(statements: readonly Statement[]): Promise<void>;
  /** Completes all writes and closes the database. Reads that are still running may be rejected. */
  close(): Promise<void>;
}

/** If a space has more devices than this, its lists of devices are read by `scan`, because sorting them takes milliseconds. */
const MANY_DEVICES = 2000;

/** Finds whose turn a query with this text takes. */
type Whose = (text: string) => Owner | Promise<Owner>;

export class SqlStore implements Store {
  readonly nodes: Nodes | undefined;
  readonly soundness: Soundness;
  readonly keyFile: string | undefined;
  readonly #driver: SqlDriver;
  readonly #vault: Vault;
  readonly #sql: ReturnType<typeof queriesIn>;
  readonly #owners = new ReadOwners(this);

  /**
   * @param vault has the key of the database
   * @param keyFile see {@link Store.keyFile}
   */
  constructor(driver: SqlDriver, vault: Vault, keyFile?: string) {
    this.keyFile = keyFile;
    this.nodes = driver.nodes;
    this.soundness = driver.soundness;
    this.#driver = driver;
    this.#vault = vault;
    this.#sql = queriesIn(driver.dialect);
  }

  async commit(changes: readonly Change[]): Promise<void> {
    const statements: Statement[] = [];
    for (const change of changes) {
      statements.push(...statementsOf(change, this.#driver.dialect, this.#vault));
      if (change.kind === 'record.put') this.#owners.noteRecord(change.row);
      else if (change.kind === 'key.put') this.#owners.note(change.row.hash, change.row.spaceId);
    }
    await this.#write(statements);
  }

  async spaces(page: Page): Promise<readonly SpaceRow[]> {
    return this.#all(ofService, this.#sql.spaces, page.after ?? '', page.limit);
  }

  async space(id: Id): Promise<SpaceRow | undefined> {
    return this.#one(this.#inSpace(id), this.#sql.space, id);
  }

  async keyByHash(hash: string): Promise<KeyRow | undefined> {
    const key = await this.#one<KeyRow>(this.#about(hash), this.#sql.keyByHash, hash);
    if (key) this.#owners.note(hash, key.spaceId);
    return key;
  }

  async tags(spaceId: Id, page: Page): Promise<readonly TagRow[]> {
    return this.#all(this.#inSpace(spaceId), this.#sql.tags, spaceId, page.after ?? '', page.limit);
  }

  async tag(spaceId: Id, id: Id): Promise<TagRow | undefined> {
    return this.#one(this.#inSpace(spaceId), this.#sql.tag, id, spaceId);
  }

  async devices(spaceId: Id, query: DeviceQuery): Promise<readonly ListedDevice[]> {
    const { dialect } = this.#driver;
    const read = await this.#readerOf(spaceId);
    const list = query.sortBy === 'id' ? devicesById : devicesSorted;
    const stored = await read(list(dialect, spaceId, query));
    return query.withTokens ? this.#converted(toDevice, stored) : this.#converted(toPublicDevice, stored);
  }

  async countDevices(spaceId: Id, filter: DeviceFilter, most?: number): Promise<number> {
    const read = await this.#readerOf(spaceId);
    const rows = (await read(deviceCount(this.#driver.dialect, spaceId, filter, most))) as readonly { count: number }[];
    const [row] = rows;
    return row?.count ?? 0;
  }

  async countByHealth(at: UnixMillis): Promise<ReadonlyMap<Id, HealthCounts>> {
    const { text, values } = healthCounts(at);
    const rows = await this.#scan<{ spaceId: Id; health: Health; count: number }>(text, values);
    const spaces = new Map<Id, HealthCounts>();
    for (const { spaceId, health, count } of rows) {
      const counts = spaces.get(spaceId) ?? countNone();
      counts[health] = count;
      spaces.set(spaceId, counts);
    }
    return spaces;
  }

  async healthChanges(from: UnixMillis, to: UnixMillis): Promise<readonly HealthChange[]> {
    const { text, values } = healthChanges(from, to);
    return this.#scan<HealthChange>(text, values);
  }

  async device(spaceId: Id, id: Id): Promise<DeviceRow | undefined> {
    return this.#noted(await this.#row(this.#inSpace(spaceId), toDevice, this.#sql.device, id, spaceId));
  }

  async deviceBySerial(serial: number): Promise<DeviceRow | undefined> {
    const whose = () => this.#owners.ofSerial(serial);
    return this.#noted(await this.#row(whose, toDevice, this.#sql.deviceBySerial, serial));
  }

  async messages(spaceId: Id, query: MessageQuery): Promise<readonly ListedMessage[]> {
    const { dialect } = this.#driver;
    const near = ({ text, values }: Statement) => this.#all(this.#inSpace(spaceId), text, ...values);
    const far = this.#scanner(spaceId);
    const rows = dialect.inSteps
      ? await listInSteps(dialect, spaceId, query, { near, far })
      : await far(messageList(dialect, spaceId, query));
    return this.#converted(toListed, rows);
  }

  async message(spaceId: Id, id: Id): Promise<ListedMessage | undefined> {
    const message = await this.#row(this.#inSpace(spaceId), toListed, this.#sql.message, id, spaceId);
    if (message) this.#owners.note(id, spaceId);
    return message;
  }

  async newestMessage(deviceId?: Id): Promise<Id | undefined> {
    if (deviceId === undefined) return (await this.#ids(ofService, this.#sql.newestMessage))[0];
    return (await this.#ids(this.#about(deviceId), this.#sql.newestOfDevice, deviceId))[0];
  }

  async pendingDownlinks(deviceId: Id): Promise<readonly WaitingRow[]> {
    return this.#rows(this.#about(deviceId), toWaiting, this.#sql.pendingDownlinks, deviceId);
  }

  async countPending(): Promise<number> {
    return (await this.#scan<{ count: number }>(this.#sql.countPending))[0]?.count ?? 0;
  }

  async countPendingBySpace(): Promise<ReadonlyMap<Id, number>> {
    const rows = await this.#scan<{ spaceId: Id; count: number }>(this.#sql.countPendingBySpace);
    return new Map(rows.map(({ spaceId, count }) => [spaceId, count]));
  }

  async overdueDownlinks(createdBefore: UnixMillis, limit: number): Promise<readonly MessageRow[]> {
    const before = Math.ceil(createdBefore);
    return this.#rows(ofService, toMessage, this.#sql.overdueDownlinks, idBefore(before), before, limit);
  }

  async unansweredDownlinks(deviceId: Id): Promise<readonly MessageRow[]> {
    return this.#rows(this.#about(deviceId), toMessage, this.#sql.unansweredDownlinks, deviceId);
  }

  async copyOf(deviceId: Id, fingerprint: string, since: UnixMillis): Promise<Id | undefined> {
    return (
      await this.#one<{ id: Id }>(this.#about(deviceId), this.#sql.copyOf, deviceId, fingerprint, Math.ceil(since))
    )?.id;
  }

  async timeline(messageId: Id, page: Page): Promise<readonly Station[]> {
    return this.#rows(
      this.#about(messageId),
      toStation,
      this.#sql.timeline,
      messageId,
      positionOf(page.after),
      page.limit,
    );
  }

  async codec(hash: string): Promise<CodecRow | undefined> {
    const row = await this.#one<CodecRow>(ofService, this.#sql.codec, hash);
    // Both drivers return a Buffer; it is copied to a plain byte array, as `CodecRow` requires.
    return row && { hash: row.hash, document: new Uint8Array(row.document) };
  }

  async records(family: string, spaceId: Id | null, page: Page): Promise<readonly RecordRow[]> {
    const values = [family, spaceId, page.after ?? '', page.limit];
    // A caller that reads many records must not delay other requests.
    if (page.after !== undefined || page.limit > SMALL_PAGE)
      return this.#scanned({ family, spaceId }, this.#sql.records, values);
    return this.#rows(() => this.#ofFamily(family, spaceId), toRecord, this.#sql.records, ...values);
  }

  async countRecords(family: string, spaceId: Id | null, most: number): Promise<number> {
    const whose = () => this.#ofFamily(family, spaceId);
    const row = await this.#one<{ count: number }>(whose, this.#sql.countRecords, family, spaceId, most);
    return row?.count ?? 0;
  }

  async record(family: string, spaceId: Id | null, id: Id): Promise<RecordRow | undefined> {
    const whose = spaceId === null ? this.#about(id) : () => this.#owners.ofRecord(family, spaceId, id);
    return this.#notedRecord(await this.#row(whose, toRecord, this.#sql.record, family, id, spaceId));
  }

  async recordByKey(family: string, spaceId: Id | null, key: string): Promise<RecordRow | undefined> {
    const whose = spaceId === null ? this.#about(key) : this.#inSpace(spaceId);
    return this.#notedRecord(await this.#row(whose, toRecord, this.#sql.recordByKey, family, spaceId, key));
  }

  async recordsInRange(
    family: string,
    spaceId: Id | null,
    { from, below }: KeyRange,
    limit: number,
  ): Promise<readonly RecordRow[]> {
    const values = [family, spaceId, from, below, limit];
    if (limit > SMALL_PAGE) return this.#scanned({ family, spaceId }, this.#sql.recordsInRange, values);
    return this.#rows(() => this.#ofFamily(family, spaceId), toRecord, this.#sql.recordsInRange, ...values);
  }

  async dueRecords(family: string, now: UnixMillis, limit: number, spaceId?: Id): Promise<readonly RecordRow[]> {
    const until = Math.floor(now);
    return spaceId === undefined
      ? this.#rows(ofService, toRecord, this.#sql.dueRecords, family, until, limit)
      : this.#rows(this.#inSpace(spaceId), toRecord, this.#sql.dueRecordsOfSpace, family, spaceId, until, limit);
  }

  async dueSpaces(family: string, now: UnixMillis): Promise<readonly Id[]> {
    return this.#ids(ofService, this.#sql.dueSpaces, family, family, family, Math.floor(now));
  }

  async prune(createdBefore: UnixMillis, limit: number): Promise<number> {
    const before = Math.ceil(createdBefore);
    const messages = await this.#ids(ofService, this.#sql.oldMessages, idBefore(before), before, limit);
    const deliveries = await this.#ids(
      ofService,
      this.#sql.oldDeliveries,
      idBefore(before),
      before,
      limit - messages.length,
    );
    const { list, among } = this.#driver.dialect;
    await this.#write([
      { text: `DELETE FROM timeline WHERE ${among('message_id')}`, values: [list(messages)] },
      { text: `DELETE FROM message WHERE ${among('id')}`, values: [list(messages)] },
      { text: `DELETE FROM record WHERE family = 'delivery' AND ${among('id')}`, values: [list(deliveries)] },
    ]);
    return messages.length + deliveries.length;
  }

  async clearSpace(id: Id, families: readonly string[], limit: number): Promise<number> {
    const { list, among } = this.#driver.dialect;
    const tags = await this.#ids(ofService, this.#sql.tagIds, id, limit);
    if (tags.length > 0) {
      await this.#write([{ text: `DELETE FROM tag WHERE ${among('id')}`, values: [list(tags)] }]);
      return tags.length;
    }
    for (const family of families) {
      const ids = await this.#ids(ofService, this.#sql.recordIds, family, id, limit);
      if (ids.length === 0) continue;
      await this.#write([
        { text: `DELETE FROM record WHERE family = ? AND ${among('id')}`, values: [family, list(ids)] },
      ]);
      return ids.length;
    }
    return 0;
  }

  async connectorsVersion(spaceId: Id): Promise<number> {
    return (
      (await this.#one<{ version: number }>(this.#inSpace(spaceId), this.#sql.connectorsVersion, spaceId))?.version ?? 0
    );
  }

  async events(after: number, limit: number): Promise<readonly EventRow[]> {
    return this.#rows(ofService, toEvent, this.#sql.events, after, limit);
  }

  async newestEvent(): Promise<number> {
    return (await this.#one<{ seq: number | null }>(ofService, this.#sql.newestEvent))?.seq ?? 0;
  }

  close(): Promise<void> {
    return this.#driver.close();
  }

  /** Returns the function that executes queries about the devices of a space: `scan` if there are many devices. */
  async #readerOf(spaceId: Id): Promise<(statement: Statement) => Promise<readonly unknown[]>> {
    const { text, values } = moreDevices(spaceId, MANY_DEVICES);
    const whose = this.#inSpace(spaceId);
    const isLarge = (await this.#one(whose, text, ...values)) !== undefined;
    return isLarge ? this.#scanner(spaceId) : (statement) => this.#all(whose, statement.text, ...statement.values);
  }

  #scanner(spaceId: Id) {
    return async ({ text, values }: Statement) => this.#driver.scan(await this.#owners.ofSpace(spaceId), text, values);
  }

  async #scanned(
    { family, spaceId }: Pick<RecordRow, 'family' | 'spaceId'>,
    text: string,
    values: readonly SqlValue[],
  ): Promise<readonly RecordRow[]> {
    return this.#converted(toRecord, await this.#driver.scan(await this.#ofFamily(family, spaceId), text, values));
  }

  #inSpace(spaceId: Id): Whose {
    return () => this.#owners.ofSpace(spaceId);
  }

  #about(subject: string): Whose {
    return () => this.#owners.of(subject);
  }

  /** Records of no space take turns by their family, because those of an account have a family of their own. */
  #ofFamily(family: string, spaceId: Id | null): Owner | Promise<Owner> {
    return spaceId === null ? { tenant: family, part: '' } : this.#owners.ofSpace(spaceId);
  }

  #noted(device: DeviceRow | undefined): DeviceRow | undefined {
    if (device) for (const subject of [device.id, String(device.serial)]) this.#owners.note(subject, device.spaceId);
    return device;
  }

  #notedRecord(row: RecordRow | undefined): RecordRow | undefined {
    if (row) this.#owners.noteRecord(row);
    return row;
  }

  /** Executes the statements. @throws StoreUnavailable `store-damaged` after damage was found */
  #write(statements: readonly Statement[]): Promise<void> {
    this.soundness.demand();
    return this.#driver.write(statements);
  }

  /** @throws StoreUnavailable `store-damaged` if a row does not match its checksum or cannot be decrypted */
  async #rows<Stored, Row>(
    whose: Whose,
    convert: (stored: Stored, vault: Vault) => Row,
    text: string,
    ...values: readonly SqlValue[]
  ): Promise<readonly Row[]> {
    return this.#converted(convert, await this.#all<Stored>(whose, text, ...values));
  }

  /** @throws StoreUnavailable `store-damaged` if a row does not match its checksum or cannot be decrypted */
  #converted<Stored, Row>(convert: (stored: Stored, vault: Vault) => Row, rows: readonly unknown[]): readonly Row[] {
    try {
      // The cast is safe because the caller has selected the columns that `convert` needs.
      return (rows as readonly Stored[]).map((row) => convert(row, this.#vault));
    } catch (error) {
      if (!(error instanceof DamagedBody || error instanceof UnreadableSecret)) throw error;
      this.soundness.report(error.message);
      throw new StoreUnavailable(error, 'store-damaged');
    }
  }

  async #row<Stored, Row>(
    whose: Whose,
    convert: (stored: Stored, vault: Vault) => Row,
    text: string,
    ...values: readonly SqlValue[]
  ): Promise<Row | undefined> {
    return (await this.#rows(whose, convert, text, ...values))[0];
  }

  async #ids(whose: Whose, text: string, ...values: readonly SqlValue[]): Promise<readonly Id[]> {
    return (await this.#all<{ id: Id }>(whose, text, ...values)).map((row) => row.id);
  }

  async #one<Row>(whose: Whose, text: string, ...values: readonly SqlValue[]): Promise<Row | undefined> {
    return (await this.#all<Row>(whose, text, ...values))[0];
  }

  /** Like {@link #all}, for a query that reads rows of the whole service. */
  async #scan<Row>(text: string, values: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return (await this.#driver.scan(ofService(text), text, values)) as readonly Row[];
  }

  async #all<Row>(whose: Whose, text: string, ...values: readonly SqlValue[]): Promise<readonly Row[]> {
    // The cast is safe because the caller names the type of the columns that its own query selects.
    return (await this.#driver.all(text, values, () => whose(text))) as readonly Row[];
  }
}
