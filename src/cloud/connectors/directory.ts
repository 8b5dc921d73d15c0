/** The connectors of each space, remembered: every uplink asks for them. */
import type { Clock } from '../../kernel/clock.js';
import { type Instant, seconds } from '../../kernel/time.js';
import { everyRecord } from '../store/records.js';
import type { DeviceRow, Id, Store, WaitingRow } from '../store/store.js';
import { type Connector, toConnector, wants } from './connector.js';

/** Another service on the same database may have changed a connector: that comes into effect here after this time. */
const SHARED_LIFETIME = seconds(5);

interface Entry {
  readonly readAt: Instant;
  readonly enabled: Promise<readonly Connector[]>;
}

export class Directory {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #entries = new Map<Id, Entry>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The connectors that forward this message of this device. */
  async wanting(device: DeviceRow, message: WaitingRow): Promise<readonly Connector[]> {
    if (device.tagIds.length === 0) return [];
    const enabled = await this.#enabled(device.spaceId);
    return enabled.filter((connector) => wants(connector, device, message));
  }

  forget(spaceId: Id): void {
    this.#entries.delete(spaceId);
  }

  #enabled(spaceId: Id): Promise<readonly Connector[]> {
    const known = this.#entries.get(spaceId);
    const { now } = this.#clock;
    if (known && (this.#store.nodes === undefined || now - known.readAt < SHARED_LIFETIME)) return known.enabled;
    const entry = { readAt: now, enabled: this.#read(spaceId) };
    this.#entries.set(spaceId, entry);
    entry.enabled.catch(() => {
      if (this.#entries.get(spaceId) === entry) this.#entries.delete(spaceId);
    });
    return entry.enabled;
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
