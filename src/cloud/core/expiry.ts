/** Downlinks that nobody fetches come to an end (wire protocol, 6.2: after 30 days). */
import type { Alarm, EdgeClock } from '../../kernel/clock.js';
import { days, hours, type Millis } from '../../kernel/time.js';
import type { Log } from '../context.js';
import type { MessageRow, Store } from '../store/store.js';

export interface ExpiryOptions {
  readonly store: Store;
  readonly clock: EdgeClock;
  readonly log: Log;
  /** How long an undelivered downlink is kept. Default 30 days. */
  readonly expiry?: Millis;
}

const SWEEP = hours(1);
const SWEEP_SIZE = 500;

export class Expiry {
  readonly #options: ExpiryOptions;
  readonly #expire: (row: MessageRow) => Promise<void>;
  #next: Alarm | undefined;

  /** @param expire ends a downlink that is overdue */
  constructor(options: ExpiryOptions, expire: (row: MessageRow) => Promise<void>) {
    this.#options = options;
    this.#expire = expire;
    this.#sweepLater();
  }

  close(): void {
    this.#next?.cancel();
  }

  #sweepLater(): void {
    const { clock, log } = this.#options;
    this.#next = clock.after(SWEEP, 'expiry of downlinks', () => {
      const release = clock.hold('the expiry of downlinks');
      this.#sweep()
        .catch((error: unknown) => log.error({ error: String(error) }, 'expiry of downlinks failed'))
        .finally(release);
      this.#sweepLater();
    });
  }

  async #sweep(): Promise<void> {
    const { store, clock, expiry = days(30) } = this.#options;
    for (const row of await store.overdueDownlinks(clock.wall - expiry, SWEEP_SIZE)) await this.#expire(row);
  }
}
