/**
 * What is kept of a space's history: who was heard when, what was queued when, and when it was delivered.
 *
 * It is scrubbed by its form: numbers, and words of vocabularies that are written down here. No field has room for a serial
 * number, a name, a token, an id or a body, so none can end up in a file. (The one kind of foreign text is the name of a
 * measured value, see shape.ts.)
 */
import type { Millis, Seconds, UnixMillis } from '../kernel/time.js';

/** Types of uplinks; one that is not known becomes `other` (device cloud API, "Message": the list is open). */
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

export const DOWNLINK_STATES = ['pending', 'sent', 'cancelled', 'expired'] as const;
type DownlinkState = (typeof DOWNLINK_STATES)[number];

/** Times of entries are milliseconds since `from`. */
export interface Recording {
  readonly from: UnixMillis;
  readonly until: UnixMillis;
  /** How many times as fast as the clock the devices' time passed: theirs are the intervals that they tell. */
  readonly speed: number;
  /** Why it does not reach back as far as it was to; null: it does. */
  readonly cut: string | null;
  /** In the order in which they were first heard, or first sent something. */
  readonly devices: readonly RecordedDevice[];
  /** Oldest first, as are the downlinks. */
  readonly uplinks: readonly RecordedUplink[];
  readonly downlinks: readonly RecordedDownlink[];
  readonly values: readonly ValueRange[];
}

export interface RecordedDevice {
  /** Pseudonym: `d1`, `d2`, … */
  readonly device: string;
  /** Name of the packaged profile with the firmware that it runs; null: none, or it told nothing within the window. */
  readonly type: string | null;
}

export interface RecordedUplink {
  /** From 1, in the order in which the cloud stored them. */
  readonly n: number;
  /** When the cloud stored it. */
  readonly at: Millis;
  readonly device: string;
  readonly type: UplinkType;
  /** Bytes of its body as JSON; of one that could not be decoded, its own bytes. */
  readonly size: number;
  /** Intervals that a message of type `config` told, in seconds of the device's time; 0 is off. */
  readonly reportEvery: Seconds | null;
  readonly pollEvery: Seconds | null;
}

export interface RecordedDownlink {
  /** From 1, in the order in which they were queued. */
  readonly n: number;
  /** When it was queued. */
  readonly at: Millis;
  readonly device: string;
  readonly type: DownlinkType;
  /** Bytes of its body as JSON. */
  readonly size: number;
  /** When it was due; null: the service did not say. */
  readonly scheduled: Millis | null;
  readonly state: DownlinkState;
  /** When it left state `pending`; null: it has not. Not before 0, but possibly after the end of the window. */
  readonly ended: Millis | null;
  /** How often it was offered. */
  readonly attempts: number;
  /** Number of the uplink that answered it; null: none, or not within the window. */
  readonly answer: number | null;
}

/** What values of one name a device has reported. */
export interface ValueRange {
  readonly device: string;
  /** Names from the root of the body, those of lists left out: `hygrometer.temperature.measurements.avg`. */
  readonly key: string;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}
