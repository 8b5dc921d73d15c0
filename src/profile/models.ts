/**
 * Sensor models as plain data: their options. read-models.ts reads and checks them; what a model does with them is in
 * src/device/environment/models/, one file a model.
 */
import type { Millis } from '../kernel/time.js';

/** A constant value; each device has its own, at most `spread` away from `value`. */
export interface ConstantModel {
  readonly kind: 'constant';
  readonly value: number;
  readonly spread: number;
  /** Largest error of a reading. */
  readonly noise: number;
}

/**
 * A mean and what moves a quantity away from it: the day, the year, the weather, people. All sensors of a device share
 * its weather and its people, so that their effects coincide.
 */
export interface DailyModel {
  readonly kind: 'daily';
  readonly mean: number;
  /** Each device has its own mean, at most this far away. */
  readonly spread: number;
  /** Half the difference between day and night; negative for what is lower by day. */
  readonly swing: number;
  /** Largest random drift within hours. */
  readonly drift: number;
  /** Largest error of a reading. */
  readonly noise: number;
  /** Half the difference between July and January. */
  readonly season: number;
  /** What the middle of a low adds and the middle of a high subtracts; a covered sky halves the daily swing. */
  readonly front: number;
  /** What heavy rain adds. */
  readonly rain: number;
  /** What a room full of people adds, in office hours. */
  readonly people: number;
  /** Largest error of a reading, as a share of it. */
  readonly gusts: number;
}

/**
 * When people are about: always (`even`), at home, in an office, in a shop, in a factory of two shifts. By the hours of the
 * week, UTC (src/device/environment/models/week.ts).
 */
export const RHYTHMS = ['even', 'home', 'office', 'shop', 'shifts'] as const;
export type RhythmName = (typeof RHYTHMS)[number];

/** A running total of random pulses. */
export interface PulsesModel {
  readonly kind: 'pulses';
  /** Mean number in an hour. */
  readonly perHour: number;
  readonly by: RhythmName;
}

/** A total that a meter counts itself: it has grown for years, at a rate of its own. */
export interface MeterModel {
  readonly kind: 'meter';
  /** Mean growth in an hour; meters differ by half of it. */
  readonly perHour: number;
}

/** A running total of the tips of a rain gauge: showers come with the lows of the device's weather; between them it is dry. */
export interface RainModel {
  readonly kind: 'rain';
  /** Mean number of tips in a shower; there is one a day, in the mean. */
  readonly tips: number;
}

/** A level that falls slowly and is filled again; all such quantities of a device move together. */
export interface TankModel {
  readonly kind: 'tank';
  /** What is shown when it is full, and when it is empty. */
  readonly full: number;
  readonly empty: number;
  /** Mean time from one filling to the next. */
  readonly lasts: Millis;
  /** Largest constant error of a sensor; each has its own. */
  readonly spread: number;
  /** Largest error of a reading. */
  readonly noise: number;
  /** When it is used. */
  readonly by: RhythmName;
}

/** A running total of presses of a button; the firmware notices each press at once. */
export interface PressesModel {
  readonly kind: 'presses';
  readonly perDay: number;
  readonly by: RhythmName;
}

/** A direction in degrees, 0 to 360, in the steps of a vane: each device has a prevailing one of its own. */
export interface DirectionModel {
  readonly kind: 'direction';
  /** Step of the vane, degrees. */
  readonly step: number;
  /** Largest random turn, either way. */
  readonly drift: number;
  /** How far a low turns it one way, and a high the other. */
  readonly front: number;
  /** Largest error of a reading. */
  readonly noise: number;
}

/** A contact, such as that of a door, that is closed now and then: 1 while it is, otherwise 0. */
export interface SwitchModel {
  readonly kind: 'switch';
  /** Number of times in a day. */
  readonly perDay: number;
  /** Longest time that it stays closed; it must end before the next closing, also in busy hours. */
  readonly stays: Millis;
  readonly by: RhythmName;
}

/** A voltage of the battery, which ages with what the device does (src/device/environment/battery.ts). */
export interface BatteryModel {
  readonly kind: 'battery';
  /** At rest, or with the test load across it. */
  readonly shows: 'rest' | 'load';
}

/** A multiple of another quantity of the same sensor. */
export interface ScaledModel {
  readonly kind: 'scaled';
  /** Index of the other quantity. */
  readonly of: number;
  readonly factor: number;
}

/** Which way up the device lies, 0 to 6, derived from its three accelerations. */
export interface OrientationModel {
  readonly kind: 'orientation';
  /** Indices of the quantities x, y and z, in m/s². */
  readonly of: readonly [x: number, y: number, z: number];
}

/**
 * Computed by the firmware from another quantity: a line through two points of the configuration; null while the two points
 * are equal.
 */
export interface CalibratedModel {
  readonly kind: 'calibrated';
  /** Parameters `<points>-x0-<n>`, `-y0-<n>`, `-x1-<n>`, `-y1-<n>`, and `<points>-mode-<n>`. */
  readonly points: string;
  /** Indices of the raw quantities, one for each value of the mode, in its order. */
  readonly of: readonly number[];
}

export type ModelSpec =
  | ConstantModel
  | DailyModel
  | PulsesModel
  | MeterModel
  | RainModel
  | TankModel
  | PressesModel
  | DirectionModel
  | CalibratedModel
  | SwitchModel
  | BatteryModel
  | ScaledModel
  | OrientationModel;

/** Whether a model is a running total, which only ever grows. */
export function isTotal({ kind }: ModelSpec): boolean {
  return kind === 'pulses' || kind === 'rain' || kind === 'presses';
}
