/**
 * What a device measures: a plan derived from its profile and its configuration at boot. Devices with the same configuration
 * share one plan. layout.ts defines where a device stores the measured values.
 */
import type { Millis, Seconds } from '../../kernel/time.js';
import type {
  AlarmListSpec,
  EdgeListSpec,
  EventListSpec,
  ParameterRef,
  Presence,
  PressListSpec,
  Profile,
  SensorSpec,
} from '../../profile/profile.js';
import { parseDeviceSlot } from '../config/device-slot.js';

/** The part of a device's live configuration that decides what it measures. */
export interface MeasuringConfig {
  number(module: string, name: string): number;
  text(module: string, name: string): string;
  flag(module: string, name: string): boolean;
  /** Address in a slot (from 0): 12 hex digits; undefined when it is empty. */
  slot(module: string, n: number): string | undefined;
}

export interface Plan {
  readonly tasks: readonly MeasuringTask[];
  /** By task: whether it has no visible effect before the next report. */
  readonly quiet: readonly boolean[];
  /** All sensors of the device. */
  readonly sensors: readonly SensorPlan[];
  /** By sensor index of the profile: the sensors of this kind that the device has. */
  readonly byKind: readonly (readonly SensorPlan[])[];
  readonly lists: readonly ListPlan[];
  readonly edges: readonly ListPlan<EdgeListSpec>[];
  readonly presses: readonly ListPlan<PressListSpec>[];
}

/** A periodic task of the application. */
export interface MeasuringTask {
  /** `watch` reads inputs that can change at any time. */
  readonly kind: 'sample' | 'aggregate' | 'watch';
  /** Name for messages and for clock alarms. */
  readonly what: string;
  /** Delay of the first run after the start of the application. */
  readonly first: Millis;
  /** Infinity for `watch`, which runs when an input may have changed. */
  readonly every: Millis;
  /** Whether the shell command `sample` or `aggreg` (by kind) runs it at once and restarts its interval. */
  readonly onRequest: boolean;
  readonly sensors: readonly SensorPlan[];
}

/** One sensor that the device has. */
export interface SensorPlan {
  /** Index in {@link Plan.sensors}. */
  readonly index: number;
  readonly spec: SensorSpec;
  /** Its kind: index in the profile's sensors. */
  readonly sensor: number;
  /** Number among the sensors of its kind, from 0. */
  readonly number: number;
  /** Address of a BLE tag, or of a device on a line in decimal digits; empty for other sensors. */
  readonly address: string;
  /** Seconds from one window to the next. */
  readonly period: Seconds;
  /** Samples in a window and windows in a report, if every sample is taken and every report is sent. */
  readonly expected: { readonly samples: number; readonly windows: number };
  /** All its event lists; `alarms` and `presses` are the ones of these kinds. */
  readonly lists: readonly ListPlan[];
  readonly alarms: readonly ListPlan<AlarmListSpec>[];
  readonly presses: readonly ListPlan<PressListSpec>[];
  /** By quantity: whether the configuration has switched it off. */
  readonly off: readonly boolean[];
  readonly calibration: Calibration | undefined;
}

/** Computes a calibrated quantity: `offset + factor` × the quantity `from`; NaN without two different points. */
interface Calibration {
  /** Index of the calibrated quantity. */
  readonly quantity: number;
  /** Position of the raw quantity in the model's `of`; `from` is its index in the sensor. */
  readonly mode: number;
  readonly from: number;
  readonly factor: number;
  readonly offset: number;
}

/** An event list of one sensor, with its settings from the configuration. */
export interface ListPlan<S = EventListSpec> {
  /** Index in {@link Plan.lists}. */
  readonly index: number;
  readonly spec: S;
  readonly sensor: SensorPlan;
  readonly settings: ListSettings;
}

interface ListSettings {
  /** Edge: whether switching on and switching off are reported. Alarm: whether the high and the low alarm are. */
  readonly report: readonly [boolean, boolean];
  /** Alarm: the values at which the high and the low alarm switch on and off. */
  readonly high: readonly [on: number, off: number];
  readonly low: readonly [on: number, off: number];
}

/** The plan for a device with this configuration. */
export function planFor(profile: Profile, config: MeasuringConfig): Plan {
  const settings = readSettings(profile, config);
  const key = JSON.stringify(settings);
  // A fleet has few different configurations. If each device had its own, a cache of all plans would only cost memory.
  let known = plans.get(profile);
  if (known === undefined || known.size >= 1000) {
    known = new Map();
    plans.set(profile, known);
  }
  const plan = known.get(key) ?? makePlan(profile, settings);
  known.set(key, plan);
  return plan;
}

const plans = new WeakMap<Profile, Map<string, Plan>>();

/** The settings on which a plan depends. */
interface Settings {
  /** By sensor and number: null if the sensor is absent, otherwise its address, empty if it has none. */
  readonly present: readonly (readonly (string | null)[])[];
  /** By sensor: the quantities that are switched off, and the calibration by number. */
  readonly off: readonly (readonly boolean[])[];
  readonly calibrations: readonly (readonly (Calibration | undefined)[])[];
  /** By task. */
  readonly every: readonly Millis[];
  /** By event list. */
  readonly lists: readonly ListSettings[];
  readonly report: Millis;
}

function readSettings(profile: Profile, config: MeasuringConfig): Settings {
  const number = ({ module, name }: ParameterRef) => config.number(module, name);
  const flag = ({ module, name }: ParameterRef) => config.flag(module, name);
  return {
    present: profile.sensors.map(({ present, count }) =>
      Array.from({ length: count }, (_, n) => {
        if (present === undefined) return '';
        if (present.kind === 'device') return deviceInSlot(present, n, profile, config);
        if (present.kind === 'slot') return flag(present.enabled) ? (config.slot(present.module, n) ?? null) : null;
        const numbered = `${present.ref.name}-${n + 1}`;
        if (present.kind === 'flag') return config.flag(present.ref.module, numbered) ? '' : null;
        return config.text(present.ref.module, numbered) === present.is ? '' : null;
      }),
    ),
    off: profile.sensors.map(({ quantities }) =>
      quantities.map(({ enabled }) => enabled !== undefined && !flag(enabled)),
    ),
    calibrations: profile.sensors.map((sensor) =>
      Array.from({ length: sensor.count }, (_, n) => calibration(sensor, n + 1, profile, config)),
    ),
    every: profile.tasks.map(({ every }) => (typeof every === 'number' ? every : 1000 * number(every))),
    lists: profile.eventLists.map((list) => {
      if (list.kind === 'edge') return { report: [flag(list.reportOn), flag(list.reportOff)], high: NONE, low: NONE };
      if (list.kind === 'press') return { report: [true, true], high: NONE, low: NONE };
      const { high, low } = list;
      const half = { high: number(high.hysteresis) / 2, low: number(low.hysteresis) / 2 };
      const threshold = { high: number(high.threshold), low: number(low.threshold) };
      return {
        report: [flag(high.report), flag(low.report)],
        high: [threshold.high + half.high, threshold.high - half.high],
        low: [threshold.low - half.low, threshold.low + half.low],
      };
    }),
    report: profile.timing.reportEvery ? 1000 * number(profile.timing.reportEvery) : 0,
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

function makePlan(profile: Profile, settings: Settings): Plan {
  const sensors: SensorPlan[] = [];
  const lists: ListPlan[] = [];
  const edges: ListPlan<EdgeListSpec>[] = [];
  const allPresses: ListPlan<PressListSpec>[] = [];
  const byKind = profile.sensors.map((spec, kind) => {
    const { sample, aggregate } = intervalsOf(kind, profile, settings);
    const longest = settings.report * (1 + profile.timing.jitter);
    const until = spec.windows?.kind === 'log' ? longest : aggregate;
    const expected = { samples: Math.ceil(until / sample), windows: Math.ceil(longest / aggregate) };
    const off = settings.off[kind] ?? [];
    const period = Math.round(aggregate / 1000);

    return (settings.present[kind] ?? []).flatMap((address, number) => {
      if (address === null) return [];
      const own: ListPlan[] = [];
      const alarms: ListPlan<AlarmListSpec>[] = [];
      const presses: ListPlan<PressListSpec>[] = [];
      const index = sensors.length;
      const calibration = settings.calibrations[kind]?.[number];
      const gathered = { period, expected, lists: own, alarms, presses };
      const sensor: SensorPlan = { index, spec, sensor: kind, number, address, off, calibration, ...gathered };
      sensors.push(sensor);
      profile.eventLists.forEach((list, l) => {
        const said = settings.lists[l];
        if (list.sensor !== kind || said === undefined) return;
        const common = { index: lists.length, sensor, settings: said };
        lists.push({ ...common, spec: list });
        own.push({ ...common, spec: list });
        if (list.kind === 'alarm') alarms.push({ ...common, spec: list });
        else if (list.kind === 'press') presses.push({ ...common, spec: list });
        else edges.push({ ...common, spec: list });
      });
      allPresses.push(...presses);
      return [sensor];
    });
  });
  const watched = edges.length + allPresses.length > 0;
  const tasks = [...planTasks(profile, settings, byKind), ...(watched ? [WATCH] : [])];
  return { tasks, quiet: tasks.map(isQuiet), sensors, byKind, lists, edges, presses: allPresses };
}

/** How often a sensor is sampled and aggregated; 0 for never. */
function intervalsOf(kind: number, profile: Profile, { every }: Settings): { sample: Millis; aggregate: Millis } {
  const intervals = { sample: 0, aggregate: 0 };
  profile.tasks.forEach((task, index) => {
    if (task.sensors.includes(kind)) intervals[task.kind] = every[index] ?? 0;
  });
  return intervals;
}

function planTasks(
  profile: Profile,
  { every }: Settings,
  byKind: readonly (readonly SensorPlan[])[],
): readonly MeasuringTask[] {
  return profile.tasks.flatMap(({ kind, what, sensors, first, onRequest }, index) => {
    const present = sensors.flatMap((sensor) => byKind[sensor] ?? []);
    const interval = every[index] ?? 0;
    if (present.length === 0) return [];
    return [{ kind, what, first: first ?? interval, every: interval, onRequest, sensors: present }];
  });
}

/** A sample or a window has no visible effect before the next report, unless it can trigger an alarm. */
function isQuiet({ kind, sensors }: MeasuringTask): boolean {
  return (
    kind !== 'watch' && !sensors.some(({ alarms }) => alarms.some(({ settings }) => settings.report.some(Boolean)))
  );
}

const WATCH: MeasuringTask = {
  kind: 'watch',
  what: 'watch inputs',
  first: 0,
  every: Number.POSITIVE_INFINITY,
  onRequest: false,
  sensors: [],
};
