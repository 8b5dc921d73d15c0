/** What a device measures, from profile and configuration at boot; shared by equal devices. layout.ts has the places. */
import type { Millis, Seconds } from '../../kernel/time.js';
import type {
  AlarmListSpec,
  EdgeListSpec,
  EventListSpec,
  PressListSpec,
  Profile,
  SensorSpec,
} from '../../profile/profile.js';
import {
  type Calibration,
  type ListSettings,
  type MeasuringConfig,
  type MeasuringSettings,
  readSettings,
} from './measuring-settings.js';

export interface Plan {
  readonly tasks: readonly MeasuringTask[];
  /** By task: whether it has no visible effect before the next report. */
  readonly quiet: readonly boolean[];
  /** By task: after which time the next run replaces everything that a run has stored; Infinity if it does not. */
  readonly replaced: readonly Millis[];
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
  /** Infinity if its parameter is 0, and for `watch`, which runs when an input may have changed. */
  readonly every: Millis;
  /** Whether the shell command `sample` or `aggreg` (by kind) runs it at once and restarts its interval. */
  readonly onRequest: boolean;
  readonly sensors: readonly SensorPlan[];
}

export interface SensorPlan {
  /** Index in {@link Plan.sensors}. */
  readonly index: number;
  readonly spec: SensorSpec;
  /** Its kind: index in the profile's sensors. */
  readonly sensor: number;
  /** Number among the sensors of its kind, from 0. */
  readonly number: number;
  /** Address of a BLE tag, or of a device on the serial line (in decimal digits); empty for other sensors. */
  readonly address: string;
  /** Seconds from one window to the next. */
  readonly period: Seconds;
  /** Samples in a window and windows in a report, if every sample is taken and every report is sent. */
  readonly expected: { readonly samples: number; readonly windows: number };
  /** All event lists of the sensor. `alarms` and `presses` contain the lists of that kind. */
  readonly lists: readonly ListPlan[];
  readonly alarms: readonly ListPlan<AlarmListSpec>[];
  readonly presses: readonly ListPlan<PressListSpec>[];
  /** By quantity: whether the configuration has switched it off. */
  readonly off: readonly boolean[];
  readonly calibration: Calibration | undefined;
}

/** An event list of one sensor, with its settings from the configuration. */
export interface ListPlan<S = EventListSpec> {
  /** Index in {@link Plan.lists}. */
  readonly index: number;
  readonly spec: S;
  readonly sensor: SensorPlan;
  readonly settings: ListSettings;
}

export function planFor(profile: Profile, config: MeasuringConfig): Plan {
  const known = plans.get(profile) ?? { byLive: new WeakMap<object, Plan>(), bySettings: new Map<string, Plan>() };
  plans.set(profile, known);
  const plan = known.byLive.get(config.live) ?? planFrom(readSettings(profile, config), profile, known);
  known.byLive.set(config.live, plan);
  return plan;
}

interface Plans {
  /** By live settings: reading the settings of each device would take 4 % of the CPU time of a fleet's boot. */
  readonly byLive: WeakMap<object, Plan>;
  /** By the settings on which a plan depends, as JSON: devices that differ in others share a plan, too. */
  readonly bySettings: Map<string, Plan>;
}

const plans = new WeakMap<Profile, Plans>();

function planFrom(settings: MeasuringSettings, profile: Profile, { bySettings }: Plans): Plan {
  const key = JSON.stringify(settings);
  const plan = bySettings.get(key) ?? makePlan(profile, settings);
  // A fleet usually has few different configurations. If each device has its own, plans are not reused: the cache is emptied at
  // 1000 plans to save memory.
  if (bySettings.size >= 1000) bySettings.clear();
  bySettings.set(key, plan);
  return plan;
}

function makePlan(profile: Profile, settings: MeasuringSettings): Plan {
  const sensors: SensorPlan[] = [];
  const lists: ListPlan[] = [];
  const edges: ListPlan<EdgeListSpec>[] = [];
  const allPresses: ListPlan<PressListSpec>[] = [];
  const byKind = profile.sensors.map((spec, kind) => {
    const { sample, aggregate } = intervalsOf(kind, profile, settings);
    const longest = settings.report * (1 + profile.timing.jitter);
    const until = spec.windows?.kind === 'log' ? longest : aggregate;
    const expected = { samples: times(until, sample), windows: times(longest, aggregate) };
    const off = settings.off[kind] ?? [];
    const pressed = profile.eventLists.findIndex((list) => list.kind === 'press' && list.sensor === kind);
    const period = settings.lists[pressed]?.period ?? Math.round(aggregate / 1000);

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
  return {
    tasks,
    quiet: tasks.map(isQuiet),
    replaced: tasks.map(replacedAfter),
    sensors,
    byKind,
    lists,
    edges,
    presses: allPresses,
  };
}

/** How often a task with the interval `every` runs in the time `within`; Infinity (not known) if `every` is 0. */
function times(within: Millis, every: Millis): number {
  return every === 0 ? Number.POSITIVE_INFINITY : Math.ceil(within / every);
}

/** The intervals at which a sensor is sampled and aggregated; 0 if it is not. */
function intervalsOf(
  kind: number,
  profile: Profile,
  { every }: MeasuringSettings,
): { sample: Millis; aggregate: Millis } {
  const intervals = { sample: 0, aggregate: 0 };
  profile.tasks.forEach((task, index) => {
    if (task.sensors.includes(kind)) intervals[task.kind] = every[index] ?? 0;
  });
  return intervals;
}

function planTasks(
  profile: Profile,
  { every }: MeasuringSettings,
  byKind: readonly (readonly SensorPlan[])[],
): readonly MeasuringTask[] {
  return profile.tasks.flatMap(({ kind, what, sensors, first, onRequest }, index) => {
    const present = sensors.flatMap((sensor) => byKind[sensor] ?? []);
    if (present.length === 0) return [];
    // A timer without an interval fires once.
    const interval = every[index] || Number.POSITIVE_INFINITY;
    return [{ kind, what, first: first ?? interval, every: interval, onRequest, sensors: present }];
  });
}

/** A sample or a window has no visible effect before the next report, unless it can trigger an alarm. */
function isQuiet({ kind, sensors }: MeasuringTask): boolean {
  return (
    kind !== 'watch' && !sensors.some(({ alarms }) => alarms.some(({ settings }) => settings.report.some(Boolean)))
  );
}

/** The task that connects the test load: each of its runs costs energy. */
export const BATTERY_MEASUREMENT = 'sample battery';

/** Without a window, only the last sample is stored. */
function replacedAfter(task: MeasuringTask): Millis {
  const { kind, what, every, sensors } = task;
  const isReplaced =
    kind === 'sample' && what !== BATTERY_MEASUREMENT && sensors.every(({ spec }) => !spec.windows?.samples);
  return isReplaced && isQuiet(task) ? every : Number.POSITIVE_INFINITY;
}

const WATCH: MeasuringTask = {
  kind: 'watch',
  what: 'watch inputs',
  first: 0,
  every: Number.POSITIVE_INFINITY,
  onRequest: false,
  sensors: [],
};
