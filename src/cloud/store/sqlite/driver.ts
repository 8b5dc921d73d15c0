/**
 * The store in one SQLite file. The service may be killed at any moment: every resolved commit is on disk.
 *
 * Durability costs a disk sync, during which a connection blocks. So a separate thread (writer.mjs) writes while the thread of
 * the service reads and serves requests. Commits that arrive while the writer is busy form its next transaction: a busy service
 * needs one sync for hundreds of messages. In an idle service, a commit is written at once (ADR 6).
 */

import { Worker } from 'node:worker_threads';
import type { Database, Statement as Prepared } from 'better-sqlite3';
import { pathFrom } from '../../../kernel/program-files.js';
import { realTimers } from '../../../kernel/real-timers.js';
import type { Owner } from '../fair-queue.js';
import { Soundness } from '../soundness.js';
import { type Dialect, NULLED, type SqlValue, type Statement } from '../sql/dialect.js';
import type { SqlDriver } from '../sql/sql-store.js';
import { ConflictError, type ConflictField } from '../store.js';
import { type PlainError, storeFailure } from './failures.js';
import { PageCheck } from './page-check.js';
import { Reader } from './reader.js';

/** Queries name their index, because SQLite has no statistics for its choice; CROSS JOIN makes the message the outer loop. */
export const SQLITE: Dialect = {
  contains: (column) => `instr(${column}, ?) > 0`,
  among: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  list: (texts) => JSON.stringify(texts),
  tenDigits: (column) => `printf('%010d', ${column})`,
  tagIds: `(SELECT json_group_array(t.tag_id ORDER BY t.position) FROM device_tag t WHERE t.device_id = d.id) AS "tagIds"`,
  hasNewer: 'EXISTS (SELECT 1 FROM message INDEXED BY message_of_device WHERE device_id = ? AND id > ?)',
  messagesBy: (index) => `message m INDEXED BY ${index}`,
  joinDevice: 'CROSS JOIN device d ON d.id = m.device_id',
  inSteps: true,
  listedId: 'm.id',
};

/** Statements that are executed together or not at all. Each has the number of its text and the values of its parameters. */
export type CommitStatements = readonly (readonly [text: number, values: readonly SqlValue[]])[];

/**
 * Message to the writer: commits that belong to one transaction. The message null ends the writer. Each SQL text is sent to the
 * thread once, and then named by its number: there are few texts, and copying one with every message would be the largest cost.
 */
export interface Batch {
  /** Texts not sent before; the first text has number 0. */
  readonly texts: readonly string[];
  readonly entries: readonly CommitStatements[];
}

/** Response of the writer: the transaction failed as a whole, or is durable except for the rejected entries. */
export type BatchResult = {
  /** Number of batches in the transaction, which are the oldest unanswered ones. 0: damage was found without a transaction. */
  readonly batches: number;
} & ({ readonly lost: PlainError } | { readonly refused: readonly Refusal[] });

export interface Refusal {
  /** Index of the entry in its transaction. */
  readonly index: number;
  readonly error: PlainError;
}

/** Start parameters of the writer. */
export interface WriterData {
  readonly path: string;
  readonly pragmas: readonly string[];
}

/** Settings of a connection that writes. */
export const WRITER_PRAGMAS = [
  // Not NORMAL, which in WAL mode may lose the last commits when the machine loses power.
  'synchronous = FULL',
  'foreign_keys = ON',
  'cache_size = -64000',
  // A log of 40 MB. Every device has its own pages in the indexes. With a log of this size, a page that changes often is
  // written to the database file once for many changes.
  'wal_autocheckpoint = 10000',
];

/**
 * A batch of this size is sent immediately, not at the end of the turn of the event loop. A turn may serve a thousand requests:
 * otherwise the writer would be idle until the end of the turn, and this thread would wait for the writer afterwards.
 */
const LARGEST_BATCH = 64;

interface Waiting {
  readonly entry: CommitStatements;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export interface SqliteOptions {
  /** Releases the ownership of the file. */
  readonly release?: () => void;
  /** Receives the damage that the driver finds. */
  readonly soundness?: Soundness;
  /** Whether to check the pages of the file in the background. Default: false, as for a new file. */
  readonly checksPages?: boolean;
  /** Further settings of the connection that writes. */
  readonly pragmas?: readonly string[];
}

export class SqliteDriver implements SqlDriver {
  readonly dialect = SQLITE;
  readonly soundness: Soundness;
  readonly #db: Database;
  readonly #release: () => void;
  readonly #pageCheck: PageCheck | undefined;
  readonly #prepared = new Map<string, Prepared<unknown[], unknown>>();
  /** Numbers of the texts that the writer knows or will receive with the next batch. */
  readonly #numbers = new Map<string, number>();
  /** Texts for the next batch. */
  #newTexts: string[] = [];
  readonly #reader: Reader;
  readonly #writer: Worker;
  readonly #writerGone: Promise<void>;
  /** Commits for the next batch. */
  #waiting: Waiting[] = [];
  /** Batches that were sent to the writer and not answered yet. */
  #unanswered: (readonly Waiting[])[] = [];
  /** Why the driver rejects further commits; undefined while it accepts them. */
  #closed: Error | undefined;

  /** @param db open and migrated, see open.ts; used for reading, and closed by `close` */
  constructor(db: Database, options: SqliteOptions = {}) {
    const { release = () => {}, soundness = new Soundness(), checksPages = false, pragmas = [] } = options;
    this.#db = db;
    this.#release = release;
    this.soundness = soundness;
    this.#pageCheck = checksPages ? new PageCheck(db.name, soundness) : undefined;
    this.#reader = new Reader(db.name);
    const workerData: WriterData = { path: db.name, pragmas: [...WRITER_PRAGMAS, ...pragmas] };
    this.#writer = new Worker(pathFrom(import.meta.url, 'writer.mjs'), { workerData });
    this.#writer.on('message', (outcome: BatchResult) => this.#written(outcome));
    this.#writer.on('error', (error) => this.#fail(error));
    this.#writerGone = new Promise((resolve) => this.#writer.once('exit', () => resolve()));
    // An idle writer does not keep the process alive.
    this.#writer.unref();
  }

  all(text: string, values: readonly SqlValue[]): readonly unknown[] {
    try {
      let statement = this.#prepared.get(text);
      if (!statement) {
        statement = this.#db.prepare<unknown[], unknown>(text);
        this.#prepared.set(text, statement);
      }
      return statement.all(...values);
    } catch (error) {
      throw storeFailure(error, this.soundness, this.#db.name);
    }
  }

  async scan(owner: Owner, text: string, values: readonly SqlValue[]): Promise<readonly unknown[]> {
    try {
      return await this.#reader.read(owner, text, values);
    } catch (error) {
      throw storeFailure(error, this.soundness, this.#db.name);
    }
  }

  write(statements: readonly Statement[]): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closed);
    const entry = statements.map(({ text, values }) => [this.#numberOf(text), values] as const);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, resolve, reject });
      // Later commits of this turn of the event loop join the batch.
      if (this.#waiting.length === 1) realTimers.setImmediate(() => this.#handOver());
      else if (this.#waiting.length === LARGEST_BATCH) this.#handOver();
    });
  }

  async close(): Promise<void> {
    this.#closed ??= new Error('the store is closed');
    this.#writer.ref();
    this.#handOver();
    this.#send(null);
    await Promise.all([this.#writerGone, this.#pageCheck?.end(), this.#reader.close()]);
    this.#db.close();
    this.#release();
  }

  #handOver(): void {
    if (this.#waiting.length === 0) return;
    this.#writer.ref();
    this.#send({ texts: this.#newTexts, entries: this.#waiting.map(({ entry }) => entry) });
    this.#unanswered.push(this.#waiting);
    this.#waiting = [];
    this.#newTexts = [];
  }

  #send(batch: Batch | null): void {
    this.#writer.postMessage(batch);
  }

  #numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(text, number);
      this.#newTexts.push(text);
    }
    return number;
  }

  #written(outcome: BatchResult): void {
    const batch = this.#unanswered.splice(0, outcome.batches).flat();
    if (this.#unanswered.length === 0 && !this.#closed) this.#writer.unref();
    if ('lost' in outcome) {
      const failure = storeFailure(outcome.lost, this.soundness, this.#db.name);
      for (const { reject } of batch) reject(failure);
      return;
    }
    for (const { index, error } of outcome.refused) batch[index]?.reject(asConflict(error));
    // Has no effect on promises that were rejected above.
    for (const { resolve } of batch) resolve();
  }

  /** Handles a failure of the thread itself: rejects all commits, now and later. */
  #fail(error: Error): void {
    this.#closed = error;
    for (const { reject } of [...this.#unanswered.flat(), ...this.#waiting]) reject(error);
    this.#unanswered = [];
    this.#waiting = [];
  }
}

/** Conflicts by the message of the trigger that raises them. */
const RAISED: Readonly<Record<string, ConflictField>> = { 'down-state': 'down-state', space: 'space', token: 'token' };

/** Conflicts by the name of the unique column or index. */
const TAKEN: Readonly<Record<string, ConflictField>> = {
  'device.serial': 'serial',
  'device.token_hash': 'token',
  'tag.name': 'tag-name',
  record_key: 'record-key',
};

const CONFLICTS: Readonly<Record<string, Readonly<Record<string, ConflictField>>>> = {
  SQLITE_CONSTRAINT_TRIGGER: RAISED,
  SQLITE_CONSTRAINT_NOTNULL: NULLED,
  SQLITE_CONSTRAINT_UNIQUE: TAKEN,
};

/** SQLite names columns and indexes in its messages: `NOT NULL constraint failed: message.direction`. */
function asConflict({ code, message }: PlainError): Error {
  const fields = CONFLICTS[code] ?? {};
  const named = Object.keys(fields).find((name) => message.split(/[\s,:']+/).includes(name));
  const field = fields[named ?? ''];
  return field ? new ConflictError(field) : new Error(message);
}
