/** The settings of a device on which its measuring plan depends, read from its configuration. */
import type { Millis, Seconds } from '../../kernel/time.js';
import type { AlarmSpec, EventListSpec, ParameterRef, Presence, Profile, SensorSpec } from '../../profile/profile.js';
import { parseDeviceSlot } from '../config/device-slot.js';

/** The part of a device's live configuration that decides what it measures. */
export interface MeasuringConfig {
  /** All live settings, which devices may share. A change makes a new object. */
  readonly live: object;
  number(module: string, name: string): number;
  text(module: string, name: string): string;
  flag(module: string, name: string): boolean;
  /** Address in a slot (from 0): 12 hex digits; undefined when it is empty. */
  slot(module: string, n: number): string | undefined;
}

/** The settings on which a plan depends. */
export interface MeasuringSettings {
  /** By sensor and number: its address, empty if it has none; null if the device lacks the sensor. */
  readonly present: readonly (readonly (string | null)[])[];
  /** By sensor and quantity: whether the quantity is switched off. */
  readonly off: readonly (readonly boolean[])[];
  /** By sensor and number: the calibration of the sensor. */
  readonly calibrations: readonly (readonly (Calibration | undefined)[])[];
  /** By task: its interval. */
  readonly every: readonly Millis[];
  readonly lists: readonly ListSettings[];
  /** Interval of the regular reports; 0 if they are off. */
  readonly report: Millis;
}

/** Computes a calibrated quantity: `offset + factor` × the quantity `from`; NaN without two different points. */
export interface Calibration {
  /** Index of the calibrated quantity. */
  readonly quantity: number;
  /** Position of the raw quantity in the model's `of`; `from` is its index in the sensor. */
  readonly mode: number;
  readonly from: number;
  readonly factor: number;
  readonly offset: number;
}

export interface ListSettings {
  /** Edge: whether switching on and switching off are reported. Alarm: whether the high and the low alarm are. */
  readonly report: readonly [boolean, boolean];
  /** Alarm: the values at which the high and the low alarm switch on and off. */
  readonly high: readonly [on: number, off: number];
  readonly low: readonly [on: number, off: number];
  /** Press: period of the windows that presses close. */
  readonly period?: Seconds | undefined;
}

/** Reads the settings of all sensors, tasks and event lists. */
export function readSettings(profile: Profile, config: MeasuringConfig): MeasuringSettings {
  const { sensors, tasks, timing } = profile;
  const millis = ({ module, name }: ParameterRef) => 1000 * config.number(module, name);
  return {
    present: sensors.map(({ present, count }) =>
      Array.from({ length: count }, (_, n) => (present ? addressOf(present, n, profile, config) : '')),
    ),
    off: sensors.map(({ quantities }) =>
      quantities.map(({ enabled }) => enabled !== undefined && !config.flag(enabled.module, enabled.name)),
    ),
    calibrations: sensors.map((sensor) =>
      Array.from({ length: sensor.count }, (_, n) => calibration(sensor, n + 1, profile, config)),
    ),
    every: tasks.map(({ every }) => (typeof every === 'number' ? every : millis(every))),
    lists: profile.eventLists.map((list) => listSettings(list, config)),
    report: timing.reportEvery ? millis(timing.reportEvery) : 0,
  };
}

/** The address of the n-th sensor of a kind, from 0, or an empty text if it has none; null if the sensor is absent. */
function addressOf(present: Presence, n: number, profile: Profile, config: MeasuringConfig): string | null {
  if (present.kind === 'device') return deviceInSlot(present, n, profile, config);
  if (present.kind === 'slot') {
    const { module, enabled } = present;
    const address = config.slot(module, n);
    return config.flag(enabled.module, enabled.name) && address !== undefined ? address : null;
  }
  const { module, name } = present.ref;
  if (present.kind === 'setting') return present.is.includes(config.text(module, name)) ? '' : null;
  const numbered = `${name}-${n + 1}`;
  const isPresent =
    present.kind === 'flag' ? config.flag(module, numbered) : config.text(module, numbered) === present.is;
  return isPresent ? '' : null;
}

function listSettings(list: EventListSpec, config: MeasuringConfig): ListSettings {
  const number = ({ module, name }: ParameterRef) => config.number(module, name);
  const flag = ({ module, name }: ParameterRef) => config.flag(module, name);
  if (list.kind === 'edge') return { report: [flag(list.reportOn), flag(list.reportOff)], high: NONE, low: NONE };
  if (list.kind === 'press') {
    const period = list.period && number(list.period);
    return { report: [true, true], high: NONE, low: NONE, period };
  }
  const { high, low } = list;
  /** Where the alarm begins and ends. */
  const limits = ({ threshold, hysteresis }: AlarmSpec, half: number): readonly [number, number] => [
    number(threshold) + half * number(hysteresis),
    number(threshold) - half * number(hysteresis),
  ];
  return {
    report: [high !== undefined && flag(high.report), low !== undefined && flag(low.report)],
    high: high ? limits(high, 0.5) : NONE,
    low: low ? limits(low, -0.5) : NONE,
  };
}

const NONE = [0, 0] as const;

/** The line address of the device in slot n, from 0, as text; null if the slot has no device of this type. */
function deviceInSlot(
  { ref, is }: Extract<Presence, { readonly kind: 'device' }>,
  n: number,
  { modules }: Profile,
  config: MeasuringConfig,
): string | null {
  const name = `${ref.name}-${n}`;
  const spec = modules.find((module) => module.name === ref.module)?.parameters.find((known) => known.name === name);
  const types = spec?.type === 'string' ? spec.types : undefined;
  const slot = types && parseDeviceSlot(config.text(ref.module, name), types);
  return slot?.type === is ? String(slot.address) : null;
}

/** The calibration of the n-th sensor of a kind, from 1; undefined if it has none. */
function calibration(
  { quantities }: SensorSpec,
  n: number,
  { modules }: Profile,
  config: MeasuringConfig,
): Calibration | undefined {
  const quantity = quantities.findIndex(({ model }) => model.kind === 'calibrated');
  const model = quantities[quantity]?.model;
  if (model?.kind !== 'calibrated') return undefined;
  const point = (word: string) => config.number('app', `${model.points}-${word}-${n}`);
  const name = `${model.points}-mode-${n}`;
  const spec = modules.find((module) => module.name === 'app')?.parameters.find((known) => known.name === name);
  const mode = spec?.type === 'enum' ? spec.values.indexOf(config.text('app', name)) : 0;
  const [x0, y0, x1, y1] = [point('x0'), point('y0'), point('x1'), point('y1')];
  const factor = x0 === x1 ? Number.NaN : (y1 - y0) / (x1 - x0);
  return { quantity, mode, from: model.of[mode] ?? -1, factor, offset: y0 - factor * x0 };
}
