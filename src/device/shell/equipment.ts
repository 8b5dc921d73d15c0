/**
 * Equipment that only some device types have, as commands see it: tags, motion detectors, analog inputs, weather. The host
 * (host.ts) has these only if the device type has the equipment.
 */

import type { Millis, UnixSeconds } from '../../kernel/time.js';
import type { Dbm } from '../../kernel/units.js';

/** State that commands keep from one line to the next. It is in RAM: each boot creates a new one. */
export class ShellMemory {
  /** Number of the next request to the LoRaWAN modem and to the GNSS receiver. */
  lrwRequests = 0;
  gnssRequests = 0;
  /** Uptime at which the GNSS receiver was started; undefined while it is off. */
  gnssSince: Millis | undefined;
  /** Uptime at which the search for all tags ends. */
  searchingUntil: Millis = 0;
  /** Uptime at which the battery's test load was connected; undefined while it is disconnected. */
  loadSince: Millis | undefined;
  /** Pins that `gpio set` has set to 1, such as `gpio0 13`. */
  readonly pins = new Set<string>();
}

/** BLE tags (firmware shell, 5.9). */
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

/** The two detectors of CHESTER-S3 (applications.json, motion). */
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

/** Inputs of CHESTER-K1, numbered from 1 to 4 (applications.json, current). */
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
