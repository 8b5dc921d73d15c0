/**
 * Expires pending downlinks that their devices do not fetch (wire W-33: after 30 days), and firmware updates that their devices
 * do not continue.
 *
 * Rounds (rounds.ts) find both. Between two rounds, src/cloud/delivery checks a downlink before the downlink is
 * offered or shown. So the state of a downlink does not depend on the time of a round.
 */

import type { EdgeClock } from '../../kernel/clock.js';
import { messageOf } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { days, type Millis, type UnixMillis } from '../../kernel/time.js';
import { UPDATES } from '../firmware/job.js';
import type { MessageRow, RecordRow, Store, WaitingRow } from '../store/store.js';
import { BATCH, Rounds } from './rounds.js';

interface ExpiryOptions {
  readonly store: Pick<Store, 'overdueDownlinks' | 'dueRecords'>;
  readonly clock: EdgeClock;
  readonly log: Log;
  /** How long an undelivered downlink stays pending, and an update open without progress. Default 30 days. */
  readonly expiry?: Millis | undefined;
  /** Pause after a full batch, as in {@link Rounds}. */
  readonly batchPause?: Millis;
}

interface Expire {
  /** Ends an overdue downlink. */
  readonly downlink: (row: MessageRow) => Promise<void>;
  /** Ends an overdue firmware update. */
  readonly update: (row: RecordRow) => Promise<void>;
}

export class Expiry {
  readonly #options: ExpiryOptions;
  readonly #patience: Millis;
  readonly #expire: Expire;
  readonly #rounds: Rounds;

  constructor(options: ExpiryOptions, expire: Expire) {
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

  /** Ends the rounds, and waits for what is being expired. The store must be open until then. */
  close(): Promise<void> {
    return this.#rounds.stop();
  }

  async #batch(): Promise<number> {
    const { store, clock, log } = this.#options;
    try {
      const before = clock.wall - this.#patience;
      const downlinks = await store.overdueDownlinks(before, BATCH);
      for (const row of downlinks) if (!this.#rounds.stopped) await this.#expire.downlink(row);
      // An update ends by its chunk if this expires at the same instant.
      const updates = this.#rounds.stopped ? [] : await store.dueRecords(UPDATES, before - 1, BATCH);
      for (const row of updates) if (!this.#rounds.stopped) await this.#expire.update(row);
      return Math.max(downlinks.length, updates.length);
    } catch (error) {
      log.error({ error: messageOf(error) }, 'expiry of downlinks and updates failed');
      return 0;
    }
  }
}
