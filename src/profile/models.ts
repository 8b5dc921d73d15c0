/**
 * Sensor models as plain data: their options and the checks of these. What a model does with them is in
 * src/device/sensors/models/, one file a model.
 */
import {
  boolean,
  type Check,
  complain,
  duration,
  list,
  number,
  oneOf,
  optional,
  type RecordOf,
  record,
  refine,
  text,
} from '../input/checks.js';
import { days, type Millis } from '../kernel/time.js';
import { amount, byTag, indexOf, parameter, range } from './checks.js';
import type { ModuleSpec } from './parameters.js';
import type { QuantitySpec } from './profile.js';

/** The same value for ever; each device has its own, at most `spread` away from `value`. */
export interface ConstantModel {
  readonly kind: 'constant';
  readonly value: number;
  readonly spread: number;
  /** How far a reading may be off. */
  readonly noise: number;
}

/**
 * A mean and what moves a quantity away from it: the day, the year, the weather, people. Weather and people of a device are
 * one for all its sensors, so that what they move moves together.
 */
export interface DailyModel {
  readonly kind: 'daily';
  readonly mean: number;
  /** Each device has its own mean, at most this far away. */
  readonly spread: number;
  /** Half the difference between day and night; negative for what is lower by day. */
  readonly swing: number;
  /** How far it drifts by itself within hours, at most. */
  readonly drift: number;
  /** How far a reading may be off. */
  readonly noise: number;
  /** Half the difference between July and January. */
  readonly season: number;
  /** What the middle of a low adds, and that of a high takes away; a covered sky halves the swing of the day. */
  readonly front: number;
  /** What heavy rain adds. */
  readonly rain: number;
  /** What a room full of people adds; they come in office hours. */
  readonly people: number;
  /** How far a reading may be off, as a share of it. */
  readonly gusts: number;
}

/**
 * When people are about: always (`even`), at home, in an office, in a shop, in a factory of two shifts. By the hours of the
 * week, UTC (src/device/environment/models/week.ts).
 */
export const RHYTHMS = ['even', 'home', 'office', 'shop', 'shifts'] as const;
export type RhythmName = (typeof RHYTHMS)[number];

/** A running total of pulses that come in at random. */
export interface PulsesModel {
  readonly kind: 'pulses';
  /** Mean number in an hour. */
  readonly perHour: number;
  readonly by: RhythmName;
}

/** A total that a meter shows and the device does not count: it has grown for years, and goes on at a rate of its own. */
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

/** What is used up bit by bit and filled again; all such quantities of a device move together. */
export interface TankModel {
  readonly kind: 'tank';
  /** What is shown when it is full, and when it is empty. */
  readonly full: number;
  readonly empty: number;
  /** Mean time from one filling to the next. */
  readonly lasts: Millis;
  /** Each sensor is off by something of its own, at most this. */
  readonly spread: number;
  /** How far a reading may be off. */
  readonly noise: number;
  /** When it is used. */
  readonly by: RhythmName;
}

/** A running total of presses of a button, each at a moment that can be watched for. */
export interface PressesModel {
  readonly kind: 'presses';
  readonly perDay: number;
  readonly by: RhythmName;
}

/** A direction in degrees, 0 to 360, in the steps of a vane: each device has a prevailing one of its own. */
export interface DirectionModel {
  readonly kind: 'direction';
  /** From one direction that the vane knows to the next. */
  readonly step: number;
  /** How far it turns by itself, either way. */
  readonly drift: number;
  /** How far a low turns it one way, and a high the other. */
  readonly front: number;
  /** How far a reading may be off. */
  readonly noise: number;
}

/** A contact, such as that of a door, that is closed now and then: 1 while it is, otherwise 0. */
export interface SwitchModel {
  readonly kind: 'switch';
  /** Number of times in a day. */
  readonly perDay: number;
  /** Longest time that it stays closed; it must fit in between, also when times are busy. */
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

/** Which way up the device lies, 0 to 6, told from its three accelerations. */
export interface OrientationModel {
  readonly kind: 'orientation';
  /** Indices of the quantities x, y and z, in m/s². */
  readonly of: readonly [x: number, y: number, z: number];
}

/**
 * What the firmware works out of another quantity, along a line through two points that the configuration gives; nothing
 * while the points are the same.
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

/**
 * One quantity of a sensor: unit, range, and the model with its options side by side.
 * @param above the quantities before this one, which it may be made of
 */
export function quantity(
  name: string,
  above: readonly string[],
  modules: readonly ModuleSpec[] | undefined,
): Check<QuantitySpec> {
  const other = indexOf(above, 'a quantity above');
  const kinds: { readonly [K in ModelSpec['kind']]: Check<QuantitySpec> } = {
    constant: of({ value: number(), spread: optional(amount, 0), noise: optional(amount, 0) }, (options) => ({
      kind: 'constant',
      ...options,
    })),
    daily: of(
      {
        mean: number(),
        spread: optional(amount, 0),
        swing: optional(number(), 0),
        drift: optional(amount, 0),
        noise: optional(amount, 0),
        season: optional(number(), 0),
        front: optional(number(), 0),
        rain: optional(number(), 0),
        people: optional(number(), 0),
        gusts: optional(amount, 0),
      },
      (options) => ({ kind: 'daily', ...options }),
    ),
    pulses: of({ per_hour: amount, by }, (options) => ({ kind: 'pulses', perHour: options.per_hour, by: options.by })),
    meter: of({ per_hour: amount }, ({ per_hour }) => ({ kind: 'meter', perHour: per_hour })),
    rain: of({ tips: amount }, ({ tips }) => ({ kind: 'rain', tips })),
    tank: of(
      {
        full: number(),
        empty: number(),
        lasts: duration,
        spread: optional(amount, 0),
        noise: optional(amount, 0),
        by,
      },
      (options, refuse) => {
        if (options.lasts <= 0) refuse('a tank must last longer than 0s');
        return { kind: 'tank', ...options };
      },
    ),
    presses: of({ per_day: amount, by }, (options) => ({ kind: 'presses', perDay: options.per_day, by: options.by })),
    direction: of(
      { step: number(), drift: amount, front: optional(number(), 0), noise: optional(amount, 0) },
      (options, refuse) => {
        if (options.step <= 0) refuse('the step of a direction must be more than 0');
        return { kind: 'direction', ...options };
      },
    ),
    calibrated: of({ points: text(), of: list(other, 1) }, (options) => ({ kind: 'calibrated', ...options })),
    switch: of({ per_day: amount, stays: duration, by }, ({ per_day, stays, by: when }, refuse) => {
      if (per_day * stays * PEAKS[when] >= days(1)) {
        const busy = PEAKS[when] === 1 ? '' : ` and by ${PEAKS[when]}, for the busiest hour`;
        refuse(`stays closed longer than a day divided by "per_day"${busy}`);
      }
      return { kind: 'switch', perDay: per_day, stays, by: when };
    }),
    battery: of({ shows: oneOf(['rest', 'load']) }, (options) => ({ kind: 'battery', ...options })),
    scaled: of({ of: other, factor: number() }, (options) => ({ kind: 'scaled', ...options })),
    orientation: of({ of: three(other) }, (options) => ({ kind: 'orientation', ...options })),
  };
  return byTag('a quantity', 'model', kinds);

  function of<S extends Parameters<typeof record>[1]>(
    shape: S,
    make: (options: RecordOf<S>, refuse: (why: string) => void) => ModelSpec,
  ): Check<QuantitySpec> {
    const common = {
      model: text(),
      unit: optional(text(), ''),
      range: optional(range, UNBOUNDED),
      enabled: optional(parameter(modules, ['bool'])),
      float: optional(boolean, false),
    };
    return refine(record('this quantity', { ...common, ...shape }), (read, node, problems) => {
      const { model: _, unit, range: ends, enabled, float, ...options } = read as RecordOf<typeof common> & RecordOf<S>;
      // Because what is left after taking out the common keys are the keys of the shape.
      const model = make(options as unknown as RecordOf<S>, (why) => problems.add(node, why));
      const [min, max] = ends;
      const centre = model.kind === 'daily' ? model.mean : model.kind === 'constant' ? model.value : min;
      if (centre < min || centre > max) problems.add(node, `${centre} is outside of the range from ${min} to ${max}`);
      return { name, unit, min, max, float, model, ...(enabled && { enabled }) };
    });
  }
}

/** Whether a model is a running total, which only ever grows. */
export function isTotal({ kind }: ModelSpec): boolean {
  return kind === 'pulses' || kind === 'rain' || kind === 'presses';
}

/** How many times busier than the mean the busiest hour of a week is, rounded up. */
const PEAKS: Readonly<Record<RhythmName, number>> = { even: 1, home: 3, office: 5, shop: 5, shifts: 3 };

const by = optional(oneOf(RHYTHMS), 'even' as const);

const UNBOUNDED = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

function three(item: Check<number>): Check<readonly [number, number, number]> {
  return refine(list(item, 3), ([x, y, z, ...more], node, problems) => {
    if (x !== undefined && y !== undefined && z !== undefined && more.length === 0) return [x, y, z];
    return complain(node, problems, 'a list of three quantities');
  });
}
