/**
 * A store in one SQLite file, made to be killed at any moment: what a resolved commit has written is on the disk.
 *
 * Being that sure costs a sync of the disk, for which SQLite stands still: so writing is done by a thread of its own,
 * sqlite-writer.mjs, while this one reads and goes on answering. What arrives while the writer is busy goes into its next
 * transaction. A busy service pays one sync for hundreds of messages, an idle one waits for nobody.
 */
import { Worker } from 'node:worker_threads';
import type { Database, Statement as Prepared } from 'better-sqlite3';
import type { Dialect, SqlValue, Statement } from './sql-dialect.js';
import type { SqlDriver } from './sql-store.js';
import { ConflictError } from './store.js';

/** The index is named because the planner keeps no statistics here; CROSS JOIN makes the message the outer loop. */
export const SQLITE: Dialect = {
  contains: (column) => `instr(${column}, ?) > 0`,
  among: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  list: (texts) => JSON.stringify(texts),
  tenDigits: (column) => `printf('%010d', ${column})`,
  tagIds: `(SELECT json_group_array(t.tag_id ORDER BY t.position) FROM device_tag t WHERE t.device_id = d.id) AS "tagIds"`,
  messagesBy: (index) => `message m INDEXED BY ${index}`,
  joinDevice: 'CROSS JOIN device d ON d.id = m.device_id',
  listedId: 'm.id',
};

/** Statements that are carried out together or not at all. */
type Entry = readonly Statement[];

/** What the writer gets: it becomes one transaction. Null: there will be no more. */
export type Batch = readonly Entry[] | null;

/** What it answers: the batch is lost as a whole, or on the disk but for what was refused. */
export type Outcome =
  | { readonly lost: PlainError }
  | { readonly refused: readonly { readonly index: number; readonly error: PlainError }[] };

/** An error as it gets from one thread to the other. */
export interface PlainError {
  readonly code: string;
  readonly message: string;
}

/** What the writer is told when it starts. */
export interface WriterData {
  readonly path: string;
  readonly pragmas: readonly string[];
}

/** How a connection has to be set that writes. */
export const WRITER_PRAGMAS = [
  // Not NORMAL: in WAL mode that may lose the last commits when the machine loses power.
  'synchronous = FULL',
  'foreign_keys = ON',
  'cache_size = -64000',
  // 40 MB: every device has pages of its own in the indexes, and one that is written often goes into the file once.
  'wal_autocheckpoint = 10000',
];

interface Waiting {
  readonly entry: Entry;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export class SqliteDriver implements SqlDriver {
  readonly dialect = SQLITE;
  readonly #db: Database;
  readonly #release: () => void;
  readonly #prepared = new Map<string, Prepared<unknown[], unknown>>();
  readonly #writer: Worker;
  readonly #writerGone: Promise<void>;
  /** What goes into the next transaction. */
  #waiting: Waiting[] = [];
  /** What the writer is busy with. */
  #underWay: readonly Waiting[] = [];
  /** Why nothing is taken any more. */
  #closed: Error | undefined;

  /**
   * @param db open and migrated: see sqlite-open.ts. It is read here, and closed in the end.
   * @param release gives up the ownership of the file
   */
  constructor(db: Database, release: () => void = () => {}) {
    this.#db = db;
    this.#release = release;
    const workerData: WriterData = { path: db.name, pragmas: WRITER_PRAGMAS };
    this.#writer = new Worker(new URL('./sqlite-writer.mjs', import.meta.url), { workerData });
    this.#writer.on('message', (outcome: Outcome) => this.#written(outcome));
    this.#writer.on('error', (error) => this.#fail(error));
    this.#writerGone = new Promise((resolve) => this.#writer.once('exit', () => resolve()));
    // A program that has nothing else to do may end while the writer is idle.
    this.#writer.unref();
  }

  all(text: string, values: readonly SqlValue[]): readonly unknown[] {
    let statement = this.#prepared.get(text);
    if (!statement) {
      statement = this.#db.prepare<unknown[], unknown>(text);
      this.#prepared.set(text, statement);
    }
    return statement.all(...values);
  }

  write(entry: Entry): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, resolve, reject });
      // What else comes in this turn of the event loop goes along.
      if (this.#waiting.length === 1 && this.#underWay.length === 0) setImmediate(() => this.#next());
    });
  }

  async close(): Promise<void> {
    this.#closed ??= new Error('the store is closed');
    this.#writer.ref();
    this.#next();
    await this.#writerGone;
    this.#db.close();
    this.#release();
  }

  /** Hands the writer what waits, if it is idle. */
  #next(): void {
    if (this.#underWay.length > 0) return;
    if (this.#waiting.length > 0) {
      this.#underWay = this.#waiting;
      this.#waiting = [];
      this.#writer.ref();
      this.#send(this.#underWay.map(({ entry }) => entry));
    } else if (this.#closed) this.#send(null);
    else this.#writer.unref();
  }

  #send(batch: Batch): void {
    this.#writer.postMessage(batch);
  }

  #written(outcome: Outcome): void {
    const batch = this.#underWay;
    this.#underWay = [];
    this.#next();
    if ('lost' in outcome) {
      for (const { reject } of batch) reject(new Error(outcome.lost.message));
      return;
    }
    for (const { index, error } of outcome.refused) batch[index]?.reject(asConflict(error));
    // A promise that was rejected stays so.
    for (const { resolve } of batch) resolve();
  }

  /** The writer has died of something that is no fault of a statement. */
  #fail(error: Error): void {
    this.#closed = error;
    for (const { reject } of [...this.#underWay, ...this.#waiting]) reject(error);
    this.#underWay = [];
    this.#waiting = [];
  }
}

function asConflict({ code, message }: PlainError): Error {
  if (code === 'SQLITE_CONSTRAINT_TRIGGER' && message === 'down-state') return new ConflictError('down-state');
  if (code === 'SQLITE_CONSTRAINT_UNIQUE') {
    if (message.includes('device.serial')) return new ConflictError('serial');
    if (message.includes('tag.name')) return new ConflictError('tag-name');
    if (message.includes('record_key')) return new ConflictError('record-key');
  }
  return new Error(message);
}
