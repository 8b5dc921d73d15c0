/**
 * A store in a PostgreSQL database, which several services may share.
 *
 * As in SQLite, commits share the cost of durability: those that arrive in one turn of the event loop, or while earlier ones
 * are written, form one transaction (a batch). All statements of a batch are sent without waiting for results, so that the
 * batch costs one round trip. If one commit conflicts, the transaction fails and the batch is written once more, in groups with
 * savepoints: conflicts are rare, and savepoints would cost time in every transaction. The driver writes one batch
 * at a time, so that commits take effect in the order of the calls. Copies of messages are not rare: they are found before the
 * transaction, because the server logs every statement that fails.
 */

import { DatabaseError, type Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import { endOfTurn } from '../../../kernel/real-timers.js';
import { seconds } from '../../../kernel/time.js';
import { StoreBusy } from '../bounded-commits.js';
import type { Owner } from '../fair-queue.js';
import { compareValues } from '../order.js';
import { QueryTurns } from '../query-turns.js';
import { Soundness } from '../soundness.js';
import { type Dialect, NULLED, type SqlValue, type Statement } from '../sql/dialect.js';
import type { SqlDriver } from '../sql/sql-store.js';
import { ConflictError, type ConflictField, StoreUnavailable } from '../store.js';
import { asOutage } from './failures.js';
import type { PostgresNodes } from './nodes.js';
import { toPostgres } from './text.js';

export const POSTGRES: Dialect = {
  contains: (column) => `strpos(${column}, ?) > 0`,
  among: (column) => `${column} = ANY (?::text[])`,
  list: (texts) => texts,
  tenDigits: (column) => `lpad(${column}::text, 10, '0')`,
  tagIds: `(SELECT coalesce(json_agg(t.tag_id ORDER BY t.position), '[]')::text FROM device_tag t
    WHERE t.device_id = d.id) AS "tagIds"`,
  hasNewer: 'EXISTS (SELECT 1 FROM message WHERE device_id = ? AND id COLLATE "POSIX" > ?)',
  // The collation of `listedId` decides which index is used: see migrations.ts.
  messagesBy: () => 'message m',
  // OFFSET 0 prevents the planner from exchanging the loops. The planner does not know the limits and ranges of a prepared
  // query: it might read and sort all messages of a space to find the latest twenty.
  joinDevice: 'CROSS JOIN LATERAL (SELECT * FROM device WHERE id = m.device_id OFFSET 0) d',
  inSteps: false,
  listedId: 'm.id COLLATE "POSIX"',
};

/** Commits wait for the disk, also if the server is configured otherwise. */
const BEGIN = 'BEGIN; SET LOCAL synchronous_commit = on';

/**
 * Takes a lock until the end of the transaction. Without it, entries of the journal could become visible after entries with
 * greater numbers that another service writes at the same time; a reader would miss them. This statement follows BEGIN, so that
 * the transaction waits for this lock before it locks rows.
 */
const IN_ORDER = "SELECT pg_advisory_xact_lock(hashtextextended('ghostfleet.events.' || current_schema(), 0))";

/** Maximum number of commits in one transaction. */
const LARGEST_BATCH = 500;
/** Maximum number of retries of a batch after deadlocks with other services. */
const DEADLOCK_RETRIES = 5;
/** Maximum number of commits of a batch that may take too long alone. With more, the database is slow. */
const MOST_SLOW = 2;

/**
 * Before devices change or get messages, in the order of their ids: without it, two services that write to the same devices would
 * wait for each other. An insertion of a message looks for copies and newer messages of the device, and counts its queue,
 * but it does not see what another service has not committed yet. Its statement sees what was committed before the lock.
 */
const LOCK_DEVICE = 'SELECT 1 FROM device WHERE id = ? FOR NO KEY UPDATE';

/** Longest wait of a read for its turn: about as long as a query may take. */
const LONGEST_WAIT = seconds(5);

/** A commit that waits for its batch. */
interface Waiting {
  readonly statements: readonly Statement[];
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

interface OfCommit {
  readonly entry: Waiting;
  readonly statement: Statement;
}

interface Rejection {
  readonly entry: Waiting;
  readonly reason: Error;
}

interface PostgresDriverOptions {
  /** Pools of a database with the schema of this version, see open.ts; `close` ends them. */
  readonly reading: Pool;
  readonly writing: Pool;
  /** Undefined if no other service uses the database. */
  readonly nodes: PostgresNodes | undefined;
}

export class PostgresDriver implements SqlDriver {
  readonly dialect = POSTGRES;
  readonly nodes: PostgresNodes | undefined;
  readonly soundness = new Soundness();
  readonly #reading: Pool;
  readonly #writing: Pool;
  /** Reads that wait for a connection. The pool itself would serve them in the order of their arrival. */
  readonly #turns: QueryTurns;
  /** Reads of many rows, which wait here before they wait for a connection. */
  readonly #scans: QueryTurns;
  /** For each SQL text with question marks: the text with numbered parameters, and the name of the prepared statement. */
  readonly #named = new Map<string, { readonly name: string; readonly text: string }>();
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #closed = false;

  constructor({ reading, writing, nodes }: PostgresDriverOptions) {
    this.#reading = reading;
    this.#writing = writing;
    const { max } = reading.options;
    // One connection listens to other services (nodes.ts). One is left to others if all reads of a tenant are slow.
    this.#turns = new QueryTurns({ all: max - 1, tenant: max - 2, longestWait: LONGEST_WAIT });
    this.#scans = new QueryTurns({ all: Math.ceil(max / 2), tenant: Math.ceil(max / 5), mostWaiting: 100 });
    this.nodes = nodes;
  }

  async all(
    text: string,
    values: readonly SqlValue[],
    owner: () => Owner | Promise<Owner>,
  ): Promise<readonly unknown[]> {
    try {
      return await this.#read(await owner(), text, values);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Uses a part of the connections only, so that other queries always find one. */
  scan(owner: Owner, text: string, values: readonly SqlValue[]): Promise<readonly unknown[]> {
    return this.#scans.run(owner, () => this.#scan(owner, text, values));
  }

  async #scan(owner: Owner, text: string, values: readonly SqlValue[]): Promise<readonly unknown[]> {
    try {
      return await this.#read(owner, text, values);
    } catch (error) {
      if (error instanceof DatabaseError && error.code === '57014')
        throw new StoreBusy('this read takes too long: give a filter that matches more, or fewer devices or less time');
      throw this.#failure(error);
    }
  }

  #read(owner: Owner, text: string, values: readonly SqlValue[]): Promise<readonly unknown[]> {
    return this.#turns.run(owner, async () => (await this.#reading.query<object>(this.#query({ text, values }))).rows);
  }

  write(statements: readonly Statement[]): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the store is closed'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statements, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#flushing;
    for (const turns of [this.#scans, this.#turns]) turns.rejectAll(new Error('the store is closed'));
    this.nodes?.close();
    await Promise.all([this.#reading.end(), this.#writing.end()]);
  }

  async #flush(): Promise<void> {
    await endOfTurn();
    while (this.#waiting.length > 0) await this.#writeAll(this.#waiting.splice(0, LARGEST_BATCH));
    this.#flushing = undefined;
  }

  /** Writes all commits of the batch that do not conflict, and settles every promise of the batch. */
  async #writeAll(batch: readonly Waiting[]): Promise<void> {
    let rest = batch;
    // Conflicting commits are rejected only after the batch is written. A commit may conflict with another commit of the batch,
    // and its caller then reads the rows of that other commit.
    const rejections: Rejection[] = [];
    const reject = (more: readonly Rejection[]) => {
      rejections.push(...more);
      rest = rest.filter((each) => !more.some(({ entry }) => entry === each));
    };
    try {
      reject((await this.#findCopies(batch)).map(asCopy));
      reject(await this.#writeRetrying(rest));
      for (const entry of rest) entry.resolve();
    } catch (error) {
      const outage = this.#failure(error instanceof SlowCommit ? error.cause : error);
      // In an outage, waiting commits are rejected as well: they would fail in the same way, one batch after another.
      const behind = outage instanceof StoreUnavailable ? this.#waiting.splice(0) : [];
      for (const entry of [...rest, ...behind]) entry.reject(outage);
    }
    for (const { entry, reason } of rejections) entry.reject(reason);
  }

  /** Writes the batch, again after a deadlock, and without a commit that takes too long. Returns the commits that failed. */
  async #writeRetrying(batch: readonly Waiting[]): Promise<readonly Rejection[]> {
    const slow: Rejection[] = [];
    for (let deadlocks = 0; ; ) {
      const rest = batch.filter((each) => !slow.some(({ entry }) => entry === each));
      if (rest.length === 0) return slow;
      try {
        return (await this.#writeTogether(rest)) ? slow : [...slow, ...(await this.#writeSeparately(rest))];
      } catch (error) {
        if (error instanceof SlowCommit && slow.length < MOST_SLOW)
          slow.push({ entry: error.entry, reason: new StoreUnavailable(error.cause, 'store-slow') });
        else if (!isDeadlock(error) || deadlocks++ === DEADLOCK_RETRIES) throw error;
      }
    }
  }

  /** The commits of a batch that store a copy of a stored message. */
  async #findCopies(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    const asked = batch.flatMap((entry) =>
      entry.statements.flatMap(({ isCopy }) => (isCopy ? [{ entry, query: this.#query(isCopy) }] : [])),
    );
    if (asked.length === 0) return [];
    return this.#use(async (client) => {
      const answers = await Promise.all(asked.map(({ query }) => client.query<{ found: boolean }>(query)));
      return asked.filter((_, n) => answers[n]?.rows[0]?.found).map(({ entry }) => entry);
    });
  }

  /**
   * Writes the batch as one transaction, all or none. False if a commit failed by its own fault.
   * @throws if the transaction failed for another reason
   */
  #writeTogether(batch: readonly Waiting[]): Promise<boolean> {
    return this.#use(async (client) => {
      // After an error, the database ignores the other statements and treats COMMIT as a rollback.
      const statements = [...this.#locksOf(batch), ...statementsOf(batch)];
      const failure = await this.#send(client, this.#begin(client, batch), statements, 'COMMIT');
      if (failure !== undefined && !isOwnFault(failure)) throw failure;
      return failure === undefined;
    });
  }

  /**
   * Writes the batch as one transaction without the commits that fail by their own fault, and returns these. Commits are sent in
   * groups, each after a savepoint. A group grows as long as none fails, so that a batch with one failure costs few round trips,
   * and a batch of failures as many as it has commits.
   * @throws if the transaction failed for another reason
   */
  #writeSeparately(batch: readonly Waiting[]): Promise<readonly Rejection[]> {
    return this.#use(async (client) => {
      const rejections: Rejection[] = [];
      const began = await this.#send(client, this.#begin(client, batch), this.#locksOf(batch), 'SAVEPOINT locked');
      if (began !== undefined) throw began;
      let size = 1;
      for (let at = 0; at < batch.length; ) {
        const group = batch.slice(at, at + size);
        const begin = [client.query('SAVEPOINT separate')];
        const failure = await this.#send(client, begin, statementsOf(group), 'RELEASE separate');
        const [entry] = group;
        if (failure === undefined) at += group.length;
        else if (!isOwnFault(failure) || entry === undefined) throw failure;
        else {
          await client.query('ROLLBACK TO separate');
          if (group.length === 1) {
            rejections.push({ entry, reason: asConflict(failure) });
            at++;
          }
        }
        size = failure === undefined ? 2 * size : Math.ceil(size / 2);
      }
      await client.query('COMMIT');
      return rejections;
    });
  }

  #begin(client: PoolClient, batch: readonly Waiting[]): readonly Promise<QueryResult>[] {
    const isInOrder = batch.some(({ statements }) => statements.some(({ inOrder }) => inOrder));
    return [client.query(BEGIN), ...(isInOrder ? [client.query(IN_ORDER)] : [])];
  }

  /**
   * The first error of statements that are sent together: `begin`, those of the commits, and `end`.
   * @throws SlowCommit if a statement of a commit took too long
   */
  async #send(
    client: PoolClient,
    begin: readonly Promise<QueryResult>[],
    statements: readonly OfCommit[],
    end: string,
  ): Promise<unknown> {
    const sent = statements.map(({ entry, statement }) => ({ entry, answer: client.query(this.#query(statement)) }));
    const answers = [...begin, ...sent.map(({ answer }) => answer), client.query(end)];
    const results = await Promise.allSettled(answers);
    const at = results.findIndex(({ status }) => status === 'rejected');
    const result = results[at];
    if (result?.status !== 'rejected') return undefined;
    const { entry } = sent[at - begin.length] ?? {};
    if (entry && isSlow(result.reason)) throw new SlowCommit(entry, result.reason);
    return result.reason;
  }

  /** Locks each device once. No lock is needed if no other service writes. */
  #locksOf(batch: readonly Waiting[]): readonly OfCommit[] {
    const locks = new Map<string, OfCommit>();
    for (const { entry, statement } of this.nodes ? statementsOf(batch) : []) {
      const { ofDevice: id } = statement;
      if (id !== undefined) locks.set(id, { entry, statement: { text: LOCK_DEVICE, values: [id] } });
    }
    return [...locks].sort(([a], [b]) => compareValues(a, b)).map(([, lock]) => lock);
  }

  /** Uses the connection for writing, which is closed if `work` fails. */
  async #use<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#writing.connect();
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /** The error for callers of the store. Reports damage to `soundness`, which then rejects all writes. */
  #failure(error: unknown): unknown {
    const failure = asOutage(error);
    if (failure instanceof StoreUnavailable && failure.code === 'store-damaged') this.soundness.report(String(error));
    return failure;
  }

  #query({ text, values }: Statement): QueryConfig {
    let named = this.#named.get(text);
    if (!named) {
      let count = 0;
      named = { name: `ghostfleet-${this.#named.size}`, text: text.replace(/\?/g, () => `$${++count}`) };
      this.#named.set(text, named);
    }
    return { ...named, values: values.map(toParameter) };
  }
}

function statementsOf(commits: readonly Waiting[]): readonly OfCommit[] {
  return commits.flatMap((entry) => entry.statements.map((statement) => ({ entry, statement })));
}

function asCopy(entry: Waiting): Rejection {
  return { entry, reason: new ConflictError('fingerprint') };
}

function toParameter(value: SqlValue): unknown {
  if (typeof value === 'string') return toPostgres(value);
  return Array.isArray(value) ? value.map(toPostgres) : value;
}

/** A statement of this commit took too long, so that its transaction failed. The other commits of the transaction may succeed. */
class SlowCommit extends Error {
  readonly entry: Waiting;

  constructor(entry: Waiting, cause: unknown) {
    super('a commit took too long', { cause });
    this.entry = entry;
  }
}

/** The timeout of a statement, or of its wait for a lock. */
function isSlow(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '57014' || error.code === '55P03');
}

/** Errors caused by a statement: invalid data (22), constraints (23), our triggers (GF). */
function isOwnFault(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && /^(22|23|GF)/.test(error.code ?? '');
}

function isDeadlock(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '40P01';
}

const CONFLICTS: Readonly<Record<string, ConflictField>> = {
  device_serial: 'serial',
  device_token: 'token',
  tag_name: 'tag-name',
  record_key: 'record-key',
};

function asConflict(error: DatabaseError): Error {
  if (error.code === 'GF001') return new ConflictError('down-state');
  if (error.code === 'GF002') return new ConflictError('space');
  if (error.code === 'GF003') return new ConflictError('token');
  const field =
    error.code === '23502'
      ? NULLED[`${error.table}.${error.column}`]
      : error.code === '23505'
        ? CONFLICTS[error.constraint ?? '']
        : undefined;
  return field ? new ConflictError(field) : error;
}
