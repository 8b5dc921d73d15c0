/** Firmware images and updates as they are on the wire (cloud API gaps, 3.9). */
import type { IsoTime } from './types.js';

/** What is told of an image. */
export interface FirmwareImage {
  readonly id: string;
  readonly bundle: string | null;
  readonly name: string | null;
  /** What a device tells in its session when it runs this image. */
  readonly version: string;
  /** In bytes. */
  readonly size: number;
  readonly sha256: string;
  readonly created_at: IsoTime;
}

export interface NewFirmwareImage {
  /** Base64. */
  readonly data: string;
  readonly name?: string;
  readonly bundle?: string;
  /** Needed for an image that does not tell its own. */
  readonly version?: string;
}

export type FirmwareState = 'scheduled' | 'downloading' | 'swapping' | 'succeeded' | 'cancelled' | 'failed';

export interface FirmwareUpdate {
  readonly id: string;
  readonly device_id: string;
  readonly firmware_id: string;
  readonly version: string;
  /** Of the image, in bytes. */
  readonly size: number;
  /** Bytes that the device has accepted. */
  readonly offset: number;
  readonly state: FirmwareState;
  /** Why it failed. */
  readonly error: string | null;
  readonly scheduled_at: IsoTime;
  readonly updated_at: IsoTime;
  /** The states that it has been through, and since when. */
  readonly timeline: readonly { readonly state: FirmwareState; readonly at: IsoTime }[];
}
