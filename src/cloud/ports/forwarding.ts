/** The port from the delivery core to the connectors. */
import type { Change, DeviceRow, WaitingRow } from '../store/store.js';

export interface Forwarding {
  /** Deliveries for the commit that stores the message, so that every acknowledged message is forwarded. */
  deliveries(device: DeviceRow, message: WaitingRow): readonly Change[] | Promise<readonly Change[]>;
  /** Notifies the connectors that deliveries have been committed. */
  wake(): void;
}
