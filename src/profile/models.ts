/**
 * Sensor models as plain data: their options and the checks of these. What a model does with them is in
 * src/device/sensors/models/, one file a model.
 */
import {
  type Check,
  complain,
  duration,
  list,
  number,
  optional,
  type RecordOf,
  record,
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

/** Goes up and down with the day, drifts with the weather, and no two readings are quite the same. */
export interface DailyModel {
  readonly kind: 'daily';
  readonly mean: number;
  /** Each device has its own mean, at most this far away. */
  readonly spread: number;
  /** Half the difference between day and night; negative for what is lower by day. */
  readonly swing: number;
  /** How far weather moves it, at most. */
  readonly drift: number;
  /** How far a reading may be off. */
  readonly noise: number;
}

/** A running total of pulses that come in at random. */
export interface PulsesModel {
  readonly kind: 'pulses';
  /** Mean number in an hour. */
  readonly perHour: number;
}

/** A running total of pulses, such as tips of a rain gauge, that come in showers; between them it is dry. */
export interface ShowersModel {
  readonly kind: 'showers';
  /** Number of showers in a day. */
  readonly perDay: number;
  /** How long each lasts; shorter than a day divided by `perDay`. */
  readonly lasts: Millis;
  /** Mean number of pulses in an hour of shower. */
  readonly perHour: number;
}

/** A running total of presses of a button, each at a moment that can be watched for. */
export interface PressesModel {
  readonly kind: 'presses';
  readonly perDay: number;
}

/** A direction in degrees, 0 to 360, in the steps of a vane: each device has a prevailing one of its own. */
export interface DirectionModel {
  readonly kind: 'direction';
  /** From one direction that the vane knows to the next. */
  readonly step: number;
  /** How far weather turns it either way. */
  readonly drift: number;
  /** How far a reading may be off. */
  readonly noise: number;
}

/** A contact that is closed now and then: 1 while it is, otherwise 0. */
export interface SwitchModel {
  readonly kind: 'switch';
  /** Number of times in a day. */
  readonly perDay: number;
  /** Longest time that it stays closed; shorter than a day divided by `perDay`. */
  readonly stays: Millis;
}

/** The voltage of a primary cell: nearly flat, then falling. It is changed when it is empty. */
export interface BatteryModel {
  readonly kind: 'battery';
  /** Volts when new. */
  readonly full: number;
  /** Volts when empty. */
  readonly empty: number;
  /** How long a cell lasts; devices have theirs at every age. */
  readonly lasts: Millis;
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
  | ShowersModel
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
      },
      (options) => ({ kind: 'daily', ...options }),
    ),
    pulses: of({ per_hour: amount }, ({ per_hour }) => ({ kind: 'pulses', perHour: per_hour })),
    showers: of({ per_day: amount, lasts: duration, per_hour: amount }, ({ per_day, lasts, per_hour }, refuse) => {
      if (per_day * lasts >= days(1)) refuse('lasts longer than a day divided by "per_day"');
      return { kind: 'showers', perDay: per_day, lasts, perHour: per_hour };
    }),
    presses: of({ per_day: amount }, ({ per_day }) => ({ kind: 'presses', perDay: per_day })),
    direction: of({ step: number(), drift: amount, noise: optional(amount, 0) }, (options, refuse) => {
      if (options.step <= 0) refuse('the step of a direction must be more than 0');
      return { kind: 'direction', ...options };
    }),
    calibrated: of({ points: text(), of: list(other, 1) }, (options) => ({ kind: 'calibrated', ...options })),
    switch: of({ per_day: amount, stays: duration }, ({ per_day, stays }, refuse) => {
      if (per_day * stays >= days(1)) refuse('stays closed longer than a day divided by "per_day"');
      return { kind: 'switch', perDay: per_day, stays };
    }),
    battery: of({ full: number(), empty: number(), lasts: duration }, (options, refuse) => {
      if (options.lasts <= 0) refuse('a battery must last longer than 0s');
      return { kind: 'battery', ...options };
    }),
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
    };
    return (node, problems) => {
      const read = record('this quantity', { ...common, ...shape })(node, problems);
      if (read === undefined) return undefined;
      const { model: _, unit, range: ends, enabled, ...options } = read as RecordOf<typeof common> & RecordOf<S>;
      // Because what is left after taking out the common keys are the keys of the shape.
      const model = make(options as unknown as RecordOf<S>, (why) => problems.add(node, why));
      const [min, max] = ends;
      const centre = model.kind === 'daily' ? model.mean : model.kind === 'constant' ? model.value : min;
      if (centre < min || centre > max) problems.add(node, `${centre} is outside of the range from ${min} to ${max}`);
      return { name, unit, min, max, model, ...(enabled && { enabled }) };
    };
  }
}

/** Whether a model is a running total, which only ever grows. */
export function isTotal({ kind }: ModelSpec): boolean {
  return kind === 'pulses' || kind === 'showers' || kind === 'presses';
}

const UNBOUNDED = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

function three(item: Check<number>): Check<readonly [number, number, number]> {
  return (node, problems) => {
    if (node.kind !== 'list' || node.items.length !== 3) return complain(node, problems, 'a list of three quantities');
    const [x, y, z] = node.items.map((entry) => item(entry, problems));
    return x === undefined || y === undefined || z === undefined ? undefined : [x, y, z];
  };
}
