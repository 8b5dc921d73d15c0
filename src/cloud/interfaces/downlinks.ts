/** The port (interface) through which the API queues downlinks; src/cloud/delivery implements it. */
import type { Change, DeviceRow, MessageRow, WaitingRow } from '../store/store.js';

/** A downlink as requested by a user (cloud C-28). */
export type DownlinkRequest =
  /** Lines `app config …`. The device applies and saves them, and then restarts without a further command. */
  | { readonly type: 'config'; readonly lines: readonly string[] }
  /** Shell command lines. */
  | { readonly type: 'shell'; readonly commands: readonly string[] }
  /** Values for the fields that the encoder of the device defines. */
  | { readonly type: 'data'; readonly body: Readonly<Record<string, unknown>> }
  /** Bytes for the application, in lower-case hex. They are sent unchanged, so no encoder is needed. */
  | { readonly type: 'data'; readonly raw: string };

/** Most pending downlinks of a device before users' ones are rejected. The cloud's own count, but are never rejected. */
export const LONGEST_QUEUE = 1000;

export interface Downlinks {
  /**
   * Appends a downlink to the device's queue; resolves with its row after the commit is durable.
   * @param along further changes for the same commit, written before the row
   * @param traceparent the span of the caller (kernel/trace-context.ts), kept as the detail of the station `queued`
   * @throws DownlinkRefused if the downlink can never be sent, or cannot be sent with the present firmware of the device
   * @throws ConflictError `queue` if {@link LONGEST_QUEUE} downlinks are pending
   */
  queue(
    device: DeviceRow,
    request: DownlinkRequest,
    along?: (row: MessageRow) => readonly Change[],
    traceparent?: string,
  ): Promise<MessageRow>;
  /** Expires the overdue downlinks among these messages. Returns true if there was at least one. */
  endOverdue(messages: readonly WaitingRow[]): Promise<boolean>;
  /** Removes a pending downlink from its queue; `not-pending` if it is already sent, cancelled or expired. */
  cancel(message: WaitingRow): Promise<'cancelled' | 'not-pending'>;
  /** Updates the cached state after the API has created, changed or deleted the device with this serial number. */
  forget(serial: number): Promise<void>;
  /** Called after the API has deleted the device; the deletion has cancelled these downlinks. */
  noteDeleted(device: DeviceRow, cancelled: readonly WaitingRow[]): Promise<void>;
}

/** `unsendable`: for example a field that the device's encoder lacks. `no-encoder`: the firmware has no encoder for data. */
type Refusal = 'unsendable' | 'no-encoder';

export class DownlinkRefused extends Error {
  readonly why: Refusal;

  /** @param sentence the reason, as shown to the user */
  constructor(sentence: string, why: Refusal = 'unsendable') {
    super(sentence);
    this.name = 'DownlinkRefused';
    this.why = why;
  }
}
