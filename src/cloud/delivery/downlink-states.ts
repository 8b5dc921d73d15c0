/**
 * Commits the states of downlinks and the entries of their timelines.
 *
 * A timeline stays short even if a device polls often without confirming. It keeps the first and the latest contact, and the
 * first and the latest offer; the attempt number of the latest offer is the number of offers.
 */

import type { DownState } from '../../contract/messages.js';
import type { Clock } from '../../kernel/clock.js';
import { messageOf } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { UnixMillis } from '../../kernel/time.js';
import { type Change, ConflictError, type MessageRow, type Store } from '../store/store.js';
import type { QueuedDownlink } from './device-session.js';

interface DownlinkStatesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

type Downlink = Pick<MessageRow, 'id' | 'createdAt'>;
type TimelineChange = Extract<Change, { readonly kind: 'timeline.add' }>;

export class DownlinkStates {
  readonly #options: DownlinkStatesOptions;

  constructor(options: DownlinkStatesOptions) {
    this.#options = options;
  }

  /** The change of a downlink's state. @param at default: now */
  state({ row }: QueuedDownlink, state: Exclude<DownState, 'pending'>, at = this.#getTime(row)): Change {
    return { kind: 'message.state', id: row.id, state, at };
  }

  /** The change that adds an entry to the timeline of a downlink. @param at default: now */
  makeStation(row: Downlink, what: string, detail: string | null, at = this.#getTime(row)): TimelineChange {
    return { kind: 'timeline.add', row: { messageId: row.id, at, what, detail } };
  }

  /** The change that adds an entry which replaces all but the first one of its kind. */
  #makeLatest(row: Downlink, what: string, detail: string | null): TimelineChange {
    const { kind, row: station } = this.makeStation(row, what, detail);
    return { kind, row: station, latest: true };
  }

  /** Adds a contact to the timelines of these downlinks: their device has sent something. */
  noteContact(rows: readonly Downlink[]): void {
    this.commitLater(rows.map((row) => this.#makeLatest(row, 'contact', null)));
  }

  /** Adds the reason to the timelines of these downlinks why a poll did not fetch them (docs/SECURITY.md). */
  noteUnprovenPoll(rows: readonly Downlink[]): void {
    this.commitLater(rows.map((row) => this.makeStation(row, 'waiting', 'poll from an unproven address')));
  }

  /** The changes for an offer of a downlink: the number of the attempt, and an entry in its timeline. */
  offer(row: Downlink, attempt: number): readonly Change[] {
    return [{ kind: 'message.offer', id: row.id, attempt }, this.#makeLatest(row, 'offered', `attempt ${attempt}`)];
  }

  /** Commits the changes. False if another request or service has sent or ended one of the downlinks meanwhile. */
  async commitInTime(changes: readonly Change[]): Promise<boolean> {
    try {
      await this.#options.store.commit(changes);
      return true;
    } catch (error) {
      if (error instanceof ConflictError && error.field === 'down-state') return false;
      throw error;
    }
  }

  /** The present time, or the creation time of the downlink if the clock has been set back to before it. */
  #getTime({ createdAt }: Downlink): UnixMillis {
    return Math.max(this.#options.clock.wall, createdAt);
  }

  /** Commits without waiting; only for changes that may be lost in a crash. */
  commitLater(changes: readonly Change[]): void {
    const { log } = this.#options;
    this.commitInTime(changes).catch((error: unknown) => log.error({ error: messageOf(error) }, 'commit failed'));
  }
}
