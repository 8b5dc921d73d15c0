/** The port (interface) through which src/cloud/delivery passes messages to the connectors. */
import type { Change, DeviceRow, Id, WaitingRow } from '../store/store.js';

/** What belongs to the commit that stores a message, or marks a downlink as sent. */
export interface Forwarded {
  /** The message's deliveries, and that their rules still hold (`rules.need`). If not, {@link Forwarding.reconsider}, again. */
  readonly changes: readonly Change[];
  /** Whether there are deliveries: then call {@link Forwarding.wake} after the commit. */
  readonly isWanted: boolean;
}

export interface Forwarding {
  deliveries(device: DeviceRow, message: WaitingRow): Forwarded | Promise<Forwarded>;
  /** Notifies the connectors that deliveries have been committed. */
  wake(): void;
  /** Reads the connectors of the space again if they have changed. */
  reconsider(spaceId: Id): Promise<void>;
}
