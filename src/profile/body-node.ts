/** What a body is made of, compiled: keys of the decoder, and what the firmware writes for each (see read-body.ts). */
import type { ParameterRef } from './parameters.js';

/** A key of the body with what belongs to it. `key` is the number in the decoder (wire protocol, 12.2). */
export type BodyNode =
  | { readonly kind: 'map'; readonly key: number; readonly children: readonly BodyNode[] }
  /** A list with one map for each sensor of these kinds that the device has, in the order of their numbers. */
  | {
      readonly kind: 'each';
      readonly key: number;
      readonly sensors: readonly number[];
      readonly children: readonly BodyNode[];
      /** Sensors without a sample are left out; without sensors not even the key is written. */
      readonly sparse: boolean;
    }
  | { readonly kind: 'fact'; readonly key: number; readonly fact: Fact }
  | { readonly kind: 'label'; readonly key: number; readonly label: Label }
  /** The last sample × `divide`, cut to an integer; null before the first. */
  | {
      readonly kind: 'last';
      readonly key: number;
      readonly sensor: number;
      readonly quantity: number;
      readonly divide: number;
    }
  /** Whether an input is on: 0 or 1. */
  | { readonly kind: 'state'; readonly key: number; readonly list: number }
  /** A counter's total since boot, or what came in since the last report. */
  | { readonly kind: 'total' | 'delta'; readonly key: number; readonly sensor: number; readonly quantity: number }
  /** The closed windows: time of the first, interval, values × `divide` (codec: `$tsp`). */
  | {
      readonly kind: 'windows';
      readonly key: number;
      readonly sensor: number;
      readonly quantity: number;
      readonly divide: number;
    }
  /** The samples of a log: a time, then offset and values × `divide` of each (codec: `$tso`). */
  | { readonly kind: 'log'; readonly key: number; readonly sensor: number; readonly divide: number }
  /** The samples of a log as a list of maps: a time, and each quantity × `divide` under its own key. */
  | { readonly kind: 'samples'; readonly key: number; readonly time: number; readonly columns: SampleColumns }
  /** About the last scan of the receiver. */
  | { readonly kind: 'scan'; readonly key: number; readonly fact: ScanFact }
  /**
   * The frames of the receiver, if the bool parameter `when` is `is`: strengths and frames in turn (codec: `$wmbus`), or a
   * map of both for each.
   */
  | {
      readonly kind: 'frames';
      readonly key: number;
      readonly when: ParameterRef;
      readonly is: boolean;
      readonly keys?: { readonly rssi: number; readonly data: number };
    }
  /** Which raw quantity a calibrated one is made of, as its place in the model's `of`. */
  | { readonly kind: 'calibration'; readonly key: number; readonly sensor: number }
  /** The recorded events: time of the first, then offset and type of each (codec: `$tso`); alarms add value × `divide`. */
  | {
      readonly kind: 'events';
      readonly key: number;
      readonly list: number;
      readonly divide: number;
      /** Without an event not even the key is written. */
      readonly optional: boolean;
    };

/** By index of the sensor: what is written for each of its quantities. */
export type SampleColumns = ReadonlyMap<number, readonly SampleColumn[]>;

export interface SampleColumn {
  readonly key: number;
  readonly divide: number;
  readonly float: boolean;
}

/** Seconds that a scan took, frames that it kept, meters on the list, scans since boot, and parts from 0. */
export const SCAN_FACTS = ['time', 'received', 'devices', 'cycle', 'part'] as const;
export type ScanFact = (typeof SCAN_FACTS)[number];

/** What the modem knows of its last connection. */
export const NETWORK_FACTS = ['eest', 'ecl', 'rsrp', 'rsrq', 'snr', 'plmn', 'cid', 'band', 'earfcn'] as const;
export type NetworkFact = (typeof NETWORK_FACTS)[number];

/** What the firmware says about itself, as `info` does. */
export const IDENTITY_FACTS = [
  'vendor_name',
  'product_name',
  'hw_variant',
  'hw_revision',
  'fw_version',
  'serial_number',
] as const;
export type IdentityFact = (typeof IDENTITY_FACTS)[number];

/** What the firmware knows without a sensor. */
export const FACTS = ['version', 'sequence', 'timestamp', 'uptime', ...NETWORK_FACTS, ...IDENTITY_FACTS] as const;
export type Fact = (typeof FACTS)[number];

/**
 * About the sensor of the enclosing `each`: its 1-Wire serial number, its number from 1 or from 0, its BLE address, and of a
 * device in a slot its address on the line, the number and the name of its type.
 */
export const LABELS = ['serial', 'channel', 'index', 'address', 'line_address', 'type', 'type_name'] as const;
export type Label = (typeof LABELS)[number];
