/**
 * The sensors and the equipment of a board as commands see them: readings that are computed from several parts of the firmware.
 * A device has only the equipment of its type.
 */

import type { Millis, UnixSeconds } from '../../kernel/time.js';
import type { Dbm } from '../../kernel/units.js';
import type { SerialLineSpec } from '../../profile/profile.js';
import type { DeviceSlot } from '../config/device-slot.js';

/** Each access returns what is present at that time. */
export interface ShellEquipment {
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
}

/** The board: present readings, which are undefined if the sensor does not answer, and what commands switch. */
export interface ShellBoard {
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
  /** `on` lights a LED or attaches the battery's test load; no command reads the state of either. */
  setLed(led: Led, on: boolean): void;
  setBatteryLoad(on: boolean): void;
  /** Where the device is. */
  position(): Position;
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

/** CHESTER-Z, as `backup status` shows it (catalog.json, clime). */
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

/** The inputs of CHESTER Control, numbered from 1 to `count` (catalog.json, control). */
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

/** Devices on the serial line of CHESTER Serial (catalog.json, serial). */
export interface ShellLine {
  /** By slot, as the running firmware has them; unused slots have the type `none`. */
  readonly slots: readonly DeviceSlot[];
  /** Slots as the shell shows and changes them; in effect after a save and the next boot. */
  readonly unsaved: readonly DeviceSlot[];
  /** Maximum number of devices in use, and the name of the line for the error; undefined without a limit. */
  readonly limit: SerialLineSpec | undefined;
  /** Whether the firmware can talk to the device in a slot, from 0. */
  hasDriver(slot: number): boolean;
  /** Samples the device in a slot now; false when it does not answer. */
  sample(slot: number): boolean;
  /** 16-bit registers of the device with a line address; undefined if no device answers at that address. */
  registers(address: number, first: number, count: number): readonly number[] | undefined;
}

/** BLE tags (shell S-35, S-36). */
export interface ShellTags {
  /** Whether the running firmware receives tags. */
  readonly enabled: boolean;
  /** Length of a scan. */
  readonly scanDuration: Millis;
  /** By slot: what a scan receives now; undefined for an empty slot and for a tag that does not transmit. */
  scan(): readonly (TagReading | undefined)[];
  /** By slot: the application's last reading; undefined if there is none. */
  cached(): readonly (TagReading | undefined)[];
  /** All tags in range: those of the slots, and one that is not enrolled. */
  nearby(): readonly TagReading[];
}

/** Values that a tag sends. Not every tag has all of them. */
export interface TagReading {
  /** 12 hex digits. */
  readonly address: string;
  /** dBm */
  readonly rssi?: Dbm;
  /** V */
  readonly voltage?: number;
  /** °C */
  readonly temperature?: number;
  /** % */
  readonly humidity?: number;
  readonly magnet?: boolean;
  readonly moving?: boolean;
  readonly movements?: number;
  /** ° */
  readonly roll?: number;
  readonly pitch?: number;
  readonly lowBattery?: boolean;
}

/** The two detectors of CHESTER-S3 (catalog.json, motion). */
export interface ShellMotion {
  /** Totals since boot, up to now. */
  totals(): MotionCounts;
  /** Samples since the last report, oldest first. */
  samples(): readonly MotionSample[];
}

export interface MotionCounts {
  readonly detectLeft: number;
  readonly detectRight: number;
  /** Passes from right to left, and from left to right. */
  readonly motionLeft: number;
  readonly motionRight: number;
}

export interface MotionSample extends MotionCounts {
  /** Unix seconds on the device's clock. */
  readonly time: UnixSeconds;
}

/** The METEO module. */
export interface WeatherReading {
  /** mm since the last window was closed. */
  readonly rainfall: number;
  /** m/s */
  readonly windSpeed: number;
  /** ° */
  readonly windDirection: number;
}

/** Inputs of CHESTER-K1, numbered from 1 to 4 (catalog.json, current). */
export interface ShellInputs {
  /** Millivolts now; undefined when the converter does not answer. */
  read(channel: number): { readonly mean: number; readonly rms: number } | undefined;
  calibration(channel: number): InputCalibration;
  /**
   * Changes a calibration in flash and in the running firmware at once, unlike all other settings. Returns false if the write
   * to flash failed.
   */
  calibrate(channel: number, changes: Partial<InputCalibration>): boolean;
}

export interface InputCalibration {
  /** Which of the two readings is calibrated. */
  readonly mode: 'mean' | 'rms';
  /** Two points of the line: raw value x, calibrated value y. */
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** A GNSS position. */
export interface Position {
  /** ° north and east. */
  readonly latitude: number;
  readonly longitude: number;
  /** m */
  readonly altitude: number;
  /** Whether the modem determines the position: it reports neither the quality of the fix nor the number of satellites. */
  readonly byModem: boolean;
}
