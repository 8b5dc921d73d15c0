/**
 * A device type: the checked and compiled content of a file in profiles/ (see read.ts). It is built once, shared by all devices
 * of the type, and never changes.
 *
 * References between its parts (a task's sensors, a body value's sensor) are indices, because a fleet follows them millions of
 * times. The reader has checked them.
 */

import type { Ratio } from '../kernel/ratio.js';
import type { Millis } from '../kernel/time.js';
import type { Dbm } from '../kernel/units.js';
import type { Codec } from '../protocol/codec.js';
import type { BodyNode } from './body-node.js';
import type { CommandWord } from './command-words.js';
import type { ModelSpec } from './models.js';
import type { ModuleSpec, ParameterRef } from './parameters.js';

export * from './body-node.js';
export type { ParameterRef } from './parameters.js';

export interface Profile {
  /** Name of its file without `.yaml`: `clime`. */
  readonly name: string;
  /** Name for users: `CHESTER Clime`. */
  readonly title: string;
  readonly identity: Identity;
  /** The family of its firmware, which has its own rules for the contact with the cloud. */
  readonly family: FamilyName;
  /** All firmware versions of the device type; this profile is one of them. */
  readonly firmware: FirmwareVersions;
  /** The backup supply module (CHESTER-Z); undefined if the device type has none. */
  readonly supplyModule?: SupplyModule | undefined;
  /** Undefined for a build without a bootloader, which cannot be updated over the air. */
  readonly bootloader?: BootloaderSpec | undefined;
  /** `message.version` of every body. */
  readonly messageVersion: number;
  /** Largest message either way, in bytes (wire W-21). */
  readonly transferBuffer: number;
  /** Root words of the shell (shell S-8). */
  readonly commands: readonly CommandWord[];
  /**
   * Shell lines that the vendor recommends for setup. With the defaults alone, most device types never connect to the cloud.
   */
  readonly setup: readonly string[];
  /** In the order of `config show`. Always includes the module `app`, the parameters of the application. */
  readonly modules: readonly ModuleSpec[];
  readonly timing: Timing;
  /** Actions of the button on the board: for a single click, a double click, and so on. */
  readonly clicks: readonly (readonly ClickAction[])[];
  /** A receiver of frames from meters around the device; undefined if the device type has none. */
  readonly receiver?: ReceiverSpec | undefined;
  /** Limits of the serial line; undefined without one, or if every slot may hold a device. */
  readonly serialLine?: SerialLineSpec | undefined;
  /** The codec with which the cloud decodes the bodies of this device. */
  readonly decoder: Codec;
  /** The codec with which the cloud encodes data downlinks; undefined if the device type accepts none. */
  readonly encoder?: Codec | undefined;
  readonly sensors: readonly SensorSpec[];
  readonly eventLists: readonly EventListSpec[];
  /** Tasks that are due at the same time run in this order. */
  readonly tasks: readonly TaskSpec[];
  /** The content of an uplink body, in the order in which the firmware writes it. */
  readonly body: readonly BodyNode[];
}

/** Families of firmware: that of CHESTER, and that of the devices built with the hio SDK. */
export const FAMILIES = ['chester', 'hio'] as const;
export type FamilyName = (typeof FAMILIES)[number];

export interface FirmwareVersions {
  /** Without the leading `v`, the oldest first: `['3.5.5', '4.0.0']`. */
  readonly names: readonly string[];
  /**
   * The device type with another firmware.
   * @param version with or without a leading `v`
   * @returns undefined for a version that the profile does not describe
   * @throws InputError if the profile describes that version wrongly
   */
  with(version: string): Profile | undefined;
}

/** Actions of the button on the board (behaviour B-31). */
export const CLICK_ACTIONS = ['send', 'sample', 'aggregate', 'poll', 'scan', 'reboot'] as const;
export type ClickAction = (typeof CLICK_ACTIONS)[number];

/** Identity that the device reports in a session and in `info` (wire W-47; shell S-20). */
export interface Identity {
  readonly vendorName: string;
  readonly productName: string;
  readonly hwVariant: string;
  readonly hwRevision: string;
  readonly fwBundle: string;
  readonly fwName: string;
  readonly fwVersion: string;
  /** Firmware of the LTE modem: `mfw_nrf91x1_2.0.2`. */
  readonly modemFirmware: string;
}

/** Numbers as `backup status` prints them; a session writes them as `R1.4`, `0x0001` and `v1.2.0` (wire W-47). */
export interface SupplyModule {
  /** 16 bits: major and minor, a byte each. */
  readonly hwRevision: number;
  readonly hwVariant: number;
  /** 32 bits: major, minor, patch and a spare byte. */
  readonly fwVersion: number;
}

/** Firmware updates over the air (wire W-59). */
interface BootloaderSpec {
  /** Largest image, in bytes. */
  readonly slotSize: number;
}

/** A serial line that takes fewer devices than there are slots. */
export interface SerialLineSpec {
  /** Name of the line in the error that rejects more devices: `RS-232`. */
  readonly name: string;
  readonly devices: number;
}

/** Intervals and delays of the application (behaviour B-18). */
export interface Timing {
  /** Delay of the first report after the application's start; undefined without one. */
  readonly firstReport?: Millis | undefined;
  /** Share of the report interval by which the next report may come earlier or later. */
  readonly jitter: Ratio;
  /** Parameter with the report interval, in seconds; undefined if there are no periodic reports. */
  readonly reportEvery?: ParameterRef | undefined;
  /** Parameter with the poll interval, in seconds; undefined if there are no periodic polls. */
  readonly pollEvery?: ParameterRef | undefined;
  /** Parameter with the silence of the cloud, in seconds, after which the device reboots (0: never); undefined without one. */
  readonly downlinkWatchdog?: ParameterRef | undefined;
  /** Timeout of the hardware watchdog once the firmware stops feeding it; default 120 s (behaviour B-5). */
  readonly hardwareWatchdog?: Millis | undefined;
  /** Parameter with the delay of an event report, in seconds. Undefined, like `eventRate`, if the device type has no events. */
  readonly eventDelay?: ParameterRef | undefined;
  /** Parameter with the maximum number of event reports in an hour. */
  readonly eventRate?: ParameterRef | undefined;
  /** Parameter with the radio: `none`, `lte` or `lrw`. If undefined, the device always uses `lte`. */
  readonly mode?: ParameterRef | undefined;
  /** Parameter with the longest duration of a report, in seconds; undefined without a limit (timing T-26). */
  readonly sendTimeout?: ParameterRef | undefined;
  /** Whether windows and events survive a failed send (behaviour B-19). */
  readonly onSendFailure: 'keep' | 'drop';
  /** Parameter with the capacity of the spool in flash; undefined without a spool (timing T-29). */
  readonly spoolSize?: ParameterRef | undefined;
}

/** A kind of sensor, which measures one quantity or several at a time. */
export interface SensorSpec {
  readonly name: string;
  /** Maximum number of such sensors in a device: probes on a bus, inputs, tag slots. Numbered from 0 here, from 1 for users. */
  readonly count: number;
  /** Decides at boot which of these sensors a device has; undefined if it has all. */
  readonly present?: Presence;
  /** How the firmware aggregates samples; undefined if it uses only the last sample. */
  readonly windows?: WindowSpec | undefined;
  /** Whether the quantities of the sensor are running totals, whose increments the firmware counts. */
  readonly counter: boolean;
  readonly quantities: readonly QuantitySpec[];
}

/** A condition on the configuration under which a device has the n-th sensor of a kind. */
export type Presence =
  /** Parameter `<name>-<n>` has the value `is`: the inputs of Control. */
  | { readonly kind: 'parameter'; readonly ref: ParameterRef; readonly is: string }
  /** Parameter `<name>-<n>` is true: the channels of Current. */
  | { readonly kind: 'flag'; readonly ref: ParameterRef }
  /** Slot n of `module` holds an address, and the parameter `enabled` is true: BLE tags. */
  | { readonly kind: 'slot'; readonly module: string; readonly enabled: ParameterRef }
  /** The parameter has one of the values `is`, for all sensors of a kind: the weather station of Meteo M. */
  | { readonly kind: 'setting'; readonly ref: ParameterRef; readonly is: readonly string[] }
  /** Parameter `<name>-<n>`, n from 0, holds a device of type `is`: devices on the serial line of Serial. */
  | { readonly kind: 'device'; readonly ref: ParameterRef; readonly is: string };

/** A quantity that a sensor measures. */
export interface QuantitySpec {
  readonly name: string;
  /** `°C`; empty for a quantity without a unit. */
  readonly unit: string;
  /** Range of plausible values; infinite if the profile gives no range. Model values are inside. */
  readonly min: number;
  readonly max: number;
  /** While this bool parameter is false, the quantity is null. If undefined, the quantity is always measured. */
  readonly enabled?: ParameterRef;
  /** Whether lists of samples have it as a single-precision number instead of an integer. */
  readonly float: boolean;
  /** Whether the firmware reads the quantity once at the end of a window, instead of with each sample. */
  readonly atWindow: boolean;
  readonly model: ModelSpec;
}

/**
 * How the firmware aggregates the samples of a sensor until the next report (behaviour B-11, B-12). A window has the results
 * for the samples of one interval. When a buffer for samples or windows is full, newer values are dropped.
 */
export interface WindowSpec {
  /**
   * `statistics`: min, max, average and median of the samples. `direction`: their vector mean, in whole degrees. `count`: the
   * total and its increment. `total`: only the total. `amount`: the increment × `each`. `log`: no windows; every sample is
   * reported with its time. A sample of a counter is the increment since the previous sample.
   */
  readonly kind: 'statistics' | 'direction' | 'count' | 'total' | 'amount' | 'log';
  /** Samples that fit into a window or log; 0 when pulses are counted. */
  readonly samples: number;
  /** Windows that are kept until a report; 0 for a log. */
  readonly windows: number;
  /** Effect of a failed reading. `spoils`: the whole window is null; `unchecked`: NaN is aggregated; `skipped`: no sample. */
  readonly missing: 'spoils' | 'unchecked' | 'skipped';
  /** Value of one pulse of an `amount`; otherwise 1. */
  readonly each: number;
  /** Whether a report dates its windows by the last window instead of the first. This is an error of the firmware. */
  readonly datedByLast?: boolean;
  /** In a `log` of counters: quantities whose increment restarts with every report, even if the report fails. */
  readonly restarts?: readonly string[];
}

/** A list of events that the next report carries (behaviour B-25). */
export type EventListSpec = EdgeListSpec | AlarmListSpec | PressListSpec;

interface EventList {
  readonly name: string;
  /** Index of the sensor; each sensor of that kind has its own list. */
  readonly sensor: number;
  readonly quantity: number;
  /** Maximum number of events in the list; further events are neither recorded nor reported. */
  readonly capacity: number;
}

/** An input, on or off. A change is recorded at once, and reported if the new state's parameter is true. */
export interface EdgeListSpec extends EventList {
  readonly kind: 'edge';
  /** The input is on while the quantity is above this. */
  readonly above: number;
  readonly reportOn: ParameterRef;
  readonly reportOff: ParameterRef;
}

/** A high or a low alarm with hysteresis, or both, evaluated at every sample. Off: neither recorded nor reported. */
export interface AlarmListSpec extends EventList {
  readonly kind: 'alarm';
  readonly high: AlarmSpec | undefined;
  readonly low: AlarmSpec | undefined;
}

/** A button: presses are counted, recorded and reported; with a full list, neither counted nor recorded. */
export interface PressListSpec extends EventList {
  readonly kind: 'press';
  /**
   * Parameter with the period of the sensor's windows, in seconds. If it is defined, presses are counted but not recorded as
   * events. Each press closes a window, and the device reports at once, without event delay and rate limit.
   */
  readonly period?: ParameterRef | undefined;
  /** Indices of the quantities that count the presses, one for each type of event; `quantity` is the first of them. */
  readonly types: readonly number[];
}

export interface AlarmSpec {
  readonly threshold: ParameterRef;
  readonly hysteresis: ParameterRef;
  readonly report: ParameterRef;
}

/** A radio receiver of meter frames: scans from time to time, and reports after each scan (behaviour B-22). */
export interface ReceiverSpec {
  readonly scan: ScanSpec;
  /** The module with the list of meters whose frames are kept; an empty list keeps all. */
  readonly keep: string;
  /** Maximum number of frames that a scan keeps. */
  readonly capacity: number;
  /** Maximum number of frames in one report; the device sends further reports for the rest. */
  readonly perReport: number;
  /** The meters in range. */
  readonly around: MetersSpec;
}

/** Parameters for the start and duration of a scan. */
export interface ScanSpec {
  /** `off`, `interval`, `daily`, `weekly` or `monthly`. */
  readonly mode: ParameterRef;
  /** Seconds, in mode `interval`. */
  readonly every: ParameterRef;
  /** Hour (UTC), weekday (Monday is 1) and day of the month of the other modes. */
  readonly hour: ParameterRef;
  readonly weekday: ParameterRef;
  readonly day: ParameterRef;
  /** Seconds for each antenna. */
  readonly lasts: ParameterRef;
  /** `single` or `dual`. */
  readonly antennas: ParameterRef;
}

/** Meters around every device, besides those on its list. */
export interface MetersSpec {
  readonly count: number;
  /** The shortest and the longest time from one frame of a meter to the next. */
  readonly every: readonly [Millis, Millis];
  /** Signal strengths of the weakest and of the strongest meter, in dBm. */
  readonly rssi: readonly [Dbm, Dbm];
  /** Share of the meters that an antenna does not receive; drawn for each antenna separately. */
  readonly unheard: Ratio;
}

/** A periodic task of the application. */
export interface TaskSpec {
  readonly kind: 'sample' | 'aggregate';
  /** Name for messages and for clock alarms: `sample hygrometer`. */
  readonly what: string;
  readonly sensors: readonly number[];
  /** A fixed interval, or the parameter with the interval in seconds. */
  readonly every: Millis | ParameterRef;
  /** Delay of the first run after the start of the application (behaviour B-10). Default: one interval. */
  readonly first?: Millis | undefined;
  /** Whether the shell's `sample` or `aggreg` runs it at once. */
  readonly onRequest: boolean;
}
