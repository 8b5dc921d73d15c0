/**
 * A device type, read, checked and compiled: what every virtual device of that type has in common. It is made once from
 * a file in profiles/ (see read.ts) and shared by all devices; nothing in it ever changes and nothing in it belongs to
 * one device.
 *
 * References between the parts (a task's sensors, a body value's sensor) are indices into the lists of the profile: the
 * reader has checked them, and a fleet follows them millions of times.
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
  /** For people: `CHESTER Clime`. */
  readonly title: string;
  readonly identity: Identity;
  /** All firmware versions of the device type; this profile is one of them. */
  readonly firmware: FirmwareVersions;
  /** The backup supply module (CHESTER-Z); left out when the device type has none. */
  readonly supplyModule?: SupplyModule;
  /** Left out: a build without a bootloader, which cannot be updated over the air. */
  readonly bootloader?: BootloaderSpec;
  /** `message.version` of every body. */
  readonly messageVersion: number;
  /** Largest message either way, in bytes (wire protocol, 13). */
  readonly transferBuffer: number;
  /** Root words of the shell (firmware shell, 2). */
  readonly commands: readonly CommandWord[];
  /** Shell lines that the vendor suggests for a first set-up; without them most device types never talk. */
  readonly setup: readonly string[];
  /** In the order of `config show`. The module `app` is always there: the application's own parameters. */
  readonly modules: readonly ModuleSpec[];
  readonly timing: Timing;
  /** What clicks of the button on the board do: first a single click, then a double one, and so on. */
  readonly clicks: readonly (readonly ClickAction[])[];
  /** A receiver of frames from meters around the device; left out: none. */
  readonly receiver?: ReceiverSpec;
  /** What the cloud decodes this device's bodies with. */
  readonly decoder: Codec;
  /** What the cloud encodes data downlinks with; only some device types take any. */
  readonly encoder?: Codec;
  readonly sensors: readonly SensorSpec[];
  readonly eventLists: readonly EventListSpec[];
  /** In the order in which tasks that are due together run. */
  readonly tasks: readonly TaskSpec[];
  /** What the firmware writes into an uplink body, in the order in which it writes. */
  readonly body: readonly BodyNode[];
}

/** The firmware versions in which a device type can be had. */
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

/** What the button on the board can be for (firmware behaviour, 7). */
export const CLICK_ACTIONS = ['send', 'sample', 'aggregate', 'poll', 'scan', 'reboot'] as const;
export type ClickAction = (typeof CLICK_ACTIONS)[number];

/** What the device says about itself in a session and in `info` (wire protocol, 7.1; firmware shell, 4). */
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

/** Numbers as `backup status` prints them; a session writes them as `R1.4`, `0x0001` and `v1.2.0` (wire protocol, 7.1). */
export interface SupplyModule {
  /** 16 bits: major and minor, a byte each. */
  readonly hwRevision: number;
  readonly hwVariant: number;
  /** 32 bits: major, minor, patch and a spare byte. */
  readonly fwVersion: number;
}

/** Firmware updates over the air (wire protocol, 11). */
interface BootloaderSpec {
  /** Largest image, in bytes. */
  readonly slotSize: number;
}

/** When the application does what (firmware behaviour, 3.1). */
export interface Timing {
  /** The first report comes this long after the start of the application; left out: none comes by itself. */
  readonly firstReport?: Millis;
  /** Share of the report interval by which the next report may come earlier or later. */
  readonly jitter: Ratio;
  /** The parameters that hold the intervals, in seconds, and the radio mode. Left out: no reports by the clock. */
  readonly reportEvery?: ParameterRef;
  /** Left out: no polls by the clock. */
  readonly pollEvery?: ParameterRef;
  /** Silence from the cloud after which the device reboots, in seconds; 0 is off, and so is leaving it out. */
  readonly downlinkWatchdog?: ParameterRef;
  /** Timeout of the hardware watchdog once the firmware stops feeding it; default 120 s (firmware behaviour, 8). */
  readonly hardwareWatchdog?: Millis;
  /** Left out, like the rate, when there are no events. */
  readonly eventDelay?: ParameterRef;
  /** Event reports in an hour. */
  readonly eventRate?: ParameterRef;
  /** `none`, `lte` or `lrw`; left out: always `lte`. */
  readonly mode?: ParameterRef;
  /** How long a report may take, in seconds; left out: without limit (firmware behaviour, 3.3). */
  readonly sendTimeout?: ParameterRef;
  /** Whether windows and events survive a failed send (firmware behaviour, 3.3). */
  readonly onSendFailure: 'keep' | 'drop';
  /** Capacity of the spool in flash; left out: no spool (firmware behaviour, 3.4). */
  readonly spoolSize?: ParameterRef;
}

/** Something that is read: one value or several at a time. */
export interface SensorSpec {
  readonly name: string;
  /** How many of its kind a device has at most: probes on a bus, inputs, tag slots. Numbered from 0 here, from 1 outside. */
  readonly count: number;
  /** Which of them a device has, decided at boot; left out: all. */
  readonly present?: Presence;
  /** How its samples are gathered into windows; left out: only the last sample counts. */
  readonly windows?: WindowSpec;
  /** Whether its quantities are running totals, of which the firmware counts what comes in. */
  readonly counter: boolean;
  readonly quantities: readonly QuantitySpec[];
}

/** A condition on the configuration under which the n-th sensor of its kind is there. */
export type Presence =
  /** Parameter `<name>-<n>` has the value `is`: the inputs of Control. */
  | { readonly kind: 'parameter'; readonly ref: ParameterRef; readonly is: string }
  /** Parameter `<name>-<n>` is true: the channels of Current. */
  | { readonly kind: 'flag'; readonly ref: ParameterRef }
  /** Slot n of `module` holds an address, and the parameter `enabled` is true: BLE tags. */
  | { readonly kind: 'slot'; readonly module: string; readonly enabled: ParameterRef }
  /** Parameter `<name>-<n>`, n from 0, is a slot that names the device type `is`: what hangs on Serial's line. */
  | { readonly kind: 'device'; readonly ref: ParameterRef; readonly is: string };

/** What a sensor measures. */
export interface QuantitySpec {
  readonly name: string;
  /** `°C`; empty when it has none. */
  readonly unit: string;
  /** The range of plausible values, infinite where none is given. Models stay inside. */
  readonly min: number;
  readonly max: number;
  /** A parameter without which it is not measured: always null; left out: always measured. */
  readonly enabled?: ParameterRef;
  /** Written into lists of samples as a single-precision number, and not as an integer. */
  readonly float: boolean;
  readonly model: ModelSpec;
}

/** Buffers of a sensor (firmware behaviour, 3.2). When one is full, newer values are dropped. */
export interface WindowSpec {
  /**
   * `statistics`: min, max, average and median of the samples. `direction`: their vector mean, in whole degrees. `count`:
   * the total and its increment. `amount`: the increment × `each`. `log`: no windows, every sample is reported with its
   * time; of a counter the increment since the sample before.
   */
  readonly kind: 'statistics' | 'direction' | 'count' | 'amount' | 'log';
  /** Samples that fit into a window or log; 0 when pulses are counted. */
  readonly samples: number;
  /** Windows that are kept until a report; 0 for a log. */
  readonly windows: number;
  /** A reading that failed: makes the whole window null, goes in unchecked, or leaves no sample. */
  readonly missing: 'spoils' | 'unchecked' | 'skipped';
  /** What one pulse of an `amount` stands for; otherwise 1. */
  readonly each: number;
}

/** A list of events that the next report carries (firmware behaviour, 6). */
export type EventListSpec = EdgeListSpec | AlarmListSpec | PressListSpec;

interface EventList {
  readonly name: string;
  /** Index of the sensor; each sensor of that kind has its own list. */
  readonly sensor: number;
  /** Index of the quantity. */
  readonly quantity: number;
  /** Events that fit in; further ones are neither recorded nor reported. */
  readonly capacity: number;
}

/** An input that is on or off: noticed at once, recorded always, reported when the parameter for its new state says so. */
export interface EdgeListSpec extends EventList {
  readonly kind: 'edge';
  /** The input is on while the quantity is above this. */
  readonly above: number;
  readonly reportOn: ParameterRef;
  readonly reportOff: ParameterRef;
}

/** A high and a low alarm with hysteresis, evaluated at every sample; recorded and reported only when switched on. */
export interface AlarmListSpec extends EventList {
  readonly kind: 'alarm';
  readonly high: AlarmSpec;
  readonly low: AlarmSpec;
}

/**
 * A button: every press is an event and is reported. With a full list a press is not even counted.
 */
export interface PressListSpec extends EventList {
  readonly kind: 'press';
  /** Indices of the running totals, one for each type of event, from 0; `quantity` is the first of them. */
  readonly types: readonly number[];
}

export interface AlarmSpec {
  readonly threshold: ParameterRef;
  readonly hysteresis: ParameterRef;
  readonly report: ParameterRef;
}

/**
 * A radio receiver that listens for the frames of meters from time to time, a scan, and reports after each scan what it has
 * heard (firmware behaviour, 3.5).
 */
export interface ReceiverSpec {
  readonly scan: ScanSpec;
  /** The module whose list names the meters to keep; while the list is empty all are kept. */
  readonly keep: string;
  /** Frames that a scan can keep. */
  readonly capacity: number;
  /** Frames in one report; further ones go into further reports. */
  readonly perReport: number;
  /** What there is to be heard. */
  readonly around: MetersSpec;
}

/** The parameters that say when a scan begins and how long it takes. */
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

/** Meters around every device, besides those that its list names. */
export interface MetersSpec {
  readonly count: number;
  /** The shortest and the longest time from one frame of a meter to the next. */
  readonly every: readonly [Millis, Millis];
  /** Signal strength from the weakest to the strongest meter, in dBm. */
  readonly rssi: readonly [Dbm, Dbm];
  /** Share of meters that one antenna cannot hear. */
  readonly unheard: Ratio;
}

/** Something that the application does again and again. */
export interface TaskSpec {
  readonly kind: 'sample' | 'aggregate';
  /** For people and alarms: `sample hygrometer`. */
  readonly what: string;
  /** Indices of the sensors. */
  readonly sensors: readonly number[];
  /** A fixed interval, or the parameter that holds it, in seconds. */
  readonly every: Millis | ParameterRef;
  /** Delay of the first run after the start of the application; left out: one interval. */
  readonly first?: Millis;
  /** Whether the shell's `sample` or `aggreg` runs it at once. */
  readonly onRequest: boolean;
}
