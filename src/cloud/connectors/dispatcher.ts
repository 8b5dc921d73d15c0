/**
 * Takes deliveries that are due and sees to their attempts.
 *
 * To take one is to move its `dueAt` into the future. Whoever finds it due does that in turn with the other services on the
 * database, so that one of them attempts it; and when that one dies, it is due again after the lease. So a request may be sent
 * twice, when a service dies between sending it and writing that down, or is suspended for longer than a lease; but none is
 * forgotten.
 *
 * Every connector has a line of its own, with a few requests under way at a time: one that waits for a slow target does not
 * hold up the others.
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

export interface DispatcherOptions {
  readonly store: Store;
  readonly clock: EdgeClock;
  readonly log: Log;
  readonly attempts: Pick<Attempts, 'attempt'>;
}

/** How long a delivery belongs to the service that has taken it. */
const LEASE = minutes(3);
/** Deliveries that are looked at together. */
const PAGE = 128;
/** Of one connector: requests under way, and deliveries that are taken and wait for their turn. */
const AT_ONCE = 16;
const IN_LINE = 64;
/** Requests under way altogether. */
const AT_ONCE_ALL = 256;
/** A full line in which nothing has moved for this long is slow: what does not fit into it is put off. */
const SLOW = seconds(2);
const PUT_OFF = seconds(30);
/** Longest time until the next look, where another service may have died with deliveries of its own. */
const ROUND = seconds(30);
/** What a script and writing the outcome may take besides the request. */
const MARGIN = seconds(15);

interface Line {
  readonly queue: PQueue;
  movedAt: Instant;
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #lines = new Map<Id, Line>();
  readonly #all = new PQueue({ concurrency: AT_ONCE_ALL });
  #running: Promise<void> | undefined;
  /** Something may be due. */
  #wanted = false;
  /** Something is due that had no place in its line. */
  #leftBehind = false;
  #alarm: Alarm | undefined;
  #alarmAt: UnixMillis = Number.POSITIVE_INFINITY;
  /** No new attempts. */
  #closed = false;
  /** What comes of the attempts under way does not count any more. */
  #abandoned = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Looks for what is due, and for when the next delivery will be. */
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
        // Somebody may have called after the last look, and before this.
        if (this.#wanted) this.wake();
        release();
      });
  }

  /** Begins no more attempts; resolves when what came of those under way is stored. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#alarm?.cancel();
    await this.#running;
    await Promise.all([...this.#lines.values()].map(({ queue }) => queue.onIdle()));
  }

  /** Those under way are about to be broken off: they will be attempted again, as if they had not been. */
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

  /** Takes what is due, as far as there is room for it. */
  async #take(): Promise<void> {
    const { store, clock } = this.#options;
    const now = Math.floor(clock.wall);
    const due = await dueDeliveries(store, now, PAGE);
    const taken: Delivery[] = [];
    const changes: Change[] = [];
    this.#leftBehind = false;
    for (const delivery of due) {
      const line = this.#lines.get(delivery.connectorId);
      const ahead = taken.filter(({ connectorId }) => connectorId === delivery.connectorId).length;
      if ((line?.queue.size ?? 0) + ahead < IN_LINE) {
        taken.push(delivery);
        changes.push(putDelivery({ ...delivery, dueAt: now + LEASE }));
      } else if (line && clock.now - line.movedAt > SLOW) {
        changes.push(putDelivery({ ...delivery, dueAt: now + PUT_OFF }));
      } else {
        this.#leftBehind = true;
      }
    }
    if (changes.length > 0) await store.commit(changes);
    for (const delivery of taken) this.#lineUp(delivery, now + LEASE);
    this.#wanted ||= due.length === PAGE && changes.length > 0;
  }

  #lineUp(delivery: Delivery, leaseEnd: UnixMillis): void {
    const { clock, log } = this.#options;
    const { id, connectorId } = delivery;
    const line = this.#lines.get(connectorId) ?? { queue: new PQueue({ concurrency: AT_ONCE }), movedAt: clock.now };
    this.#lines.set(connectorId, line);
    const release = clock.hold(`delivery ${id} of connector ${connectorId}`);
    const attempt = () => this.#all.add(() => this.#attempt(delivery, leaseEnd));
    line.queue
      .add(attempt)
      // It is due again when the lease is over.
      .catch((error: unknown) => log.error({ delivery: id, error: String(error) }, 'an attempt to deliver failed'))
      .finally(() => {
        line.movedAt = clock.now;
        if (line.queue.size + line.queue.pending === 0) this.#lines.delete(connectorId);
        if (this.#leftBehind && line.queue.size <= IN_LINE / 2) this.wake();
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
    // Somebody else may be about to take it.
    if (now + seconds(connector.timeout || STANDARD_TIMEOUT) + MARGIN > leaseEnd) return;
    const attempted = await attempts.attempt(connector, delivery);
    if (this.#abandoned) return this.#giveBack(delivery);
    const next = afterAttempt(delivery, connector, attempted, Math.floor(clock.wall));
    await store.commit([putDelivery(next)]);
    if (next.dueAt !== null) this.#lookAgain(next.dueAt);
  }

  /** As it was before it was taken. */
  #giveBack(delivery: Delivery): Promise<void> {
    return this.#options.store.commit([putDelivery(delivery)]);
  }
}
