/**
 * A channel through the tables of a PostgreSQL database. Every 500 ms, and when it has a message to send, an end executes up to
 * two statements. The first writes its messages, if it has any. The second reads the messages of the other end, and increases
 * the heartbeat of this end. Both may be repeated after a broken connection, because messages are numbered.
 *
 * While the database does not answer, messages wait in memory, up to a limit. An end regards the other as lost if the heartbeat
 * of the other does not change for some time. Time in which an end has no database connection itself does not count.
 *
 * Each message is sealed for its run, part, direction and number, and none may be missing. So a writer of the queue without the
 * API key can neither forge messages, nor use those of other places, nor remove one: the connection is then lost, and the run
 * fails.
 */
import { type Instant, type Millis, seconds } from '../../../kernel/time.js';
import { type Channel, ChannelLost, Inbox } from '../channel.js';
import { Absence, type QueueDatabase } from './database.js';
import { QUEUE, type Side } from './schema.js';
import { messagePlace, seal, unseal } from './sealed.js';

/** Maximum time without a heartbeat of an end whose database session has ended. In this time, the end may connect again. */
const SILENCE: Readonly<Record<Side, Millis>> = { part: seconds(5), run: seconds(10) };
/** Maximum time without a heartbeat of an end whose database session is open: it may be busy with building a large fleet. */
const LONG_SILENCE: Millis = seconds(30);
/** Time between two exchanges with the database. */
const EVERY: Millis = seconds(0.5);
/** Maximum number of messages that one statement writes or reads. */
const AT_ONCE = 16;
/** Maximum number of messages from one end that wait in the database to be read by the other. */
const MOST_UNREAD = 64;
/** Maximum size of the messages that wait in memory, in bytes. */
const MOST_WAITING = 64 * 1024 * 1024;

interface QueueChannelOptions {
  readonly database: QueueDatabase;
  readonly run: string;
  readonly part: number;
  /** Which end this is. */
  readonly side: Side;
  /** API key of the target, which the other end has too. Secret. */
  readonly apiKey: string;
  /**
   * Maximum time without a heartbeat of the other end after its session has ended. Default: 5 s if the other end is a part, 10
   * s if it is the run
   */
  readonly silence?: Millis | undefined;
}

interface Row {
  /** Heartbeat of the other end: it increases with every exchange. */
  readonly beat: string;
  /** Whether the other end is connected with the database. */
  readonly connected: boolean;
  readonly number: string | null;
  readonly body: Uint8Array | null;
}

export class QueueChannel<Out, In> implements Channel<Out, In> {
  readonly #database: QueueDatabase;
  readonly #key: readonly [run: string, part: number];
  readonly #side: Side;
  readonly #apiKey: string;
  readonly #silence: Millis;
  readonly #inbox = new Inbox<In>();
  readonly #absence: Absence;
  readonly #loop: Promise<void>;
  #waiting: { readonly number: number; readonly body: Uint8Array }[] = [];
  #bytes = 0;
  #sent = 0;
  #received = 0;
  #beat = '0';
  #heardAt: Instant;
  #closing = false;
  #over = false;
  #wake = (): void => {};
  #isWoken = false;

  constructor({ database, run, part, side, apiKey, silence }: QueueChannelOptions) {
    this.#database = database;
    this.#key = [run, part];
    this.#side = side;
    this.#apiKey = apiKey;
    this.#silence = silence ?? SILENCE[side === 'run' ? 'part' : 'run'];
    this.#absence = new Absence(database);
    this.#heardAt = database.time.now;
    this.#loop = this.#exchangeAll();
  }

  send(message: Out): void {
    if (this.#over) return;
    const number = ++this.#sent;
    const body = seal(message, this.#apiKey, messagePlace(...this.#key, this.#side, number));
    this.#bytes += body.length;
    this.#waiting.push({ number, body });
    if (this.#bytes > MOST_WAITING) this.#lose('its events could not be passed on fast enough');
    this.#wakeUp();
  }

  next(): Promise<In> {
    return this.#inbox.next();
  }

  /** Adds a message to the inbox in place of the worker, for a part that has no worker. */
  deliver(message: In): void {
    this.#inbox.push(message);
  }

  sharedNow(): Promise<Millis> {
    return sharedNow(this.#database);
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#wakeUp();
    await this.#loop;
  }

  async #exchangeAll(): Promise<void> {
    while (!this.#over) {
      let more = false;
      try {
        more = await this.#exchange();
        this.#absence.succeeded();
      } catch (error) {
        this.#failed(error);
        await this.#database.pause();
        continue;
      }
      if (this.#closing && this.#waiting.length === 0) break;
      if (!more) await this.#rest();
    }
    this.#over = true;
    this.#inbox.end('the connection is closed');
  }

  /** Returns whether the next exchange has to follow at once. */
  async #exchange(): Promise<boolean> {
    const isFull = await this.#write();
    const rows = await this.#read();
    const [first] = rows;
    if (first === undefined) {
      this.#lose('the run is over');
      return false;
    }
    for (const { number, body } of rows) {
      if (number === null || body === null) continue;
      const from = this.#side === 'run' ? 'part' : 'run';
      const message = unseal(body, this.#apiKey, messagePlace(...this.#key, from, Number(number)));
      if (message === undefined) {
        this.#lose('a message in the queue is forged, or was moved there');
        return false;
      }
      if (Number(number) !== this.#received + 1) {
        this.#lose('a message was removed from the queue');
        return false;
      }
      this.#received++;
      // The cast is safe because the other end has sealed the message, and runs the same version of the program.
      this.#inbox.push(message as In);
    }
    this.#hear(first, rows.length);
    return rows.length === AT_ONCE || (this.#waiting.length > 0 && !isFull);
  }

  /**
   * Writes the next messages. Returns true if messages wait but none was written: the table has too many unread messages, or
   * the run is over.
   */
  async #write(): Promise<boolean> {
    const batch = this.#waiting.slice(0, AT_ONCE);
    if (batch.length === 0) return false;
    const toRun = this.#side === 'part';
    // A repeated statement may find the messages in the table, or write them again after they were read. The reader ignores
    // messages whose number it has read before.
    const written = await this.#database.query<{ readonly number: string }>(
      `WITH unread AS (
         SELECT count(*) AS messages FROM ${QUEUE}.message WHERE run = $1 AND part = $2 AND to_run = $3
       )
       INSERT INTO ${QUEUE}.message (run, part, to_run, number, body)
       SELECT p.run, p.number, $3, m.number, m.body
       FROM ${QUEUE}.part p, unread, unnest($4::bigint[], $5::bytea[]) AS m (number, body)
       WHERE p.run = $1 AND p.number = $2 AND unread.messages < ${MOST_UNREAD}
       ON CONFLICT (run, part, to_run, number) DO UPDATE SET body = excluded.body
       RETURNING number`,
      [
        ...this.#key,
        toRun,
        batch.map(({ number }) => number),
        // The cast is needed because the types of the driver lack a list of buffers; PostgreSQL receives it as `bytea[]`.
        batch.map(({ body }) => body) as unknown as readonly string[],
      ],
    );
    if (written.length === 0) return true;
    this.#waiting = this.#waiting.slice(batch.length);
    for (const { body } of batch) this.#bytes -= body.length;
    return false;
  }

  /**
   * Deletes the messages that were read, reads the next ones, and increases the heartbeat of this end. If it returns no rows,
   * the run is over or has dismissed this worker.
   */
  #read(): Promise<readonly Row[]> {
    const [own, other] = this.#side === 'run' ? ['run', 'part'] : ['part', 'run'];
    return this.#database.query<Row>(
      `WITH alive AS (
         UPDATE ${QUEUE}.part SET ${own}_beat = ${own}_beat + 1, ${own}_session = pg_backend_pid(), seen = clock_timestamp()
         WHERE run = $1 AND number = $2
         RETURNING ${other}_beat AS beat, EXISTS (SELECT FROM pg_stat_activity WHERE pid = ${other}_session) AS connected
       ), gone AS (
         DELETE FROM ${QUEUE}.message WHERE run = $1 AND part = $2 AND to_run = $3 AND number <= $4
       )
       SELECT alive.beat, alive.connected, m.number, m.body FROM alive LEFT JOIN LATERAL (
         SELECT number, body FROM ${QUEUE}.message
         WHERE run = $1 AND part = $2 AND to_run = $3 AND number > $4 ORDER BY number LIMIT ${AT_ONCE}
       ) m ON true ORDER BY m.number`,
      [...this.#key, this.#side === 'run', this.#received],
    );
  }

  /** Notes the heartbeat of the other end. A part that no worker has taken has the heartbeat 0 and is not lost. */
  #hear({ beat, connected }: Row, messages: number): void {
    const { now } = this.#database.time;
    if (beat !== this.#beat || beat === '0') this.#heardAt = now;
    this.#beat = beat;
    const limit = connected ? LONG_SILENCE : this.#silence;
    if (messages < AT_ONCE && now - this.#heardAt > limit) this.#lose(`no heartbeat for ${limit / 1000} s`);
  }

  #failed(error: unknown): void {
    this.#heardAt = this.#database.time.now;
    try {
      this.#absence.failed(error);
    } catch (lost) {
      if (!(lost instanceof ChannelLost)) throw lost;
      this.#lose(lost.message);
    }
  }

  #lose(why: string): void {
    this.#over = true;
    this.#waiting = [];
    this.#inbox.end(why);
    this.#wakeUp();
  }

  async #rest(): Promise<void> {
    if (!this.#isWoken && !this.#over) {
      await new Promise<void>((resolve) => {
        const alarm = this.#database.time.after(EVERY, 'the next exchange with the queue', resolve);
        this.#wake = () => {
          alarm.cancel();
          resolve();
        };
      });
    }
    this.#isWoken = false;
    this.#wake = () => {};
  }

  #wakeUp(): void {
    this.#isWoken = true;
    this.#wake();
  }
}

/** Time of the database's clock, in milliseconds since 1970. */
export async function sharedNow(database: QueueDatabase): Promise<Millis> {
  const rows = await database.persist<{ readonly now: string }>(
    'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now',
  );
  return Number(rows[0]?.now);
}
