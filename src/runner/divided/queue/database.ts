/**
 * The connection of a process with the PostgreSQL database of a queue. A broken connection is opened again. Messages never
 * contain the password.
 */
import pg from 'pg';
import { KEEP_ALIVE, parsePostgresUrl, publicName } from '../../../cloud/store/postgres/url.js';
import type { Clock } from '../../../kernel/clock.js';
import { pause } from '../../../kernel/deadline.js';
import { asError, messageOf, UsageError } from '../../../kernel/errors.js';
import { RealClock } from '../../../kernel/real-clock.js';
import { codeOf, systemReason } from '../../../kernel/system-errors.js';
import { type Instant, type Millis, seconds } from '../../../kernel/time.js';
import { ChannelLost } from '../channel.js';
import { SCHEMA } from './schema.js';

const CONNECT_LIMIT: Millis = seconds(5);
const QUERY_LIMIT: Millis = seconds(5);
/** A run ends if the database does not answer for this time. */
const MOST_ABSENT: Millis = seconds(15);
/** Pause before a failed action is repeated. */
const PAUSE: Millis = 200;

type Value = string | number | boolean | null | Uint8Array | readonly string[] | readonly number[];

export class QueueDatabase {
  /** Address of the database without password and options. */
  readonly name: string;
  /** Real time. */
  readonly time: Clock = new RealClock();
  readonly #url: string;
  #client: Promise<pg.Client> | undefined;
  #closed = false;

  private constructor(url: string) {
    this.#url = url;
    this.name = publicName(url);
  }

  /** Connects, and creates the tables of the queue if they do not exist. @throws UsageError if that fails */
  static async open(url: string): Promise<QueueDatabase> {
    const database = new QueueDatabase(url);
    try {
      await database.query(SCHEMA);
    } catch (error) {
      await database.close();
      throw database.unusable(error);
    }
    return database;
  }

  /** The error of a process that cannot go on because the database has failed with `error`. */
  unusable(error: unknown): UsageError {
    return new UsageError('bad-queue', `the queue ${this.name} cannot be used: ${reasonOf(error)}`);
  }

  /** The address with the password. Secret. */
  get url(): string {
    return parsePostgresUrl(this.#url).href;
  }

  /** Executes a statement once. @throws Error of the connection or the server; ChannelLost after {@link close} */
  async query<Row extends object>(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    if (this.#closed) throw new ChannelLost('the connection with the queue is closed');
    this.#client ??= this.#connect();
    const connecting = this.#client;
    try {
      const client = await connecting;
      return (await client.query<Row>(text, values.length === 0 ? undefined : [...values])).rows;
    } catch (error) {
      // An error of a statement leaves the connection usable.
      if (!(error instanceof pg.DatabaseError && /^(22|23|42)/.test(error.code ?? ''))) this.#drop(connecting);
      throw error;
    }
  }

  /** Executes a statement that may be repeated: retries after every failure. @throws ChannelLost after 15 s without success */
  persist<Row extends object>(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.insist(() => this.query<Row>(text, values));
  }

  /**
   * Carries out an action that may be repeated: retries after every failure.
   * @throws ChannelLost after 15 s without success
   */
  async insist<T>(action: () => Promise<T>): Promise<T> {
    const absence = new Absence(this);
    for (;;) {
      try {
        return await action();
      } catch (error) {
        absence.failed(error);
        await this.pause();
      }
    }
  }

  /** Waits before a statement is repeated. */
  pause(): Promise<boolean> {
    return pause({ clock: this.time, limit: PAUSE, what: 'the next try of a statement' });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const client = await this.#client?.catch(() => undefined);
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: CONNECT_LIMIT,
      query_timeout: QUERY_LIMIT,
      ...KEEP_ALIVE,
      application_name: 'ghostfleet queue',
      // The channels of a run share the connection; with pipelining, no channel waits for the statements of another.
      pipeline: true,
    });
    // Without a listener, an error of an idle connection would end the process. The next query connects again.
    client.on('error', () => this.#drop(connecting));
    const connecting = client.connect().then(() => client);
    return connecting;
  }

  #drop(broken: Promise<pg.Client>): void {
    if (this.#client === broken) this.#client = undefined;
    void broken.then((client) => client.end()).catch(() => {});
  }
}

/** Measures for how long statements have failed since the last success. */
export class Absence {
  readonly #name: string;
  readonly #time: Pick<Clock, 'now'>;
  #since: Instant | undefined;

  constructor({ name, time }: Pick<QueueDatabase, 'name' | 'time'>) {
    this.#name = name;
    this.#time = time;
  }

  /** @throws ChannelLost after 15 s of failures, or if the connection was closed */
  failed(error: unknown): void {
    if (error instanceof ChannelLost) throw error;
    const { now } = this.#time;
    this.#since ??= now;
    if (now - this.#since < MOST_ABSENT) return;
    throw new ChannelLost(`the queue ${this.#name} did not answer for ${MOST_ABSENT / 1000} s: ${reasonOf(error)}`);
  }

  succeeded(): void {
    this.#since = undefined;
  }
}

function reasonOf(error: unknown): string {
  const code = codeOf(asError(error));
  return systemReason(code) ?? messageOf(error);
}
