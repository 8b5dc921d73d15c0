/**
 * Takes due deliveries and runs their attempts.
 *
 * A service takes a delivery by moving its `dueAt` to the end of a lease. Services on the same database do this one at a time,
 * so that only one of them attempts a delivery. If that service crashes, the delivery is due again after the lease. So a
 * request may be sent twice, if a service crashes between sending it and storing the result or is suspended for longer than
 * a lease; but no delivery is lost.
 *
 * Every connector has its own queue with a limited number of concurrent requests, so that a connector with a slow target does
 * not delay the others.
 */
import PQueue from 'p-queue';
import type { Alarm, EdgeClock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import { type Instant, minutes, seconds, type UnixMillis } from '../../kernel/time.js';
import type { Change, Id, Store } from '../store/store.js';
import { type Attempts, STANDARD_TIMEOUT } from './attempt.js';
import { findConnector } from './connector.js';
import {
  afterAttempt,
  cancelled,
  type Delivery,
  deleteDelivery,
  dropped,
  dueDeliveries,
  nextDelivery,
  putDelivery,
} from './delivery.js';

interface DispatcherOptions {
  readonly store: Store;
  readonly clock: EdgeClock;
  readonly log: Log;
  readonly attempts: Pick<Attempts, 'attempt'>;
}

/** Time for which a delivery belongs to the service that has taken it. */
const LEASE = minutes(3);
/** Deliveries that are read together. */
const PAGE = 128;
/** Most concurrent requests of one connector. */
const AT_ONCE = 16;
/** Most deliveries of one connector that are taken and wait in its queue. */
const QUEUE_LENGTH = 64;
/** Most concurrent requests of all connectors. */
const AT_ONCE_ALL = 256;
/** A full queue without progress for this time is slow: further deliveries of its connector are postponed. */
const SLOW = seconds(2);
const POSTPONED = seconds(30);
/** Longest time between two looks if several services share the database: another one may have crashed with its deliveries. */
const ROUND = seconds(30);
/** Time for the script and for storing the result, in addition to the timeout of the request. */
const MARGIN = seconds(15);

interface ConnectorQueue {
  readonly tasks: PQueue;
  /** Time at which an attempt last ended. */
  progressAt: Instant;
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #queues = new Map<Id, ConnectorQueue>();
  readonly #all = new PQueue({ concurrency: AT_ONCE_ALL });
  #running: Promise<void> | undefined;
  /** A delivery may be due. */
  #wanted = false;
  /** A due delivery had no place in the queue of its connector. */
  #leftBehind = false;
  #alarm: Alarm | undefined;
  #alarmAt: UnixMillis = Number.POSITIVE_INFINITY;
  /** No new attempts are started. */
  #closed = false;
  /** Results of running attempts are discarded. */
  #abandoned = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Takes the due deliveries, and sets an alarm for the next one. */
  wake(): void {
    if (this.#closed) return;
    this.#wanted = true;
    if (this.#running !== undefined) return;
    const release = this.#options.clock.hold('deliveries that are due');
    this.#running = this.#run()
      .catch((error: unknown) => {
        this.#options.log.error({ error: String(error) }, 'deliveries cannot be taken');
        this.#lookAgain(this.#options.clock.wall + ROUND);
      })
      .finally(() => {
        this.#running = undefined;
        // wake() may have been called after the last look and before this.
        if (this.#wanted) this.wake();
        release();
      });
  }

  /** Starts no further attempts; resolves when the results of running ones are stored. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#alarm?.cancel();
    await this.#running;
    await Promise.all([...this.#queues.values()].map(({ tasks }) => tasks.onIdle()));
  }

  /** Call this before running attempts are aborted: their results are discarded, and they are attempted again later. */
  abandon(): void {
    this.#abandoned = true;
  }

  async #run(): Promise<void> {
    const { store } = this.#options;
    do {
      this.#alarm?.cancel();
      this.#alarmAt = Number.POSITIVE_INFINITY;
      while (this.#wanted && !this.#closed) {
        this.#wanted = false;
        await (store.nodes ? store.nodes.inTurn('deliveries', () => this.#take()) : this.#take());
      }
      await this.#rest();
    } while (this.#wanted && !this.#closed);
  }

  async #rest(): Promise<void> {
    const { store, clock } = this.#options;
    const due = await nextDelivery(store);
    if (due !== undefined) this.#lookAgain(this.#leftBehind ? Math.max(due, clock.wall + SLOW) : due);
    if (store.nodes) this.#lookAgain(clock.wall + ROUND);
  }

  #lookAgain(at: UnixMillis): void {
    if (this.#closed || at >= this.#alarmAt) return;
    this.#alarm?.cancel();
    this.#alarmAt = at;
    const { clock } = this.#options;
    this.#alarm = clock.after(Math.max(0, at - clock.wall), 'the next delivery', () => this.wake());
  }

  /** Takes due deliveries, as far as the queues have room for them. */
  async #take(): Promise<void> {
    const { store, clock } = this.#options;
    const now = Math.floor(clock.wall);
    const due = await dueDeliveries(store, now, PAGE);
    const taken: Delivery[] = [];
    const changes: Change[] = [];
    this.#leftBehind = false;
    for (const delivery of due) {
      const queue = this.#queues.get(delivery.connectorId);
      const ahead = taken.filter(({ connectorId }) => connectorId === delivery.connectorId).length;
      if ((queue?.tasks.size ?? 0) + ahead < QUEUE_LENGTH) {
        taken.push(delivery);
        changes.push(putDelivery({ ...delivery, dueAt: now + LEASE }));
      } else if (queue && clock.now - queue.progressAt > SLOW) {
        changes.push(putDelivery({ ...delivery, dueAt: now + POSTPONED }));
      } else {
        this.#leftBehind = true;
      }
    }
    if (changes.length > 0) await store.commit(changes);
    for (const delivery of taken) this.#enqueue(delivery, now + LEASE);
    this.#wanted ||= due.length === PAGE && changes.length > 0;
  }

  #enqueue(delivery: Delivery, leaseEnd: UnixMillis): void {
    const { clock, log } = this.#options;
    const { id, connectorId } = delivery;
    const queue = this.#queues.get(connectorId) ?? {
      tasks: new PQueue({ concurrency: AT_ONCE }),
      progressAt: clock.now,
    };
    this.#queues.set(connectorId, queue);
    const release = clock.hold(`delivery ${id} of connector ${connectorId}`);
    const attempt = () => this.#all.add(() => this.#attempt(delivery, leaseEnd));
    queue.tasks
      .add(attempt)
      // The delivery is due again at the end of the lease.
      .catch((error: unknown) => log.error({ delivery: id, error: String(error) }, 'a delivery attempt failed'))
      .finally(() => {
        queue.progressAt = clock.now;
        if (queue.tasks.size + queue.tasks.pending === 0) this.#queues.delete(connectorId);
        if (this.#leftBehind && queue.tasks.size <= QUEUE_LENGTH / 2) this.wake();
        release();
      });
  }

  async #attempt(delivery: Delivery, leaseEnd: UnixMillis): Promise<void> {
    const { store, clock, attempts } = this.#options;
    if (this.#closed) return this.#giveBack(delivery);
    const { id, spaceId, connectorId } = delivery;
    const connector = await findConnector(store, spaceId, connectorId);
    if (!connector) return store.commit([deleteDelivery(id)]);
    const why = dropped(delivery, connector);
    const now = Math.floor(clock.wall);
    if (why !== undefined) return store.commit([putDelivery(cancelled(delivery, why, now))]);
    // The lease may end during the request: another service could take the delivery.
    if (now + seconds(connector.timeout || STANDARD_TIMEOUT) + MARGIN > leaseEnd) return;
    const attempted = await attempts.attempt(connector, delivery);
    if (this.#abandoned) return this.#giveBack(delivery);
    const next = afterAttempt(delivery, connector, attempted, Math.floor(clock.wall));
    await store.commit([putDelivery(next)]);
    if (next.dueAt !== null) this.#lookAgain(next.dueAt);
  }

  /** Restores a delivery to its state before it was taken. */
  #giveBack(delivery: Delivery): Promise<void> {
    return this.#options.store.commit([putDelivery(delivery)]);
  }
}
