/**
 * What a device measures, worked out from its profile and its configuration at boot, once for all devices that are
 * configured alike. Where it keeps what it has measured is in layout.ts.
 */
import type { Millis } from '../../kernel/time.js';
import type {
  AlarmListSpec,
  EdgeListSpec,
  EventListSpec,
  ParameterRef,
  Profile,
  SensorSpec,
} from '../../profile/profile.js';

/** The sliver of a device's live configuration that decides what it measures. */
export interface MeasuringConfig {
  number(module: string, name: string): number;
  text(module: string, name: string): string;
  flag(module: string, name: string): boolean;
  /** Address in a slot (from 0): 12 hex digits; undefined when it is empty. */
  slot(module: string, n: number): string | undefined;
}

export interface Plan {
  readonly tasks: readonly MeasuringTask[];
  /** All sensors of the device. */
  readonly sensors: readonly SensorPlan[];
  /** By index of the profile's sensor: those of a kind that the device has. */
  readonly byKind: readonly (readonly SensorPlan[])[];
  readonly lists: readonly ListPlan[];
  readonly edges: readonly ListPlan<EdgeListSpec>[];
}

/** Something that the application does again and again. */
export interface MeasuringTask {
  /** `watch` looks at inputs that can change at any time. */
  readonly kind: 'sample' | 'aggregate' | 'watch';
  /** For people and alarms. */
  readonly what: string;
  /** Delay of the first run after the start of the application. */
  readonly first: Millis;
  /** Infinity for `watch`, which runs when there is something to see. */
  readonly every: Millis;
  /** Whether the shell's `sample` or `aggreg` (by its kind) runs it at once and begins its interval anew. */
  readonly onRequest: boolean;
  readonly sensors: readonly SensorPlan[];
}

/** One sensor that the device has. */
export interface SensorPlan {
  /** Its place in {@link Plan.sensors}. */
  readonly index: number;
  readonly spec: SensorSpec;
  /** Its kind, as an index into the profile. */
  readonly sensor: number;
  /** From 0 among those of its kind. */
  readonly number: number;
  /** Of a BLE tag; otherwise empty. */
  readonly address: string;
  /** Seconds from window to window. */
  readonly period: number;
  /** How many samples a window, and how many windows a report will have when all goes well. */
  readonly expected: { readonly samples: number; readonly windows: number };
  /** Its event lists; those of alarms once more by themselves. */
  readonly lists: readonly ListPlan[];
  readonly alarms: readonly ListPlan<AlarmListSpec>[];
}

/** An event list of one sensor, with what the configuration says about it. */
export interface ListPlan<S = EventListSpec> {
  /** Its place in {@link Plan.lists}. */
  readonly index: number;
  readonly spec: S;
  readonly sensor: SensorPlan;
  readonly settings: ListSettings;
}

interface ListSettings {
  /** Edge: whether going on and going off are reported; alarm: whether high and low are. */
  readonly report: readonly [boolean, boolean];
  /** Alarm: where high and low go on and off. */
  readonly high: readonly [on: number, off: number];
  readonly low: readonly [on: number, off: number];
}

/** The plan for a device with this configuration. */
export function planFor(profile: Profile, config: MeasuringConfig): Plan {
  const settings = readSettings(profile, config);
  const key = JSON.stringify(settings);
  // A fleet has a handful of configurations. Should every device have its own, keeping them all would help nobody.
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

/** Everything in the configuration that a plan depends on. */
interface Settings {
  /** By sensor and number: null when it is absent, otherwise its address or nothing. */
  readonly present: readonly (readonly (string | null)[])[];
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
        if (present.kind === 'slot') return flag(present.enabled) ? (config.slot(present.module, n) ?? null) : null;
        return config.text(present.ref.module, `${present.ref.name}-${n + 1}`) === present.is ? '' : null;
      }),
    ),
    every: profile.tasks.map(({ every }) => (typeof every === 'number' ? every : 1000 * number(every))),
    lists: profile.eventLists.map((list) => {
      if (list.kind === 'edge') return { report: [flag(list.reportOn), flag(list.reportOff)], high: NONE, low: NONE };
      const { high, low } = list;
      const half = { high: number(high.hysteresis) / 2, low: number(low.hysteresis) / 2 };
      const threshold = { high: number(high.threshold), low: number(low.threshold) };
      return {
        report: [flag(high.report), flag(low.report)],
        high: [threshold.high + half.high, threshold.high - half.high],
        low: [threshold.low - half.low, threshold.low + half.low],
      };
    }),
    report: 1000 * number(profile.timing.reportEvery),
  };
}

const NONE = [0, 0] as const;

function makePlan(profile: Profile, settings: Settings): Plan {
  const sensors: SensorPlan[] = [];
  const lists: ListPlan[] = [];
  const edges: ListPlan<EdgeListSpec>[] = [];
  const byKind = profile.sensors.map((spec, kind) => {
    const { sample, aggregate } = intervalsOf(kind, profile, settings);
    const longest = settings.report * (1 + profile.timing.jitter);
    const expected = { samples: Math.ceil(aggregate / sample), windows: Math.ceil(longest / aggregate) };
    const period = Math.round(aggregate / 1000);

    return (settings.present[kind] ?? []).flatMap((address, number) => {
      if (address === null) return [];
      const own: ListPlan[] = [];
      const alarms: ListPlan<AlarmListSpec>[] = [];
      const index = sensors.length;
      const sensor: SensorPlan = { index, spec, sensor: kind, number, address, period, expected, lists: own, alarms };
      sensors.push(sensor);
      profile.eventLists.forEach((list, l) => {
        const said = settings.lists[l];
        if (list.sensor !== kind || said === undefined) return;
        const common = { index: lists.length, sensor, settings: said };
        lists.push({ ...common, spec: list });
        own.push({ ...common, spec: list });
        if (list.kind === 'alarm') alarms.push({ ...common, spec: list });
        else edges.push({ ...common, spec: list });
      });
      return [sensor];
    });
  });
  const tasks = planTasks(profile, settings, byKind);
  return { tasks: edges.length > 0 ? [...tasks, WATCH] : tasks, sensors, byKind, lists, edges };
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

const WATCH: MeasuringTask = {
  kind: 'watch',
  what: 'watch inputs',
  first: 0,
  every: Number.POSITIVE_INFINITY,
  onRequest: false,
  sensors: [],
};
