/** JSON of firmware images and updates in the REST API (cloud API gaps, 3.9). */
import type { IsoTime } from './types.js';

/** Metadata of an image. */
export interface FirmwareImage {
  readonly id: string;
  readonly bundle: string | null;
  readonly name: string | null;
  /** The `fw_version` that a device with this image reports in its session. */
  readonly version: string;
  /** Size in bytes. */
  readonly size: number;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
  readonly created_at: IsoTime;
}

export interface NewFirmwareImage {
  /** The image in base64, at least one byte. */
  readonly data: string;
  readonly name?: string;
  readonly bundle?: string;
  /** Required for an image that does not contain its version. */
  readonly version?: string;
}

/** `succeeded`, `cancelled` and `failed` are final. */
export type FirmwareState = 'scheduled' | 'downloading' | 'swapping' | 'succeeded' | 'cancelled' | 'failed';

export interface FirmwareUpdate {
  readonly id: string;
  readonly device_id: string;
  readonly firmware_id: string;
  readonly version: string;
  /** Size of the image in bytes. */
  readonly size: number;
  /** Bytes that the device has accepted. */
  readonly offset: number;
  readonly state: FirmwareState;
  /** Why the update failed, or `the device was removed`; null for all other updates. */
  readonly error: string | null;
  readonly scheduled_at: IsoTime;
  readonly updated_at: IsoTime;
  /** The states of the update so far, each with its start, in order of time. */
  readonly timeline: readonly { readonly state: FirmwareState; readonly at: IsoTime }[];
}
