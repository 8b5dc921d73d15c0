/**
 * Commits the states of downlinks and the entries of their timelines.
 *
 * A timeline stays short no matter how often a device polls without confirming: of contacts and offers it keeps the
 * first and the latest, whose attempt number is the count.
 */
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import { type Change, ConflictError, type DownState, type Id, type Store } from '../store/store.js';
import type { QueuedDownlink } from './device-session.js';

interface DownlinkStatesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

export class DownlinkStates {
  readonly #options: DownlinkStatesOptions;

  constructor(options: DownlinkStatesOptions) {
    this.#options = options;
  }

  state({ row }: QueuedDownlink, state: Exclude<DownState, 'pending'>): Change {
    return { kind: 'message.state', id: row.id, state, at: this.#options.clock.wall };
  }

  station(messageId: Id, what: string, detail: string | null): Change {
    return { kind: 'timeline.add', row: { messageId, at: this.#options.clock.wall, what, detail } };
  }

  /** Adds a contact to the timelines of these downlinks: their device has sent something. */
  contact(ids: readonly Id[]): void {
    const at = this.#options.clock.wall;
    const station = (messageId: Id): Change => {
      return { kind: 'timeline.add', row: { messageId, at, what: 'contact', detail: null }, latest: true };
    };
    this.behind(ids.map(station));
  }

  /** The changes for an offer of a downlink: the number of the attempt, and an entry in its timeline. */
  offer(id: Id, attempt: number): readonly Change[] {
    const row = { messageId: id, at: this.#options.clock.wall, what: 'offered', detail: `attempt ${attempt}` };
    return [
      { kind: 'message.offer', id, attempt },
      { kind: 'timeline.add', row, latest: true },
    ];
  }

  /**
   * Commits the changes. Returns false if a downlink in them has been sent or ended meanwhile, by another request or
   * another service.
   */
  async inTime(changes: readonly Change[]): Promise<boolean> {
    try {
      await this.#options.store.commit(changes);
      return true;
    } catch (error) {
      if (error instanceof ConflictError && error.field === 'down-state') return false;
      throw error;
    }
  }

  /** Commits without waiting; only for changes that may be lost in a crash. */
  behind(changes: readonly Change[]): void {
    const { log } = this.#options;
    this.inTime(changes).catch((error: unknown) => log.error({ error: String(error) }, 'commit failed'));
  }
}
