/** The port (interface) through which src/cloud/delivery passes messages to the connectors. */
import type { Change, DeviceRow, WaitingRow } from '../store/store.js';

export interface Forwarding {
  /**
   * Changes that store which connectors have to forward the message. They belong to the commit that stores the uplink or marks
   * the downlink as sent, so that a crash loses no delivery.
   */
  deliveries(device: DeviceRow, message: WaitingRow): readonly Change[] | Promise<readonly Change[]>;
  /** Notifies the connectors that deliveries have been committed. */
  wake(): void;
}
