/** The compiled `body` of a profile: keys of the decoder, and the value that the firmware writes for each (read-body.ts). */
import type { ParameterRef } from './parameters.js';

/** A key of the body with the source of its value. `key` is its number in the decoder (wire W-63). */
export type BodyNode =
  | {
      readonly kind: 'map';
      readonly key: number;
      readonly children: readonly BodyNode[];
      /** A device writes the key only if it has this sensor. If undefined, every device writes it. */
      readonly needs?: number | undefined;
    }
  /** A list with one map for each sensor of these kinds that the device has, in the order of the sensor numbers. */
  | {
      readonly kind: 'each';
      readonly key: number;
      readonly sensors: readonly number[];
      readonly children: readonly BodyNode[];
      /** Whether to omit sensors without a sample, and to omit the key if the device has no sensor of these kinds. */
      readonly sparse: boolean;
    }
  | { readonly kind: 'fact'; readonly key: number; readonly fact: Fact }
  | { readonly kind: 'label'; readonly key: number; readonly label: Label }
  /** The last sample × `divide`, cut to an integer; null before the first sample. */
  | {
      readonly kind: 'last';
      readonly key: number;
      readonly sensor: number;
      readonly quantity: number;
      readonly divide: number;
    }
  /** Whether an input is on: 0 or 1. */
  | { readonly kind: 'state'; readonly key: number; readonly list: number }
  /** A counter's total since boot, or its increment since the last report. */
  | { readonly kind: 'total' | 'delta'; readonly key: number; readonly sensor: number; readonly quantity: number }
  /** The closed windows of samples (`WindowSpec`): time of the first, interval, values × `divide` (codec: `$tsp`). */
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
  /** A fact about the last scan of the receiver. */
  | { readonly kind: 'scan'; readonly key: number; readonly fact: ScanFact }
  /** The receiver's frames if the parameter `when` is `is`: strengths and frames alternating (`$wmbus`), or maps of both. */
  | {
      readonly kind: 'frames';
      readonly key: number;
      readonly when: ParameterRef;
      readonly is: boolean;
      readonly keys?: { readonly rssi: number; readonly data: number };
    }
  /** Which raw quantity the calibrated quantity is computed from: its position in the list `of` of the model, from 0. */
  | { readonly kind: 'calibration'; readonly key: number; readonly sensor: number }
  /** The recorded events: time of the first, then offset and type of each (codec: `$tso`); alarms add value × `divide`. */
  | {
      readonly kind: 'events';
      readonly key: number;
      readonly list: number;
      readonly divide: number;
      /** Whether to omit the key if there are no events. */
      readonly optional: boolean;
    };

/** The columns of each sensor, by its index. A column says how the value of a quantity is written. */
export type SampleColumns = ReadonlyMap<number, readonly SampleColumn[]>;

export interface SampleColumn {
  readonly key: number;
  readonly divide: number;
  readonly float: boolean;
}

/**
 * `time`: seconds that the scan took. `received`: frames that it kept. `devices`: meters on the list. `cycle`: scans since
 * boot. `part`: number of the part, from 0.
 */
export const SCAN_FACTS = ['time', 'received', 'devices', 'cycle', 'part'] as const;
export type ScanFact = (typeof SCAN_FACTS)[number];

/** Values of the modem's last connection evaluation. */
export const NETWORK_FACTS = ['eest', 'ecl', 'rsrp', 'rsrq', 'snr', 'plmn', 'cid', 'band', 'earfcn'] as const;
export type NetworkFact = (typeof NETWORK_FACTS)[number];

/** Identity of the device, as in `info`. */
export const IDENTITY_FACTS = [
  'vendor_name',
  'product_name',
  'hw_variant',
  'hw_revision',
  'fw_version',
  'serial_number',
] as const;
export type IdentityFact = (typeof IDENTITY_FACTS)[number];

/** Values that do not come from a sensor. */
export const FACTS = ['version', 'sequence', 'timestamp', 'uptime', ...NETWORK_FACTS, ...IDENTITY_FACTS] as const;
export type Fact = (typeof FACTS)[number];

/**
 * Facts about the sensor of the enclosing `each`. `serial`: 1-Wire serial number. `channel`: number of the sensor from 1.
 * `index`: the same from 0. `address`: address of a BLE tag. `line_address`: address on the serial line. `type` and
 * `type_name`: number and name of the device type on the serial line.
 */
export const LABELS = ['serial', 'channel', 'index', 'address', 'line_address', 'type', 'type_name'] as const;
export type Label = (typeof LABELS)[number];
