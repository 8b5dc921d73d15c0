/**
 * What every part of the cloud is given. The API, the gateways and the delivery core share one of these; nobody reaches
 * for a global.
 */
import type { Clock } from '../kernel/clock.js';
import type { Random } from '../kernel/random.js';
import type { Connectors } from './connectors/connectors.js';
import type { Image, Images } from './firmware/images.js';
import type { UpdateJob } from './firmware/job.js';
import type { Change, DeviceRow, Id, MessageRow, Store, WaitingRow } from './store/store.js';

export interface CloudContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  /** For secrets: keys, tokens, salts. */
  readonly random: Random;
  readonly downlinks: Downlinks;
  readonly firmware: FirmwareUpdates;
  readonly connectors: Connectors;
  readonly log: Log;
}

/** Makes ids; see ids.ts. */
export interface Ids {
  /** A new UUID, version 7, greater than every one that this source gave before. */
  uuid(): Id;
}

/** What a user asks to be sent to a device (cloud API, 3.6). */
export type DownlinkRequest =
  /** `app config …` lines; the device saves and restarts by itself. */
  | { readonly type: 'config'; readonly lines: readonly string[] }
  /** Shell command lines. */
  | { readonly type: 'shell'; readonly commands: readonly string[] }
  /** Fields of the device's own encoder. */
  | { readonly type: 'data'; readonly body: Readonly<Record<string, unknown>> };

/** So many downlinks may wait for a device; those that the cloud makes by itself come on top. */
export const LONGEST_QUEUE = 1000;

/** The port from the API to the delivery core. */
export interface Downlinks {
  /**
   * Puts a downlink at the end of the device's queue; resolves with its row once that is durable.
   * @param along what is to be written before the row, in the same commit
   * @throws DownlinkRefused when it can never be sent; ConflictError `queue` when {@link LONGEST_QUEUE} wait already
   */
  queue(
    device: DeviceRow,
    request: DownlinkRequest,
    along?: (row: MessageRow) => readonly Change[],
  ): Promise<MessageRow>;
  /** Takes a pending downlink out of its queue; `not-pending` when it was sent, cancelled or expired before. */
  cancel(message: WaitingRow): Promise<'cancelled' | 'not-pending'>;
  /** The API has created, changed or deleted the device with this serial number: what is remembered of it is stale. */
  forget(serial: number): Promise<void>;
}

/** The port from the API to firmware updates. */
export interface FirmwareUpdates {
  readonly images: Images;
  /**
   * Begins an update.
   * @param along what is to be written before it, in the same commit
   * @throws ConflictError while another update of the device is open
   */
  schedule(device: DeviceRow, image: Image, along?: (job: UpdateJob) => readonly Change[]): Promise<UpdateJob>;
  /** Ends an update; `too-late` once the device swaps its images, or when it has ended. */
  cancel(job: UpdateJob): Promise<'cancelled' | 'too-late'>;
  /** What ends the update of a device that is removed, to be written together with its removal. */
  whenRemoved(device: DeviceRow): Promise<readonly Change[]>;
}

/** The port from the delivery core to the connectors. */
export interface Forwarding {
  /** What has to be written in the same commit as the message, so that nothing acknowledged is left unforwarded. */
  deliveries(device: DeviceRow, message: WaitingRow): Promise<readonly Change[]>;
  /** Deliveries have been written. */
  wake(): void;
}

/** A downlink that can never be sent, such as a field that the device's encoder does not have. Its message says why. */
export class DownlinkRefused extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'DownlinkRefused';
  }
}

/** The sliver of a pino logger that the cloud uses. Claim tokens and API keys are never given to it. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
