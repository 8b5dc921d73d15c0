/**
 * Connectors forward the messages of the devices with which they share a tag (cloud C-32 to C-35).
 *
 *   delivery core ── message and deliveries in one commit ──► store ──► dispatcher ──► attempt: job → script → request
 *
 * The deliveries of a message are stored before the message is acknowledged, so that a crash of the service loses none.
 * Delivery is at least once: attempts that were interrupted by a crash are repeated, by the same or by another service.
 */
import type { EdgeClock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { Random } from '../../kernel/random.js';
import { RealClock } from '../../kernel/real-clock.js';
import type { Forwarded, Forwarding } from '../interfaces/forwarding.js';
import type { Ids } from '../store/ids.js';
import type { Change, DeviceRow, Id, ListedMessage, Store, WaitingRow } from '../store/store.js';
import { Attempts, type Computed } from './attempt.js';
import type { Connector } from './connector.js';
import { type Delivery, putDelivery } from './delivery.js';
import { Directory } from './directory.js';
import { Dispatcher } from './dispatcher.js';
import type { Lookup } from './lookups.js';
import { Sandbox } from './sandbox/sandbox.js';
import { Sender } from './sender.js';

interface ConnectorsOptions {
  readonly store: Store;
  readonly clock: EdgeClock;
  readonly ids: Ids;
  readonly log: Log;
  /** Source of `Math.random` in scripts. */
  readonly random: Random;
  /** Whether connectors may send to private and loopback addresses. */
  readonly allowPrivate: boolean;
  /** Hosts with public addresses to which connectors may send. Default: all. */
  readonly hosts?: readonly string[] | undefined;
  /** Resolves host names. Default: the system's resolver. */
  readonly lookup?: Lookup | undefined;
}

/** Parts of a space's queue for scripts (store/fair-queue.ts) beside one for each connector. A part runs one script at a time. */
const PREVIEWS = 'previews';
const CHECKS = 'checks';

export class Connectors implements Forwarding {
  readonly #options: ConnectorsOptions;
  readonly #directory: Directory;
  readonly #sandbox: Sandbox;
  readonly #sender: Sender;
  readonly #attempts: Attempts;
  readonly #dispatcher: Dispatcher;

  constructor(options: ConnectorsOptions) {
    const { store, allowPrivate, hosts, lookup } = options;
    this.#options = options;
    // Scripts and requests take real time, also in a simulation, whose virtual clock is held while they run.
    const patience = new RealClock();
    this.#directory = new Directory(store);
    this.#sandbox = new Sandbox(patience);
    this.#sender = new Sender({ patience, allowPrivate, hosts, lookup });
    this.#attempts = new Attempts({ ...options, sandbox: this.#sandbox, sender: this.#sender });
    this.#dispatcher = new Dispatcher({ ...options, attempts: this.#attempts });
  }

  deliveries(device: DeviceRow, message: WaitingRow): Forwarded | Promise<Forwarded> {
    // Without an `await`, which would cost memory until the commit is durable: most devices have no tags.
    if (device.tagIds.length === 0) return { changes: [needRules(device, null)], isWanted: false };
    return this.#deliveries(device, message);
  }

  async #deliveries(device: DeviceRow, message: WaitingRow): Promise<Forwarded> {
    const { version, connectors } = await this.#directory.wanting(device, message);
    const deliveries = connectors.map((connector) => putDelivery(this.#newDelivery(connector, message)));
    return { changes: [needRules(device, version), ...deliveries], isWanted: deliveries.length > 0 };
  }

  wake(): void {
    this.#dispatcher.wake();
  }

  reconsider(spaceId: Id): Promise<void> {
    return this.#directory.reconsider(spaceId);
  }

  /** The request that the connector would send on the first attempt, computed with masked secure variables. Nothing is sent. */
  preview(connector: Connector, message: ListedMessage): Promise<Computed> {
    return this.#attempts.preview(connector, message, PREVIEWS);
  }

  /** Why the script is not valid; undefined if it is. Its top level runs, within the limits of a script; `main` is not called. */
  check(spaceId: Id, source: string): Promise<string | undefined> {
    return this.#attempts.check(spaceId, source, CHECKS);
  }

  /**
   * Starts no further attempts, and waits for running ones.
   * @param late when it is aborted, running attempts are aborted, and their deliveries stay due
   */
  async close(late?: AbortSignal): Promise<void> {
    const end = () => {
      this.#sender.close();
      return this.#sandbox.close();
    };
    const abandon = () => {
      this.#dispatcher.abandon();
      void end();
    };
    if (late?.aborted) abandon();
    late?.addEventListener('abort', abandon, { once: true });
    await this.#dispatcher.close();
    late?.removeEventListener('abort', abandon);
    await end();
  }

  #newDelivery(
    { id: connectorId, enablings = 0 }: Connector,
    { id: messageId, deviceId, spaceId }: WaitingRow,
  ): Delivery {
    const { ids, clock } = this.#options;
    const now = Math.floor(clock.wall);
    return {
      id: ids.uuid(),
      spaceId,
      connectorId,
      deviceId,
      messageId,
      createdAt: now,
      enabling: enablings,
      dueAt: now,
      state: 'pending',
      attempt: 0,
      log: [],
    };
  }
}

/** @param connectors version of the connectors; null: a device without tags has none */
function needRules({ id: deviceId, version, tagIds }: DeviceRow, connectors: number | null): Change {
  return { kind: 'rules.need', deviceId, version, tags: tagIds.length, connectors };
}
