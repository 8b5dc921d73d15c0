/**
 * Expires pending downlinks that their devices do not fetch (wire W-33: after 30 days).
 *
 * Rounds (rounds.ts) find overdue downlinks. Between two rounds, src/cloud/delivery checks a downlink before the downlink is
 * offered or shown. So the state of a downlink does not depend on the time of a round.
 */

import type { EdgeClock } from '../../kernel/clock.js';
import { messageOf } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { days, type Millis, type UnixMillis } from '../../kernel/time.js';
import type { MessageRow, Store, WaitingRow } from '../store/store.js';
import { BATCH, Rounds } from './rounds.js';

interface ExpiryOptions {
  readonly store: Pick<Store, 'overdueDownlinks'>;
  readonly clock: EdgeClock;
  readonly log: Log;
  /** How long an undelivered downlink stays pending. Default 30 days. */
  readonly expiry?: Millis | undefined;
  /** Pause after a full batch, as in {@link Rounds}. */
  readonly batchPause?: Millis;
}

export class Expiry {
  readonly #options: ExpiryOptions;
  readonly #patience: Millis;
  readonly #expire: (row: MessageRow) => Promise<void>;
  readonly #rounds: Rounds;

  /** @param expire ends an overdue downlink */
  constructor(options: ExpiryOptions, expire: (row: MessageRow) => Promise<void>) {
    const { clock, batchPause } = options;
    this.#options = options;
    this.#patience = options.expiry ?? days(30);
    this.#expire = expire;
    this.#rounds = new Rounds({ clock, what: 'the expiry of downlinks', batchPause, batch: () => this.#batch() });
  }

  /** Whether the message is a pending downlink whose lifetime is over. */
  readonly isOverdue = (message: WaitingRow): boolean =>
    message.downState === 'pending' && this.endOf(message) < this.#options.clock.wall;

  /** The time at which a downlink expires. */
  endOf({ createdAt }: WaitingRow): UnixMillis {
    return createdAt + this.#patience;
  }

  /** Ends the rounds, and waits for the downlink that is being expired. The store must be open until then. */
  close(): Promise<void> {
    return this.#rounds.stop();
  }

  async #batch(): Promise<number> {
    const { store, clock, log } = this.#options;
    try {
      const overdue = await store.overdueDownlinks(clock.wall - this.#patience, BATCH);
      for (const row of overdue) {
        if (this.#rounds.stopped) break;
        await this.#expire(row);
      }
      return overdue.length;
    } catch (error) {
      log.error({ error: messageOf(error) }, 'expiry of downlinks failed');
      return 0;
    }
  }
}
