/**
 * The format of a recording: when devices sent uplinks, when downlinks were queued, and when they were delivered.
 *
 * The format itself excludes personal data: fields are numbers, or words of the vocabularies below. No field can contain a
 * serial number, a name, a token, an id or a body. The only free texts are the names of measured values (shape.ts) and the
 * reason `cut`.
 */
import { type Millis, minutes, type Seconds, type UnixMillis } from '../kernel/time.js';

/** Types of uplinks; an unknown type becomes `other` (cloud C-25: the list is open). */
export const UPLINK_TYPES = [
  'session',
  'data',
  'config',
  'decoder',
  'encoder',
  'shell',
  'firmware',
  'stats',
  'other',
] as const;
export type UplinkType = (typeof UPLINK_TYPES)[number];

export const DOWNLINK_TYPES = ['session', 'timestamp', 'data', 'shell', 'config', 'firmware', 'other'] as const;
export type DownlinkType = (typeof DOWNLINK_TYPES)[number];

/** Downlinks by which the cloud answers an uplink. It stores them with the uplink or right after it. */
export const ANSWERS: ReadonlySet<DownlinkType> = new Set(['session', 'timestamp']);

export const DOWNLINK_STATES = ['pending', 'sent', 'cancelled', 'expired'] as const;
type DownlinkState = (typeof DOWNLINK_STATES)[number];

/** A recording. Times of entries are milliseconds since `from`. */
export interface Recording {
  readonly from: UnixMillis;
  readonly until: UnixMillis;
  /** Speed of the time of the devices relative to real time. Intervals in configurations are in the time of the devices. */
  readonly speed: number;
  /** Why the recording covers less than the requested window; null if it covers the whole window. */
  readonly cut: string | null;
  /** The devices in the order of their first message, up or down. */
  readonly devices: readonly RecordedDevice[];
  /** Uplinks and downlinks, oldest first. */
  readonly uplinks: readonly RecordedUplink[];
  readonly downlinks: readonly RecordedDownlink[];
  readonly values: readonly ValueRange[];
}

export interface RecordedDevice {
  /** Pseudonym: `d1`, `d2`, … */
  readonly device: string;
  /** Packaged profile of its firmware; null for unknown firmware, or if the device had no session within the window. */
  readonly type: string | null;
  /** Firmware version in its last session, if the profile describes this version: `3.5.5`; null if it is not known. */
  readonly firmware: string | null;
}

export interface RecordedUplink {
  /** Number from 1, in the order in which the cloud stored the uplinks. */
  readonly n: number;
  /** When the cloud stored the uplink. */
  readonly at: Millis;
  readonly device: string;
  readonly type: UplinkType;
  /** Bytes of its body as JSON; of the raw body when it could not be decoded. */
  readonly size: number;
  /** Intervals of a `config` message, in the device's seconds; 0 is off; null if it has none. */
  readonly reportEvery: Seconds | null;
  readonly pollEvery: Seconds | null;
  /** Firmware version in a message of type `session`, if the profile describes this version; otherwise null. */
  readonly firmware: string | null;
}

export interface RecordedDownlink {
  /** Number from 1, in the order in which the downlinks were queued. */
  readonly n: number;
  /** When the downlink was queued. */
  readonly at: Millis;
  readonly device: string;
  readonly type: DownlinkType;
  /** Bytes of its body as JSON. */
  readonly size: number;
  /** When the downlink was due; null if the API does not show it. */
  readonly scheduled: Millis | null;
  readonly state: DownlinkState;
  /** When it left state `pending`; null if it is still pending. This time can be after the end of the window. */
  readonly ended: Millis | null;
  /** Number of times that the cloud offered it. */
  readonly attempts: number;
  /** Number of the uplink that answered it; null if it was not answered within the window. */
  readonly answer: number | null;
}

/** Range of the values of one name that a device has reported. */
export interface ValueRange {
  readonly device: string;
  /** Names from the root of the body, without list indices: `hygrometer.temperature.measurements.avg`. */
  readonly key: string;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

/** Maximum time from a delivery to its answer, which may follow a restart; a later uplink has another cause. */
const RESTART: Millis = minutes(10);

/** Whether an uplink at this time may answer the downlink. */
export function mayAnswer(at: Millis, { state, ended }: Pick<RecordedDownlink, 'state' | 'ended'>): boolean {
  return state === 'sent' && ended !== null && at >= ended && at - ended < RESTART;
}
