/**
 * Takes due deliveries and runs their attempts.
 *
 * A service takes a delivery by moving its `dueAt` to the end of a lease. Services that share a database do this one after
 * another, so that each delivery is attempted by one service. If that service crashes, the delivery is due again after the
 * lease. So no delivery is lost. But a request may be sent twice if a service crashes between sending it and storing the
 * result, or is suspended for longer than a lease.
 *
 * The due deliveries are read space by space, and the attempts run in fair turns (store/fair-queue.ts). So a connector with a
 * slow target does not delay the others, and a tenant with many deliveries does not delay another.
 */

import type { Alarm, EdgeClock } from '../../kernel/clock.js';
import { messageOf } from '../../kernel/errors.js';
import { Holds } from '../../kernel/holds.js';
import type { Log } from '../../kernel/log.js';
import { type Instant, minutes, seconds, type UnixMillis } from '../../kernel/time.js';
import { FairQueue } from '../store/fair-queue.js';
import { timeOfId } from '../store/order.js';
import type { Change, Id, Store } from '../store/store.js';
import { tenantOf } from '../store/tenants.js';
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
  spacesWithDueDeliveries,
} from './delivery.js';

interface DispatcherOptions {
  readonly store: Store;
  readonly clock: EdgeClock;
  readonly log: Log;
  readonly attempts: Pick<Attempts, 'attempt'>;
}

/** Time for which a delivery belongs to the service that has taken it. */
const LEASE = minutes(3);
/** Maximum number of deliveries of a space that one query reads. */
const PAGE = 128;
/** Maximum number of concurrent attempts of one connector, of all connectors of a tenant, and of all tenants. */
const AT_ONCE = { part: 16, tenant: () => 64, all: 256 };
/** Maximum number of deliveries of one connector that are taken and wait in its queue. */
const QUEUE_LENGTH = 64;
/** Maximum number of deliveries of one tenant that are taken and wait. */
const TENANT_QUEUE_LENGTH = 1024;
/** If a connector's queue is full for this long, its further deliveries are postponed; also the pause between searches. */
const SLOW = seconds(2);
/** Time by which a delivery is postponed. */
const POSTPONED = seconds(30);
/** Longest time between searches for due deliveries on a shared database, and after a failed one. */
const ROUND = seconds(30);
/** Time for the script and for storing the result, in addition to the timeout of the request. */
const MARGIN = seconds(15);

/** A delivery that has been taken. */
interface Taken {
  readonly delivery: Delivery;
  /** In elapsed time: a correction of the calendar neither ends nor extends the lease for this process. */
  readonly leaseEnd: Instant;
  readonly release: () => void;
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #queue = new FairQueue<Taken>(AT_ONCE);
  /** Running and waiting attempts. */
  readonly #work = new Holds();
  /** Deliveries of this process that wait or run. Skipped if they are due again after a correction of the calendar. */
  readonly #taken = new Set<Id>();
  /** For each connector with taken deliveries: when its latest attempt ended, or when its queue began. */
  readonly #progress = new Map<Id, Instant>();
  #running: Promise<void> | undefined;
  /** Whether a delivery may be due. */
  #wanted = false;
  /** Whether the last search left due deliveries, because a queue was full or they were taken already. */
  #leftBehind = false;
  /**
   * Calendar time minus elapsed time, at its highest, if no other service shares the database. After the calendar was set back,
   * the due times in the store are ahead of it; by the corrected calendar, retries would wait for as long as it was set back.
   * Services that share a database follow the calendar, which they have in common.
   */
  #offset = Number.NEGATIVE_INFINITY;
  #hasLearned = false;
  #alarm: Alarm | undefined;
  #alarmAt: UnixMillis = Number.POSITIVE_INFINITY;
  /** Whether the dispatcher is closed: then it starts no new attempts. */
  #closed = false;
  /** Whether results of running attempts are discarded. */
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
        this.#options.log.error({ error: messageOf(error) }, 'deliveries cannot be taken');
        this.#lookAgain(this.#now + ROUND);
      })
      .finally(() => {
        this.#running = undefined;
        // `wake` may have been called since the last search for due deliveries.
        if (this.#wanted) this.wake();
        release();
      });
  }

  /** Starts no further attempts; resolves when the results of running ones are stored. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#alarm?.cancel();
    await this.#running;
    while (this.#work.count > 0) await this.#work.changed();
  }

  /** Call this before running attempts are aborted: their results are discarded, and their deliveries stay due. */
  abandon(): void {
    this.#abandoned = true;
  }

  /** The present time by which deliveries are due. */
  get #now(): UnixMillis {
    const { store, clock } = this.#options;
    const { wall, now } = clock;
    if (store.nodes) return Math.floor(wall);
    this.#offset = Math.max(this.#offset, wall - now);
    return Math.floor(this.#offset + now);
  }

  /** Learns at the start by how much the calendar was set back while the service did not run. */
  async #learnTime(): Promise<void> {
    const { store, clock } = this.#options;
    const newest = await store.newestMessage();
    if (newest !== undefined) this.#offset = Math.max(this.#offset, timeOfId(newest) - clock.now);
    this.#hasLearned = true;
  }

  async #run(): Promise<void> {
    const { store } = this.#options;
    if (!this.#hasLearned) await this.#learnTime();
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
    const { store } = this.#options;
    const due = await nextDelivery(store);
    if (due !== undefined) this.#lookAgain(this.#leftBehind ? Math.max(due, this.#now + SLOW) : due);
    if (store.nodes) this.#lookAgain(this.#now + ROUND);
  }

  #lookAgain(at: UnixMillis): void {
    if (this.#closed || at >= this.#alarmAt) return;
    this.#alarm?.cancel();
    this.#alarmAt = at;
    this.#alarm = this.#options.clock.after(Math.max(0, at - this.#now), 'the next delivery', () => this.wake());
  }

  /** Takes due deliveries of every space, as far as its queues have room for them. */
  async #take(): Promise<void> {
    const { store } = this.#options;
    const now = this.#now;
    this.#leftBehind = false;
    for (const spaceId of await spacesWithDueDeliveries(store, now)) {
      const tenant = await tenantOf(store, spaceId);
      const room = TENANT_QUEUE_LENGTH - this.#queue.waiting(tenant);
      if (room > 0) await this.#takeOf({ spaceId, tenant }, now, Math.min(PAGE, room));
      else this.#leftBehind = true;
    }
  }

  async #takeOf({ spaceId, tenant }: { spaceId: Id; tenant: Id }, now: UnixMillis, limit: number): Promise<void> {
    const { store, clock } = this.#options;
    const due = await dueDeliveries(store, spaceId, now, limit);
    const taken: Delivery[] = [];
    const changes: Change[] = [];
    for (const delivery of due) {
      const { id, connectorId } = delivery;
      const ahead = taken.filter((other) => other.connectorId === connectorId).length;
      if (this.#taken.has(id)) {
        this.#leftBehind = true;
      } else if (this.#queue.waiting(tenant, connectorId) + ahead < QUEUE_LENGTH) {
        taken.push(delivery);
        changes.push(putDelivery({ ...delivery, dueAt: now + LEASE }));
      } else if (clock.now - (this.#progress.get(connectorId) ?? clock.now) > SLOW) {
        changes.push(putDelivery({ ...delivery, dueAt: now + POSTPONED }));
      } else {
        this.#leftBehind = true;
      }
    }
    if (changes.length > 0) await store.commit(changes);
    for (const delivery of taken) this.#enqueue(delivery, tenant);
    this.#startAttempts();
    this.#wanted ||= due.length === limit && changes.length > 0;
  }

  #enqueue(delivery: Delivery, tenant: Id): void {
    const { clock } = this.#options;
    const { id, connectorId } = delivery;
    if (!this.#progress.has(connectorId)) this.#progress.set(connectorId, clock.now);
    const what = `delivery ${id} of connector ${connectorId}`;
    const [held, done] = [clock.hold(what), this.#work.take(what)];
    this.#taken.add(id);
    const release = () => {
      this.#taken.delete(id);
      done();
      held();
    };
    this.#queue.add({ tenant, part: connectorId }, { delivery, leaseEnd: clock.now + LEASE, release });
  }

  #startAttempts(): void {
    const { clock, log } = this.#options;
    for (let turn = this.#queue.start(); turn; turn = this.#queue.start()) {
      const { task, tenant, end } = turn;
      const { delivery, leaseEnd, release } = task;
      const began = clock.now;
      this.#attempt(delivery, leaseEnd)
        // The delivery is due again at the end of the lease.
        .catch((error: unknown) =>
          log.error({ delivery: delivery.id, error: messageOf(error) }, 'a delivery attempt failed'),
        )
        .finally(() => {
          end(clock.now - began);
          release();
          this.#ended(delivery, tenant);
        });
    }
  }

  #ended({ connectorId }: Delivery, tenant: Id): void {
    this.#startAttempts();
    if (this.#queue.has(tenant, connectorId)) this.#progress.set(connectorId, this.#options.clock.now);
    else this.#progress.delete(connectorId);
    const isShort =
      this.#queue.waiting(tenant, connectorId) <= QUEUE_LENGTH / 2 &&
      this.#queue.waiting(tenant) <= TENANT_QUEUE_LENGTH / 2;
    if (this.#leftBehind && isShort) this.wake();
  }

  async #attempt(delivery: Delivery, leaseEnd: Instant): Promise<void> {
    const { store, clock, attempts } = this.#options;
    if (this.#closed) return this.#giveBack(delivery);
    const { id, spaceId, connectorId } = delivery;
    const connector = await findConnector(store, spaceId, connectorId);
    if (!connector) return store.commit([deleteDelivery(id)]);
    const why = dropped(delivery, connector);
    const now = Math.floor(clock.wall);
    if (why !== undefined) return store.commit([putDelivery(cancelled(delivery, why, now))]);
    // Not attempted if the lease could end during the request: another service could then take the delivery.
    if (clock.now + seconds(connector.timeout || STANDARD_TIMEOUT) + MARGIN > leaseEnd) return;
    const attempted = await attempts.attempt(connector, delivery).catch((error: unknown) => {
      // An aborted script rejects; the delivery is due again all the same.
      if (!this.#abandoned) throw error;
    });
    if (this.#abandoned || attempted === undefined) return this.#giveBack(delivery);
    const next = afterAttempt(delivery, connector, attempted, this.#now);
    await store.commit([putDelivery(next)]);
    if (next.dueAt !== null) this.#lookAgain(next.dueAt);
  }

  /** Restores a delivery to its state before it was taken. */
  #giveBack(delivery: Delivery): Promise<void> {
    return this.#options.store.commit([putDelivery(delivery)]);
  }
}
