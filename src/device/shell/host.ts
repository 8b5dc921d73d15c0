/**
 * The part of the firmware that shell commands need. The firmware implements it; tests use a fake.
 *
 * All devices of a type share one shell. It gets the host of a device with each line, so the members are functions and live
 * views, not copies. All calls return at once; a command that takes time returns its continuation ({@link CommandResult.rest}).
 * The interface deliberately has no reboot: a command that restarts the device says so in its result ({@link
 * CommandResult.reboot}), and the firmware restarts when the shell is done. So no command runs on a device that has just lost
 * its RAM.
 */

import type { Millis, UnixSeconds } from '../../kernel/time.js';
import type { Dbm, Decibels } from '../../kernel/units.js';
import type { DeviceConfig } from '../config/device-config.js';
import type { ShellLine, ShellReceiver } from './attached.js';
import type { Position, ShellInputs, ShellMemory, ShellMotion, ShellTags, WeatherReading } from './equipment.js';

/** Equipment that only some device types have. */
export interface OptionalEquipment {
  /** Unsent messages in flash; only applications with a spool have it. */
  readonly spool?: ShellSpool | undefined;
  /** Inputs of an X0 module (CHESTER Control only). */
  readonly channels?: ShellChannels | undefined;
  /** Inputs of a K1 module (CHESTER Current only). */
  readonly inputs?: ShellInputs | undefined;
  /** Motion detectors (CHESTER Motion only). */
  readonly motion?: ShellMotion | undefined;
  /** BLE tags; undefined if the application does not receive tags. */
  readonly tags?: ShellTags | undefined;

  /** Devices on a serial line (CHESTER Serial only). */
  readonly line?: ShellLine | undefined;
  /** A receiver of meters (CHESTER wM-Bus only). */
  readonly receiver?: ShellReceiver | undefined;
}

export interface ShellHost extends OptionalEquipment {
  readonly identity: DeviceIdentity;
  readonly config: DeviceConfig;

  /** Time since the last boot. */
  uptime(): Millis;
  /** The device's own clock in whole Unix seconds; it runs from 1970 until the first session (firmware shell, 5.4). */
  unixTime(): UnixSeconds;
  /** Sets that clock, in Unix seconds. */
  setUnixTime(time: UnixSeconds): void;

  /** State of the cloud connection. */
  cloud(): CloudState;
  /** State of the modem. */
  lte(): LteState;

  /** What commands remember until the next boot. */
  readonly memory: ShellMemory;

  /** Queues the samples that the command `sample` takes. */
  requestSample(): void;
  /** Queues a sample of one kind of sensor, by its name in the profile. */
  requestMeasurement(sensor: string): void;
  /** Closes the present aggregation windows. */
  requestAggregate(): void;
  /** Queues a report. */
  requestReport(): void;
  /** Queues a poll for downlinks. */
  requestPoll(): void;
  /** Drops the LTE connection and attaches again. */
  requestReconnect(): void;
  /** Asks the cloud for a firmware image. Returns 0, or a negative errno if the request cannot be queued. */
  requestFirmware(id: string): number;

  /** Present readings; undefined if the sensor does not answer. */
  readonly sensors: ShellSensors;
  /** `on` lights a LED or attaches the battery's test load; no command reads the state of either. */
  setLed(led: Led, on: boolean): void;
  setBatteryLoad(on: boolean): void;

  /** Where the device is. */
  position(): Position;
  /** Switches the GNSS receiver on or off. */
  setPositioning(on: boolean): void;
  /** The image slots of the bootloader. */
  images(): FirmwareImages;
  /** Confirms the running image. */
  confirmImage(): void;
}

/** Data of `mcuboot`. */
export interface FirmwareImages {
  /** Version of the running image: `v3.5.1`. */
  readonly version: string;
  /** False while the running image is on trial: the next reset reverts to the earlier image. */
  readonly confirmed: boolean;
  /** Version of the image that the next reset swaps in. */
  readonly requested: string | undefined;
  /** Size of a slot in bytes; undefined if the device type has no updates. */
  readonly slotSize: number | undefined;
}

/** Written in production; undefined shows as `(unset)` (firmware shell, 4). */
export interface DeviceIdentity {
  readonly vendorName: string | undefined;
  readonly productName: string | undefined;
  readonly hwVariant: string | undefined;
  readonly hwRevision: string | undefined;
  readonly fwBundle: string | undefined;
  readonly fwName: string | undefined;
  readonly fwVersion: string | undefined;
  /** Ten decimal digits. */
  readonly serialNumber: string | undefined;
  /** 32 hex digits. A secret: only `info` prints it. */
  readonly claimToken: string | undefined;
  /** `aa:bb:cc:dd:ee:ff`. */
  readonly bleDevaddr: string | undefined;
  readonly blePasskey: string | undefined;
}

/** Whole Unix seconds on the device's own clock, or undefined for never. */
export type DeviceTime = UnixSeconds | undefined;

export interface CloudState {
  /** The session and its codecs are set up. */
  readonly initialized: boolean;
  /** Time of the last successful exchange. */
  readonly lastSeen: DeviceTime;
  readonly metrics: CloudMetrics;
  /** Undefined for devices with one address of the cloud. */
  readonly failover: FailoverState | undefined;
  /** The firmware image that is being downloaded; undefined if there is none. */
  readonly download: FirmwareDownload | undefined;
}

/** The addresses of the cloud, of which one is active. */
export interface FailoverState {
  readonly address: string;
  /** Index of the active address among those that are not empty, from 0. */
  readonly index: number;
  /** Failed attempts in a row at this address. */
  readonly failures: number;
  /** Changes of the address since boot. */
  readonly count: number;
}

export interface FirmwareDownload {
  readonly updateId: Uint8Array;
  /** Bytes. */
  readonly accepted: number;
  readonly size: number;
}

/** Counters since boot, in the order of `cloud metrics` (firmware shell, 5.1). */
export interface CloudMetrics {
  readonly uplinkCount: number;
  readonly uplinkFragments: number;
  readonly uplinkBytes: number;
  readonly uplinkLast: DeviceTime;
  readonly uplinkErrors: number;
  readonly uplinkErrorLast: DeviceTime;
  readonly downlinkCount: number;
  readonly downlinkFragments: number;
  readonly downlinkBytes: number;
  readonly downlinkLast: DeviceTime;
  readonly downlinkErrors: number;
  readonly downlinkErrorLast: DeviceTime;
  readonly pollCount: number;
  readonly pollLast: DeviceTime;
  readonly uplinkDataCount: number;
  readonly uplinkDataLast: DeviceTime;
  readonly downlinkDataCount: number;
  readonly downlinkDataLast: DeviceTime;
  readonly shellCount: number;
  readonly shellLast: DeviceTime;
}

export interface LteState {
  readonly attached: boolean;
  /** Network registration; undefined before the modem has reported any. */
  readonly registration: LteRegistration | undefined;
  /** The last connection evaluation, if it is valid. */
  readonly evaluation: LteEvaluation | undefined;
  readonly fsm: LteFsmState;
  /** Number of the present attach attempt, from 1; during a pause, number of the attempt before it; 0 if there is none. */
  readonly attachAttempt: number;
  /** Length of the present attach attempt or pause, and the time left; only in states `attach` and `retry_delay`. */
  readonly wait: { readonly timeout: Millis; readonly remaining: Millis } | undefined;
  /** Known once the modem has started; texts of decimal digits. */
  readonly imei: string | undefined;
  readonly imsi: string | undefined;
  readonly iccid: string | undefined;
  /** `mfw_nrf91x1_2.0.1`. */
  readonly modemFirmware: string | undefined;
  readonly metrics: LteMetrics;
}

interface LteRegistration {
  readonly status:
    | 'not-registered'
    | 'registered-home'
    | 'searching'
    | 'registration-denied'
    | 'unknown'
    | 'registered-roaming'
    | 'sim-failure';
  readonly mode: 'unknown' | 'lte-m' | 'nb-iot';
}

/** A connection evaluation as the modem reports it (firmware shell, 5.2). */
export interface LteEvaluation {
  readonly eest: number;
  readonly ecl: number;
  /** dBm */
  readonly rsrp: Dbm;
  /** dB */
  readonly rsrq: Decibels;
  /** dB */
  readonly snr: Decibels;
  readonly plmn: number;
  readonly cid: number;
  readonly band: number;
  readonly earfcn: number;
}

export type LteFsmState =
  | 'disabled'
  | 'error'
  | 'boot'
  | 'prepare'
  | 'reset_loop'
  | 'retry_delay'
  | 'attach'
  | 'open_socket'
  | 'ready'
  | 'sleep'
  | 'wakeup'
  | 'send'
  | 'receive'
  | 'coneval'
  | 'gnss';

/** Counters since boot, in the order of `lte metrics` (firmware shell, 5.2). */
export interface LteMetrics {
  readonly attachCount: number;
  readonly attachFailCount: number;
  readonly attachDuration: Millis;
  readonly attachLast: DeviceTime;
  readonly attachLastDuration: Millis;
  readonly uplinkCount: number;
  readonly uplinkBytes: number;
  readonly uplinkErrors: number;
  readonly uplinkLast: DeviceTime;
  readonly downlinkCount: number;
  readonly downlinkBytes: number;
  readonly downlinkErrors: number;
  readonly downlinkLast: DeviceTime;
  /** Time in RRC connections: in total, and in the last one. */
  readonly connectedDuration: Millis;
  readonly connectedLastDuration: Millis;
}

export interface ShellSensors {
  /**
   * Present value of a quantity, by the names in the profile; `number` counts the sensors of a kind from 1. Undefined if the
   * device has no such sensor or it does not answer.
   */
  quantity(sensor: string, quantity: string, number?: number): number | undefined;
  /** The thermometer on the board, °C. */
  thermometer(): number | undefined;
  /** m/s² on each axis; orientation 0..6. */
  accelerometer():
    | { readonly x: number; readonly y: number; readonly z: number; readonly orientation: number }
    | undefined;
  /** Volts at rest and under load. */
  battery(): { readonly rest: number; readonly load: number } | undefined;
  /** °C and % RH. */
  hygrometer(): { readonly temperature: number; readonly humidity: number } | undefined;
  /** The METEO module; undefined if the device has none, or if it does not answer. */
  weather(): WeatherReading | undefined;
  /** Thermometers on the 1-Wire bus, in the order of their numbers. */
  probes(): readonly Probe[];
  button(button: Button): boolean;
  /** The backup supply module; undefined if the device has none, or if it does not answer. */
  backup(): BackupModule | undefined;
}

/** A DS18B20 on the 1-Wire bus. */
export interface Probe {
  /** 48 bits, below 2^48. */
  readonly serialNumber: number;
  /** °C; undefined if the probe does not answer. */
  readonly temperature: number | undefined;
}

/** CHESTER-Z, as `backup status` shows it (applications.json, clime). */
export interface BackupModule {
  readonly serialNumber: number;
  readonly hwRevision: number;
  readonly hwVariant: number;
  readonly fwVersion: number;
  readonly connected: boolean;
  /** Volts. */
  readonly lineVoltage: number;
  /** Volts. */
  readonly batteryVoltage: number;
}

export type Led = 'red' | 'green' | 'yellow' | 'ext';
export type Button = 'int' | 'ext';

export interface ShellSpool {
  readonly count: number;
  /** The stored messages, oldest first. */
  readonly messages: readonly Uint8Array[];
  /** Deletes message `n`, counted from 0. */
  remove(n: number): void;
  /** Adds `count` made-up messages. */
  fake(count: number): void;
  clean(): void;
}

/** The inputs of CHESTER Control, numbered from 1 to `count` (applications.json, control). */
export interface ShellChannels {
  readonly count: number;
  state(channel: number): ChannelState;
  /** Clears counters, samples and events of the channel. */
  reset(channel: number): void;
}

export type ChannelState =
  | { readonly mode: 'disabled' }
  | { readonly mode: 'trigger'; readonly active: boolean; readonly events: number }
  | { readonly mode: 'counter'; readonly value: number; readonly delta: number }
  | {
      /** Volts or milliamperes. */
      readonly mode: 'voltage' | 'current';
      /** The last sample, undefined before the first. */
      readonly last: number | undefined;
      /** Present reading; undefined if the input cannot be read. */
      readonly live: number | undefined;
      /** Samples in the open window, and windows since the last report. */
      readonly samples: number;
      readonly measurements: number;
    };
