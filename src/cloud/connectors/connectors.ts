/**
 * Connectors: they forward the messages of the devices with which they share a tag (cloud API gaps, section 6).
 *
 *   delivery core ── message and deliveries in one commit ──► store ──► dispatcher ──► attempt: job → script → request
 *
 * A message that is acknowledged has its deliveries stored, so nothing is left unforwarded, whatever happens to the service.
 * Delivery is at least once: what was under way when a service died is attempted again, by it or by another one.
 */
import type { Clock, EdgeClock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { Random } from '../../kernel/random.js';
import { RealClock } from '../../kernel/real-clock.js';
import { seconds } from '../../kernel/time.js';
import type { Forwarding } from '../ports/forwarding.js';
import type { Ids } from '../store/ids.js';
import type { Change, DeviceRow, Id, ListedMessage, Store, WaitingRow } from '../store/store.js';
import { Attempts, type Computed } from './attempt.js';
import type { Connector } from './connector.js';
import { type Delivery, putDelivery } from './delivery.js';
import { Directory } from './directory.js';
import { Dispatcher } from './dispatcher.js';
import type { Lookup } from './guard.js';
import { Sandbox } from './sandbox/sandbox.js';
import { Sender } from './sender.js';

export interface ConnectorsOptions {
  readonly store: Store;
  readonly clock: EdgeClock;
  readonly ids: Ids;
  readonly log: Log;
  /** What `Math.random` of the scripts draws from. */
  readonly random: Random;
  /** Also sends to private and loopback addresses. */
  readonly allowPrivate: boolean;
  /** Resolves names; left out: as the system does. */
  readonly lookup?: Lookup;
}

/** How long attempts that are under way may still take when the service closes. */
const LAST_ORDERS = seconds(10);
/** Whose scripts previews are: all together keep one thread busy at most, and deliveries have the rest. */
const PREVIEWS = 'previews';

export class Connectors implements Forwarding {
  readonly #options: ConnectorsOptions;
  readonly #patience: Clock;
  readonly #directory: Directory;
  readonly #sandbox: Sandbox;
  readonly #sender: Sender;
  readonly #attempts: Attempts;
  readonly #dispatcher: Dispatcher;

  constructor(options: ConnectorsOptions) {
    const { store, clock, allowPrivate, lookup } = options;
    this.#options = options;
    // Scripts and answers take real time, also in a simulation, whose own clock stands still meanwhile.
    const patience = new RealClock();
    this.#patience = patience;
    this.#directory = new Directory(store, clock);
    this.#sandbox = new Sandbox(patience);
    this.#sender = new Sender({ patience, allowPrivate, ...(lookup && { lookup }) });
    this.#attempts = new Attempts({ ...options, sandbox: this.#sandbox, sender: this.#sender });
    this.#dispatcher = new Dispatcher({ ...options, attempts: this.#attempts });
  }

  async deliveries(device: DeviceRow, message: WaitingRow): Promise<readonly Change[]> {
    const connectors = await this.#directory.wanting(device, message);
    return connectors.map(({ id }) => putDelivery(this.#newDelivery(id, message)));
  }

  wake(): void {
    this.#dispatcher.wake();
  }

  /** A connector of the space has been created, changed or deleted. */
  changed(spaceId: Id): void {
    this.#directory.forget(spaceId);
  }

  /** What the connector would send for the message, on its first attempt; nothing is sent. */
  preview(connector: Connector, message: ListedMessage): Promise<Computed> {
    return this.#attempts.compute(connector, message, 0, PREVIEWS);
  }

  /** Begins no more attempts, and waits for those under way, but not for long. */
  async close(): Promise<void> {
    const end = () => Promise.all([this.#sandbox.close(), this.#sender.close()]);
    const patience = this.#patience.after(LAST_ORDERS, 'attempts under way', () => {
      this.#dispatcher.abandon();
      void end();
    });
    await this.#dispatcher.close();
    patience.cancel();
    await end();
  }

  #newDelivery(connectorId: Id, { id: messageId, deviceId, spaceId }: WaitingRow): Delivery {
    const { ids, clock } = this.#options;
    const now = Math.floor(clock.wall);
    return {
      id: ids.uuid(),
      spaceId,
      connectorId,
      deviceId,
      messageId,
      createdAt: now,
      dueAt: now,
      state: 'pending',
      attempt: 0,
      log: [],
    };
  }
}
