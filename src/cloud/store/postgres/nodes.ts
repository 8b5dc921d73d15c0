/**
 * Notifications between services that share a PostgreSQL database, on one channel: `<sender> <changed|moved> <serial>`, and
 * `<sender> <events|journal> 0` about the journal of events.
 *
 * Triggers (migrations.ts) send the notifications about devices and queues in the transaction that makes the change. One
 * connection listens. If it breaks, the service connects again and treats all devices as changed, because notifications may
 * have been lost.
 */
import type { Pool, PoolClient } from 'pg';
import type { Alarm, Clock } from '../../../kernel/clock.js';
import { seconds } from '../../../kernel/time.js';
import type { News, Nodes } from '../nodes.js';
import { asOutage } from './failures.js';

const RECONNECT_AFTER = seconds(1);
/** Longest wait for other services in `inTurn`. */
const TURN_LIMIT = seconds(30);
/** A service loses its turn if it hangs this long. */
const HANGING = seconds(20);
/** A transaction, because the server can end one that is idle. */
const TURN = `BEGIN; SET LOCAL statement_timeout = ${TURN_LIMIT}; SET LOCAL lock_timeout = ${TURN_LIMIT};
  SET LOCAL idle_in_transaction_session_timeout = ${HANGING}`;

interface PostgresNodesOptions {
  readonly pool: Pool;
  /** Name of this service on the channel: the `application_name` of all its connections. */
  readonly name: string;
  readonly channel: string;
}

export class PostgresNodes implements Nodes {
  readonly #pool: Pool;
  readonly #name: string;
  readonly #channel: string;
  readonly #hearers: ((news: News) => void)[] = [];
  #listener: PoolClient | undefined;
  #retry: Alarm | undefined;
  #closed = false;
  /** Claims that will be sent together, when `#claimsSent` resolves. */
  #nextClaims: { readonly serials: number[]; readonly sent: Promise<void> } | undefined;
  #claimsSent: Promise<void> = Promise.resolve();

  constructor({ pool, name, channel }: PostgresNodesOptions) {
    this.#pool = pool;
    this.#name = name;
    this.#channel = channel;
  }

  listen(clock: Clock, hear: (news: News) => void): void {
    this.#hearers.push(hear);
    if (this.#hearers.length === 1) this.#listen(clock);
    else if (this.#listener) hear({ kind: 'missed' });
  }

  #listen(clock: Clock): void {
    const again = () => {
      if (this.#closed) return;
      this.#retry = clock.after(RECONNECT_AFTER, 'listening to other services again', () => this.#listen(clock));
    };
    const hear = (news: News) => {
      for (const each of this.#hearers) each(news);
    };
    this.#connect(hear, again).catch(again);
  }

  /**
   * Claims that arrive while another claim is being sent are sent together. After a restart, every device of a fleet is
   * claimed, and the database lets only one transaction with notifications commit at a time.
   */
  claim(serial: number): Promise<void> {
    if (this.#nextClaims === undefined) {
      const serials: number[] = [];
      const sent = this.#claimsSent.then(() => {
        this.#nextClaims = undefined;
        return this.#notifyOfClaims(serials);
      });
      this.#claimsSent = sent.catch(() => {});
      this.#nextClaims = { serials, sent };
    }
    this.#nextClaims.serials.push(serial);
    return this.#nextClaims.sent;
  }

  async #notifyOfClaims(serials: readonly number[]): Promise<void> {
    const payloads = serials.map((serial) => `${this.#name} moved ${serial}`);
    const notify = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) payload';
    await orOutage(this.#pool.query(notify, [this.#channel, payloads]));
  }

  async inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const client = await orOutage(this.#pool.connect());
    let unlocked = false;
    try {
      await orOutage(client.query(TURN));
      const values = [`${this.#channel}.${name}`];
      const lock = { text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', values, query_timeout: TURN_LIMIT };
      await orOutage(client.query(lock));
      const result = await work();
      await orOutage(client.query('COMMIT'));
      unlocked = true;
      return result;
    } finally {
      // Closing the connection also releases the lock.
      client.release(!unlocked);
    }
  }

  /** Stops listening. */
  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
    this.#listener?.release(true);
    this.#listener = undefined;
  }

  async #connect(hear: (news: News) => void, lost: () => void): Promise<void> {
    const client = await this.#pool.connect();
    client.on('notification', ({ payload }) => {
      const news = this.#read(payload ?? '');
      if (news) hear(news);
    });
    client.on('error', () => {
      if (this.#listener !== client) return;
      this.#listener = undefined;
      client.release(true);
      lost();
    });
    try {
      await client.query(`LISTEN ${client.escapeIdentifier(this.#channel)}`);
    } catch (error) {
      client.release(true);
      throw error;
    }
    if (this.#closed) return client.release(true);
    this.#listener = client;
    hear({ kind: 'missed' });
  }

  /** Reads a notification; undefined if this service itself sent it, or if it has another form. */
  #read(payload: string): News | undefined {
    const [, sender, kind, serial] = /^(\S+) (changed|moved|events|journal) (\d+)$/.exec(payload) ?? [];
    if (sender === undefined || sender === this.#name) return undefined;
    if (kind === 'events' || kind === 'journal') return { kind };
    return { kind: kind === 'moved' ? 'moved' : 'changed', serial: Number(serial) };
  }
}

/** The server may end a connection at any time, for example because it was idle. That is an outage, not a bug. */
async function orOutage<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw asOutage(error);
  }
}
