/** Cache of the enabled connectors of each space, which are needed for every message. */
import type { Clock } from '../../kernel/clock.js';
import { type Instant, seconds } from '../../kernel/time.js';
import { everyRecord } from '../store/records.js';
import type { DeviceRow, Id, Store, WaitingRow } from '../store/store.js';
import { type Connector, toConnector, wants } from './connector.js';

/** Lifetime of a cached space if several services share the database: another service may have changed a connector. */
const SHARED_LIFETIME = seconds(5);

interface CachedSpace {
  readonly readAt: Instant;
  readonly enabled: Promise<readonly Connector[]>;
}

export class Directory {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #spaces = new Map<Id, CachedSpace>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The connectors that forward this message of this device. */
  async wanting(device: DeviceRow, message: WaitingRow): Promise<readonly Connector[]> {
    const enabled = await this.#enabled(device.spaceId);
    return enabled.filter((connector) => wants(connector, device, message));
  }

  forget(spaceId: Id): void {
    this.#spaces.delete(spaceId);
  }

  #enabled(spaceId: Id): Promise<readonly Connector[]> {
    const known = this.#spaces.get(spaceId);
    const { now } = this.#clock;
    if (known && (this.#store.nodes === undefined || now - known.readAt < SHARED_LIFETIME)) return known.enabled;
    const cached = { readAt: now, enabled: this.#read(spaceId) };
    this.#spaces.set(spaceId, cached);
    cached.enabled.catch(() => {
      if (this.#spaces.get(spaceId) === cached) this.#spaces.delete(spaceId);
    });
    return cached.enabled;
  }

  async #read(spaceId: Id): Promise<readonly Connector[]> {
    const enabled: Connector[] = [];
    for await (const row of everyRecord(this.#store, 'connector', spaceId)) {
      const connector = toConnector(row);
      if (connector.state === 'enabled') enabled.push(connector);
    }
    return enabled;
  }
}
