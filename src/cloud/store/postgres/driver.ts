/**
 * A store in a PostgreSQL database, which several services may share.
 *
 * As in SQLite, commits share the cost of durability: those that arrive in one turn of the event loop, or while earlier ones
 * are written, form one transaction (a batch). All statements of a batch are sent without waiting for results, so that the
 * batch costs one round trip. If one commit conflicts, the transaction fails and is repeated without it: conflicts are rare,
 * and a savepoint for each commit would cost time in every transaction. The driver writes one batch at a time, so that commits
 * take effect in the order of the calls. Copies of messages are not rare: they are found before the transaction, because the
 * server logs every statement that fails.
 */

import { DatabaseError, type Pool, type QueryConfig, type QueryResult } from 'pg';
import { endOfTurn } from '../../../kernel/real-timers.js';
import { StoreBusy } from '../bounded-commits.js';
import { ScanTurns } from '../scan-turns.js';
import { Soundness } from '../soundness.js';
import { type Dialect, NULLED, type SqlValue, type Statement } from '../sql/dialect.js';
import type { SqlDriver } from '../sql/sql-store.js';
import { ConflictError, type ConflictField, type Id, StoreUnavailable } from '../store.js';
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

/** A commit that waits for its batch. */
interface Waiting {
  readonly statements: readonly Statement[];
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

interface Failure {
  readonly entry: Waiting;
  readonly error: DatabaseError;
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
  readonly #scans: ScanTurns;
  /** For each SQL text with question marks: the text with numbered parameters, and the name of the prepared statement. */
  readonly #named = new Map<string, { readonly name: string; readonly text: string }>();
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #closed = false;

  constructor({ reading, writing, nodes }: PostgresDriverOptions) {
    this.#reading = reading;
    this.#writing = writing;
    const { max } = reading.options;
    this.#scans = new ScanTurns({ all: Math.ceil(max / 2), tenant: Math.ceil(max / 5) });
    this.nodes = nodes;
  }

  async all(text: string, values: readonly SqlValue[]): Promise<readonly unknown[]> {
    try {
      return (await this.#reading.query<object>(this.#query({ text, values }))).rows;
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Uses a part of the connections only, so that other queries always find one. */
  scan(tenant: Id, text: string, values: readonly SqlValue[]): Promise<readonly unknown[]> {
    return this.#scans.run(tenant, () => this.#scan(text, values));
  }

  async #scan(text: string, values: readonly SqlValue[]): Promise<readonly unknown[]> {
    try {
      return (await this.#reading.query<object>(this.#query({ text, values }))).rows;
    } catch (error) {
      if (error instanceof DatabaseError && error.code === '57014')
        throw new StoreBusy('this read takes too long: give a filter that matches more, or fewer devices or less time');
      throw this.#failure(error);
    }
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
    this.#scans.rejectAll(new Error('the store is closed'));
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
    let deadlocks = 0;
    // Conflicting commits are rejected only after the batch is written. A commit may conflict with another commit of the batch,
    // and its caller then reads the rows of that other commit.
    const rejections: Rejection[] = [];
    try {
      rejections.push(...(await this.#found(batch, ({ isCopy }) => isCopy)).map(asCopy));
      rest = batch.filter((each) => !rejections.some(({ entry }) => entry === each));
      while (rest.length > 0) {
        const failure = await this.#attempt(rest);
        if (!failure) break;
        if (failure.error.code === '40P01' && deadlocks++ < DEADLOCK_RETRIES) continue;
        const rejected = await this.#rejectedWith(failure, rest);
        rejections.push(...rejected);
        rest = rest.filter((each) => !rejected.some(({ entry }) => entry === each));
      }
      for (const entry of rest) entry.resolve();
    } catch (error) {
      const outage = this.#failure(error);
      // In an outage, waiting commits are rejected as well: they would fail in the same way, one batch after another.
      const behind = outage instanceof StoreUnavailable ? this.#waiting.splice(0) : [];
      for (const entry of [...rest, ...behind]) entry.reject(outage);
    }
    for (const { entry, reason } of rejections) entry.reject(reason);
  }

  /** The commit that failed; and if rules have changed, the other commits of the batch that would fail one by one for it. */
  async #rejectedWith({ entry, error }: Failure, batch: readonly Waiting[]): Promise<readonly Rejection[]> {
    const reason = asConflict(error);
    const others = batch.filter((other) => other !== entry);
    const isRules = reason instanceof ConflictError && reason.field === 'rules';
    const outdated = isRules ? await this.#found(others, ({ isOutdated }) => isOutdated) : [];
    return [{ entry, reason }, ...outdated.map((other) => ({ entry: other, reason: new ConflictError('rules') }))];
  }

  /** The commits of a batch with a statement whose question (`isCopy`, `isOutdated`) has the answer yes. */
  async #found(
    batch: readonly Waiting[],
    questionOf: (statement: Statement) => Statement | undefined,
  ): Promise<readonly Waiting[]> {
    const asked = batch.flatMap((entry) =>
      entry.statements.flatMap((statement) => {
        const question = questionOf(statement);
        return question ? [{ entry, query: this.#query(question) }] : [];
      }),
    );
    if (asked.length === 0) return [];
    const client = await this.#writing.connect();
    try {
      const answers = await Promise.all(asked.map(({ query }) => client.query<{ found: boolean }>(query)));
      client.release();
      return asked.filter((_, n) => answers[n]?.rows[0]?.found).map(({ entry }) => entry);
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /**
   * Writes the batch as one transaction, all or none; returns the commit that made it fail, if any.
   * @throws if the transaction failed for another reason
   */
  async #attempt(batch: readonly Waiting[]): Promise<Failure | undefined> {
    if (batch.every((entry) => entry.statements.length === 0)) return undefined;
    const client = await this.#writing.connect();
    const sent: Promise<QueryResult>[] = [client.query(BEGIN)];
    if (batch.some(({ statements }) => statements.some(({ inOrder }) => inOrder))) sent.push(client.query(IN_ORDER));
    const senders: (Waiting | undefined)[] = sent.map(() => undefined);
    for (const entry of batch) {
      for (const statement of entry.statements) {
        sent.push(client.query(this.#query(statement)));
        senders.push(entry);
      }
    }
    // After an error, the database ignores the other statements and treats COMMIT as a rollback.
    sent.push(client.query('COMMIT'));
    const results = await Promise.allSettled(sent);
    const failed = results.findIndex(({ status }) => status === 'rejected');
    const result = results[failed];
    if (result?.status !== 'rejected') {
      client.release();
      return undefined;
    }
    const error: unknown = result.reason;
    const entry = senders[failed];
    if (entry && error instanceof DatabaseError && isOwnFault(error)) {
      client.release();
      return { entry, error };
    }
    client.release(true);
    throw error;
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

function asCopy(entry: Waiting): Rejection {
  return { entry, reason: new ConflictError('fingerprint') };
}

function toParameter(value: SqlValue): unknown {
  if (typeof value === 'string') return toPostgres(value);
  return Array.isArray(value) ? value.map(toPostgres) : value;
}

/** Errors caused by a statement: invalid data (22), constraints (23), our triggers (GF), a deadlock (40P01). */
function isOwnFault({ code = '' }: DatabaseError): boolean {
  return /^(22|23|GF)/.test(code) || code === '40P01';
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
