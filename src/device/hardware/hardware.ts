/**
 * What the firmware runs on: everything about a device that survives a reboot, and the way to reboot it.
 */
import type { Clock } from '../../kernel/clock.js';
import type { Draws } from '../../kernel/random.js';
import type { Ratio } from '../../kernel/ratio.js';
import type { Millis } from '../../kernel/time.js';
import type { Build } from '../../protocol/firmware-image.js';
import type { BootCause, ContactReason, DownlinkType, UplinkType } from '../../trace/events.js';
import type { DeviceConfig } from '../config/device-config.js';
import type { Battery, CurrentUse } from '../environment/battery.js';
import type { Surroundings } from '../environment/environment.js';
import type { Series } from '../environment/series.js';
import type { Link } from '../link/link.js';
import type { Modem } from '../modem/modem.js';
import type { Signal } from '../modem/signal.js';
import type { Defect, Mishap } from '../modem/trouble.js';
import type { DeviceIdentity } from '../shell/host.js';
import type { Bootloader } from './bootloader.js';
import type { DeviceType } from './device-type.js';
import type { Spool } from './spool.js';

export interface Hardware {
  readonly type: DeviceType;
  readonly serial: number;
  readonly clock: Clock;
  readonly draws: Draws;
  readonly identity: DeviceIdentity;
  readonly subscriber: Subscriber;
  readonly config: DeviceConfig;
  /** The firmware that runs. */
  readonly build: Build;
  /** Made by the first update: until then there is nothing to remember. */
  bootloader: Bootloader | undefined;
  readonly spool: Spool;
  readonly surroundings: Surroundings;
  /**
   * To poke: `setCoverage`, `setSignal({ rsrp: -122 })`, `setPowerSaving(false)`, `suffer('lost-socket')`,
   * `setDefect('no-sim')`. What is set stays through reboots, like everything that is not the firmware's.
   */
  readonly modem: Modem;
  /** To poke: `battery.set(0.9)` puts in a pack of which nine tenths are used. It counts only while no line supplies the board. */
  readonly battery: Battery;
  readonly link: Link;
  readonly facts: DeviceFacts;
  /** How much too fast the clock runs, in parts per million; 0 unless somebody has made it. */
  readonly clockDrift: number;
  /** Whether somebody keeps the button on the board pressed. */
  readonly buttonPressed: boolean;
  /** Something other than the board itself has taken current for a while. */
  spent(use: CurrentUse, duration: Millis): void;
  /** Ends this life of the firmware at once and begins the next. */
  reboot(cause: BootCause): void;
}

/**
 * What somebody can do to a device that lies before him. Scenario steps and the console work through it; it is made when it is
 * asked for (bench.ts).
 *
 * Quantities are named like `hygrometer.temperature` or `trigger.2.state` (profile/quantities.ts). Every method throws an Error
 * whose message says why it cannot be done.
 */
export interface Bench {
  /** Keeps a quantity at a value. NaN: the sensor does not answer any more. */
  hold(quantity: string, value: number): void;
  /** Lets it run on a straight line to a value, where it stays. Without `from` it begins where it is. */
  ramp(quantity: string, ramp: Ramp): void;
  /** Plays a record back, its first row now. The last value stays. */
  replay(quantity: string, series: Series): void;
  /** Lets its model take over again. A running total goes on from where it is. */
  free(quantity: string): void;
  /** Gives a counter pulses, or lets a contact close. */
  pulse(quantity: string, pulses: Pulses): void;
  /** Clicks a button: a multiple click of the one on the board, single clicks of the others. */
  click(button: ButtonName, times: number): void;
  /** Keeps a button pressed. The one on the board matters while the device boots (firmware shell, 3.5). */
  press(button: ButtonName, duration: Millis): void;
  /** Cuts the power line (CHESTER-Z goes over to its battery), or brings it back. */
  line(on: boolean): void;
  /** Shields the antenna (false), or frees it. */
  radio(on: boolean): void;
  /** Takes the antenna to a place with this signal; undefined: back to where the device belongs. */
  signal(signal: Signal | undefined): void;
  /** Puts in a battery of which this share is used, 0 (new) to 1 (empty). */
  battery(used: Ratio): void;
  /** Puts in a battery that is so far used that it shows this voltage at rest. */
  batteryVoltage(volts: number): void;
  /** Whether the network grants power saving mode; asked at the next attach. */
  powerSaving(granted: boolean): void;
  /** Lets something go wrong with the modem, or mends what has. */
  modem(trouble: ModemTrouble): void;
  /** How many more settings the flash lets itself write; Infinity: it is as new. */
  flash(writesLeft: number): void;
  /** Makes the clock run fast (or slow, below 0) by parts per million, whatever sets it. */
  clock(drift: number): void;
  /** Makes the clock jump ahead, or back below 0, until something sets it. */
  skew(by: Millis): void;
}

export type ModemTrouble = Mishap | Defect | 'mended';

/** `int` is the button on the board; the others are those of CHESTER Push. */
export type ButtonName = 'int' | 'x' | '1' | '2' | '3' | '4';

export interface Ramp {
  readonly from?: number;
  readonly to: number;
  readonly over: Millis;
}

export interface Pulses {
  readonly times: number;
  /** From the beginning of one to that of the next. */
  readonly every: Millis;
  /** How long a contact stays closed each time; less than `every`. Counters do not ask. */
  readonly stays: Millis;
}

/** Who the device is in the mobile network; texts of decimal digits. */
export interface Subscriber {
  readonly imei: string;
  readonly imsi: string;
  readonly iccid: string;
}

/** Writes down what happens on the device. Numbers of uplinks run over the whole life of the device. */
export interface DeviceFacts {
  /** Why the radio is about to be used; goes into the next wake-up. */
  reason: ContactReason;
  ready(): void;
  made(type: UplinkType, bytes: number): number;
  sent(uplink: number, type: UplinkType): void;
  acknowledged(uplink: number, type: UplinkType): void;
  dropped(uplink: number, type: UplinkType, why: string): void;
  received(type: DownlinkType, print: string): void;
  executed(type: DownlinkType, print: string, ok: boolean): void;
  pollFailed(why: string): void;
}
