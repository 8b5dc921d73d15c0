/** Cache of a space's enabled connectors. A commit demands its version (`rules.need`); `reconsider` reads them again. */
import { everyRecord } from '../store/records.js';
import type { DeviceRow, Id, Store, WaitingRow } from '../store/store.js';
import { type Connector, toConnector, wants } from './connector.js';

interface CachedSpace {
  readonly version: number;
  readonly connectors: readonly Connector[];
}

export class Directory {
  readonly #store: Store;
  readonly #spaces = new Map<Id, Promise<CachedSpace>>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The connectors that forward this message of this device, and the version of the connectors of its space. */
  async wanting(device: DeviceRow, message: WaitingRow): Promise<CachedSpace> {
    const { version, connectors } = await this.#cached(device.spaceId);
    return { version, connectors: connectors.filter((connector) => wants(connector, device, message)) };
  }

  /** Forgets the connectors of a space if they have changed. */
  async reconsider(spaceId: Id): Promise<void> {
    const known = this.#spaces.get(spaceId);
    if (known === undefined) return;
    const isCurrent = (await known).version === (await this.#store.connectorsVersion(spaceId));
    if (!isCurrent && this.#spaces.get(spaceId) === known) this.#spaces.delete(spaceId);
  }

  #cached(spaceId: Id): Promise<CachedSpace> {
    const known = this.#spaces.get(spaceId);
    if (known) return known;
    const reading = this.#read(spaceId);
    this.#spaces.set(spaceId, reading);
    reading.catch(() => {
      if (this.#spaces.get(spaceId) === reading) this.#spaces.delete(spaceId);
    });
    return reading;
  }

  async #read(spaceId: Id): Promise<CachedSpace> {
    // The version comes first: if a connector changes during the read, the version is outdated, and the commit is rejected.
    const version = await this.#store.connectorsVersion(spaceId);
    const connectors: Connector[] = [];
    for await (const row of everyRecord(this.#store, 'connector', spaceId)) {
      const connector = toConnector(row);
      if (connector.state === 'enabled') connectors.push(connector);
    }
    return { version, connectors };
  }
}
