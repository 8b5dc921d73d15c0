/** The port from the delivery core to the connectors. */
import type { Change, DeviceRow, WaitingRow } from '../store/store.js';

export interface Forwarding {
  /** Deliveries for the commit that stores an uplink or marks a downlink as sent, so that a crash loses none of them. */
  deliveries(device: DeviceRow, message: WaitingRow): readonly Change[] | Promise<readonly Change[]>;
  /** Notifies the connectors that deliveries have been committed. */
  wake(): void;
}
