/** Options of sensor models as data. read-models.ts checks them; src/device/environment/models/ has the behaviour. */
import type { Millis } from '../kernel/time.js';

/** A constant value, different for each device: at most `spread` away from `value`. */
export interface ConstantModel {
  readonly kind: 'constant';
  readonly value: number;
  readonly spread: number;
  /** Largest error of a reading. */
  readonly noise: number;
}

/** A mean with day, year, weather and people. A device's sensors share the last two, so their effects coincide. */
export interface DailyModel {
  readonly kind: 'daily';
  readonly mean: number;
  /** Largest difference between the mean of a device and `mean`. */
  readonly spread: number;
  /** Half of day minus night, negative if lower by day. Outdoors (`front` or `rain` not 0), covered sky halves it. */
  readonly swing: number;
  /** Largest random drift within hours. */
  readonly drift: number;
  /** Largest error of a reading. */
  readonly noise: number;
  /** Half the difference between July and January. */
  readonly season: number;
  /** Added in the middle of a low-pressure area, subtracted in the middle of a high-pressure area. */
  readonly front: number;
  /** Added in heavy rain. */
  readonly rain: number;
  /** Added by a room full of people, in office hours. */
  readonly people: number;
  /** Largest relative effect of gusts of wind on a reading. */
  readonly gusts: number;
}

/** When people are there, by the hour of the week in UTC: always, at home, in an office, a shop, or a factory. */
export const RHYTHMS = ['even', 'home', 'office', 'shop', 'shifts'] as const;
export type RhythmName = (typeof RHYTHMS)[number];

/** A running total of random pulses. */
export interface PulsesModel {
  readonly kind: 'pulses';
  /** Mean number of pulses in an hour. */
  readonly perHour: number;
  readonly by: RhythmName;
}

/** The reading of a meter that has counted for years. Each meter has a different rate. */
export interface MeterModel {
  readonly kind: 'meter';
  /** Mean growth in an hour; the rate of a meter differs from it by at most half. */
  readonly perHour: number;
}

/** A total of a rain gauge's tips: showers come with the low-pressure areas of the device's weather. */
export interface RainModel {
  readonly kind: 'rain';
  /** Mean number of tips in a shower. On average there is one shower a day. */
  readonly tips: number;
}

/** A level that falls slowly and is filled again; all tank quantities of a device follow the same level. */
export interface TankModel {
  readonly kind: 'tank';
  /** Readings of a full tank and of an empty one. */
  readonly full: number;
  readonly empty: number;
  /** Mean time from one filling to the next. */
  readonly lasts: Millis;
  /** Largest constant error of a sensor. */
  readonly spread: number;
  /** Largest error of a reading. */
  readonly noise: number;
  /** When the content of the tank is used. */
  readonly by: RhythmName;
}

/** A running total of presses of a button; the firmware notices each press at once. */
export interface PressesModel {
  readonly kind: 'presses';
  readonly perDay: number;
  readonly by: RhythmName;
}

/** A direction in degrees, 0 to 360, in the steps of a vane. Each device has a different prevailing direction. */
export interface DirectionModel {
  readonly kind: 'direction';
  /** Step of the vane, degrees. */
  readonly step: number;
  /** Largest random turn, either way. */
  readonly drift: number;
  /** Turn in the middle of a low-pressure area; a high-pressure area turns the direction as far the other way. */
  readonly front: number;
  /** Largest error of a reading. */
  readonly noise: number;
}

/** A contact, for example of a door: 1 for some time, otherwise 0. */
export interface SwitchModel {
  readonly kind: 'switch';
  /** How often the contact becomes 1 in a day. */
  readonly perDay: number;
  /** Longest time at 1. The contact must become 0 before it becomes 1 again, even in busy hours. */
  readonly stays: Millis;
  readonly by: RhythmName;
}

/** A voltage of the battery. The battery ages with the activity of the device (src/device/environment/battery.ts). */
export interface BatteryModel {
  readonly kind: 'battery';
  /** At rest, or under the test load. */
  readonly shows: 'rest' | 'load';
}

/** A multiple of another quantity of the same sensor. */
export interface ScaledModel {
  readonly kind: 'scaled';
  /** Index of the other quantity. */
  readonly of: number;
  readonly factor: number;
}

/** Orientation of the device, 0 to 6, derived from its three accelerations. */
export interface OrientationModel {
  readonly kind: 'orientation';
  /** Indices of the quantities x, y and z, in m/s². */
  readonly of: readonly [x: number, y: number, z: number];
}

/** Computed by the firmware from another quantity: a line through two configured points; null while their x is equal. */
export interface CalibratedModel {
  readonly kind: 'calibrated';
  /** Parameters `<points>-x0-<n>`, `-y0-<n>`, `-x1-<n>`, `-y1-<n>`, and `<points>-mode-<n>`. */
  readonly points: string;
  /** Indices of the raw quantities, one for each value of the mode, in the order of these values. */
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

/** Whether a model is a running total of pulses, tips or presses. */
export function isTotal({ kind }: ModelSpec): boolean {
  return kind === 'pulses' || kind === 'rain' || kind === 'presses';
}
