/**
 * Expires pending downlinks that their devices do not fetch (wire protocol, 6.2: after 30 days).
 *
 * A sweep at the start and every hour finds overdue downlinks. Between two sweeps, src/cloud/delivery checks a downlink before
 * the downlink is offered or shown. So the state of a downlink does not depend on the time of a sweep.
 */
import type { Alarm, EdgeClock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import { days, hours, type Millis, millis, type UnixMillis } from '../../kernel/time.js';
import type { MessageRow, Store, WaitingRow } from '../store/store.js';

interface ExpiryOptions {
  readonly store: Pick<Store, 'overdueDownlinks'>;
  readonly clock: EdgeClock;
  readonly log: Log;
  /** How long an undelivered downlink stays pending. Default 30 days. */
  readonly expiry?: Millis;
  /**
   * Pause after a sweep that has found {@link SWEEP_SIZE} downlinks, so that the store can serve devices meanwhile. Default
   * 50 ms. With 0, one alarm ends all overdue downlinks, so that a deletion of old messages at the same instant finds all of
   * them expired.
   */
  readonly batchPause?: Millis;
}

const SWEEP = hours(1);
const SWEEP_SIZE = 500;
const PAUSE = millis(50);

export class Expiry {
  readonly #options: ExpiryOptions;
  readonly #patience: Millis;
  readonly #expire: (row: MessageRow) => Promise<void>;
  #next: Alarm | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #closed = false;

  /** @param expire ends an overdue downlink */
  constructor(options: ExpiryOptions, expire: (row: MessageRow) => Promise<void>) {
    this.#options = options;
    this.#patience = options.expiry ?? days(30);
    this.#expire = expire;
    this.#sweepAfter(millis(0));
  }

  /** Whether the message is a pending downlink whose lifetime is over. */
  readonly isOverdue = (message: WaitingRow): boolean =>
    message.downState === 'pending' && this.endOf(message) < this.#options.clock.wall;

  /** The time at which a downlink expires. */
  endOf({ createdAt }: WaitingRow): UnixMillis {
    return createdAt + this.#patience;
  }

  /** Starts no further sweep, and waits for the downlink that is being expired. The store must be open until then. */
  close(): Promise<void> {
    this.#closed = true;
    this.#next?.cancel();
    return this.#sweeping;
  }

  #sweepAfter(delay: Millis): void {
    const { clock, log, batchPause = PAUSE } = this.#options;
    this.#next = clock.after(delay, 'expiry of downlinks', () => {
      const release = clock.hold('the expiry of downlinks');
      this.#sweeping = this.#sweep()
        .catch((error: unknown) => {
          log.error({ error: String(error) }, 'expiry of downlinks failed');
          return 0;
        })
        .then((found) => {
          if (!this.#closed) this.#sweepAfter(found < SWEEP_SIZE ? SWEEP : batchPause);
        })
        .finally(release);
    });
  }

  /** Returns the number of overdue downlinks that were found last; if it is {@link SWEEP_SIZE}, there may be more. */
  async #sweep(): Promise<number> {
    const { batchPause } = this.#options;
    let found = await this.#sweepBatch();
    while (batchPause === 0 && found === SWEEP_SIZE && !this.#closed) found = await this.#sweepBatch();
    return found;
  }

  async #sweepBatch(): Promise<number> {
    const { store, clock } = this.#options;
    const overdue = await store.overdueDownlinks(clock.wall - this.#patience, SWEEP_SIZE);
    for (const row of overdue) {
      if (this.#closed) break;
      await this.#expire(row);
    }
    return overdue.length;
  }
}
