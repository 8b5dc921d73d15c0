/**
 * Offers downlinks to devices, and processes acknowledgements that arrive in separate requests.
 *
 * An offer is durable before its first byte is sent. The stored number of attempts shows whether a downlink was offered. So
 * every service on the store can reject the acknowledgement of a downlink that was never offered, also after a crash.
 */
import type { Clock } from '../../kernel/clock.js';
import { contentFingerprint } from '../../protocol/hashes.js';
import type { Trace } from '../../trace/events.js';
import { ConflictError, type Id, type Store, type WaitingRow } from '../store/store.js';
import { type DeviceSession, findNextDownlink, type QueuedDownlink } from './device-session.js';
import type { DeviceSessions } from './device-sessions.js';
import type { DownlinkStates } from './downlink-states.js';

interface OffersOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly trace: Trace;
  readonly states: DownlinkStates;
  readonly sessions: DeviceSessions;
  /** Returns the encoded downlink; undefined if it cannot be encoded and has been removed from the queue. */
  readonly pack: (session: DeviceSession, queued: QueuedDownlink) => Promise<Uint8Array | undefined>;
  /** Commits that the downlink is sent; false if it had already ended. */
  readonly confirm: (session: DeviceSession, queued: QueuedDownlink) => Promise<boolean>;
  /** Whether the lifetime of a downlink is over. */
  readonly isOverdue: (row: WaitingRow) => boolean;
}

/** Result of an acknowledgement: `sent` now or before. Refusals: no such downlink, never offered, or ended. */
export type AckResult = 'sent' | 'unknown' | 'not-offered' | 'cancelled' | 'expired';

export class Offers {
  readonly #options: OffersOptions;

  constructor(options: OffersOptions) {
    this.#options = options;
  }

  /** Encodes the next downlink and commits its offer; undefined if none can be delivered. */
  async offerNext(session: DeviceSession, isProven: boolean): Promise<Uint8Array | undefined> {
    const { clock, trace, pack, isOverdue } = this.#options;
    for (;;) {
      const queued = findNextDownlink(session, { isOverdue, isProven });
      if (queued === undefined) return undefined;
      const message = await pack(session, queued);
      if (message === undefined || !(await this.#commit(session, queued))) continue;
      session.inFlight = queued;
      const { serial } = session.device;
      const fingerprint = contentFingerprint(message);
      const [at, downlink, attempt] = [clock.now, queued.row.id, queued.attempt];
      trace.emit({ kind: 'downlink.offered', at, serial, downlink, print: fingerprint, attempt });
      return message;
    }
  }

  /** Commits that the device has stored the downlink with this id. */
  async acknowledge(session: DeviceSession, id: Id): Promise<AckResult> {
    const { store, sessions, confirm } = this.#options;
    if (sessions.shared) await sessions.refresh(session);
    for (;;) {
      const queued = session.queue.find(({ row }) => row.id === id);
      if (queued?.attempt === 0) return 'not-offered';
      if (queued && (await confirm(session, queued))) return 'sent';
      const row = await store.message(session.device.spaceId, id);
      if (row?.deviceId !== session.device.id || row.downState === null) return 'unknown';
      if (row.downState !== 'pending') return row.downState;
      // Another change of the downlink's state is being committed, or the queue of this service was outdated.
      await sessions.refresh(session);
    }
  }

  /** Commits the offer. False if the downlink ended or was offered elsewhere; the queue is then read again. */
  async #commit(session: DeviceSession, queued: QueuedDownlink): Promise<boolean> {
    const { store, states, sessions } = this.#options;
    const attempt = queued.attempt + 1;
    try {
      await store.commit(states.offer(queued.row, attempt));
    } catch (error) {
      const overtaken = error instanceof ConflictError && (error.field === 'down-state' || error.field === 'attempt');
      if (!overtaken) throw error;
      await sessions.refresh(session);
      return false;
    }
    queued.attempt = attempt;
    // The downlink may have been cancelled after the commit.
    return session.queue.includes(queued);
  }
}
