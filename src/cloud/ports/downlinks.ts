/** The port through which the API queues downlinks; the delivery core implements it. */
import type { Change, DeviceRow, MessageRow, WaitingRow } from '../store/store.js';

/** A downlink as requested by a user (cloud API, 3.6). */
export type DownlinkRequest =
  /** `app config …` lines; the device saves and restarts by itself. */
  | { readonly type: 'config'; readonly lines: readonly string[] }
  /** Shell command lines. */
  | { readonly type: 'shell'; readonly commands: readonly string[] }
  /** Fields of the device's own encoder. */
  | { readonly type: 'data'; readonly body: Readonly<Record<string, unknown>> };

/** Most downlinks that users may have pending for one device. Downlinks that the cloud creates by itself do not count. */
export const LONGEST_QUEUE = 1000;

export interface Downlinks {
  /**
   * Appends a downlink to the device's queue; resolves with its row after the commit is durable.
   * @param along further changes for the same commit, written before the row
   * @throws DownlinkRefused if the downlink can never be sent
   * @throws ConflictError `queue` if {@link LONGEST_QUEUE} downlinks are pending
   */
  queue(
    device: DeviceRow,
    request: DownlinkRequest,
    along?: (row: MessageRow) => readonly Change[],
  ): Promise<MessageRow>;
  /** Removes a pending downlink from its queue; `not-pending` if it is already sent, cancelled or expired. */
  cancel(message: WaitingRow): Promise<'cancelled' | 'not-pending'>;
  /** Drops the cached state of the device: the API has created, changed or deleted the device with this serial number. */
  forget(serial: number): Promise<void>;
}

/** A downlink that can never be sent, such as one with a field that the device's encoder does not define. */
export class DownlinkRefused extends Error {
  /** @param sentence the reason, as shown to the user */
  constructor(sentence: string) {
    super(sentence);
    this.name = 'DownlinkRefused';
  }
}
