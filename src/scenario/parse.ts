/**
 * Reads a scenario file. All problems come out together, each with file, line and column: a part that is wrong does not
 * keep the others from being checked.
 */
import {
  type Check,
  complain,
  duration,
  integer,
  list,
  optional,
  readVariant,
  rejectUnknownKeys,
  text,
  valueAt,
} from '../input/checks.js';
import { type LocatedNode, type MapNode, Problems, readYaml } from '../input/document.js';
import { didYouMean, quote } from '../input/problems.js';
import { hours, type Millis, minutes, type UnixMillis } from '../kernel/time.js';
import type { Profile } from '../profile/profile.js';
import { expectation } from './expect/parse.js';
import { type DeviceTypes, type FleetShape, fleet } from './parse-fleet.js';
import { load } from './parse-load.js';
import { network, savesPower } from './parse-network.js';
import type { FleetGroup, Scenario, ScenarioStep, Selector } from './scenario.js';
import { checkStep, STEP_NAMES } from './steps/index.js';
import type { NamedText } from './steps/step.js';

/** 2026-01-01T00:00:00Z: a calendar time that is the same in every run. */
const DEFAULT_START: UnixMillis = 1_767_225_600_000;
const DEFAULT_SEED = 1;
const DEFAULT_SETTLE: Millis = minutes(10);
const LONGEST_DURATION: Millis = hours(24 * 366);

const KEYS = [
  ...['name', 'about', 'seed', 'start', 'duration', 'settle', 'warm-up'],
  ...['fleet', 'network', 'steps', 'load', 'expect', 'next'],
];

/**
 * @param source the YAML text
 * @param file its name, for messages
 * @param types the device types that there are, by the names of their profiles
 * @param sources what else steps are checked against; without it they are checked for themselves
 * @throws InputError naming every problem
 */
export function parseScenario(
  source: string,
  file: string,
  types: DeviceTypes,
  sources: ScenarioSources = NO_SOURCES,
): Scenario {
  const root = readYaml(source, file);
  const problems = new Problems();
  if (root.kind !== 'map') complain(root, problems, 'a scenario: a map with name, duration, fleet, steps, …');
  const scenario = root.kind === 'map' ? readScenario(root, file, types, sources, problems) : undefined;
  problems.finish();
  // Because no problem was noted, every part could be read.
  return scenario as Scenario;
}

function readScenario(
  root: MapNode,
  file: string,
  types: DeviceTypes,
  sources: ScenarioSources,
  problems: Problems,
): Scenario | undefined {
  rejectUnknownKeys(root, KEYS, 'a scenario', problems);
  const read = <T>(key: string, check: Check<T>, fallback?: T): T | undefined => {
    const entry = root.entries.get(key);
    if (entry) return check(entry.value, problems);
    if (fallback === undefined) problems.add(root, `a scenario needs "${key}"`);
    return fallback;
  };
  const name = read('name', text(/^[a-z0-9][a-z0-9-]{0,63}$/, 'a name of small letters, digits and hyphens'));
  const about = read('about', text(), '');
  const seed = read('seed', integer(0, Number.MAX_SAFE_INTEGER, 'a whole number from 0'), DEFAULT_SEED);
  const start = read('start', calendarTime, DEFAULT_START);
  const length = read('duration', positiveDuration);
  const settle = read('settle', duration, DEFAULT_SETTLE);
  const warmUp = read('warm-up', duration, 0);
  // A wrong duration must not make every later moment wrong too.
  const end = length ?? Number.POSITIVE_INFINITY;
  const shape: FleetShape = { types, end };
  const groups = read('fleet', (node, found) => fleet(node, found, shape));
  // Groups that could be named may be referred to, also when the rest of them is wrong.
  const names = groupNames(root.entries.get('fleet')?.value);
  const faults = read('network', (node, found) => network(node, found, { groups: names, end }), []);
  const sizes = groups && groupSizes(groups);
  const context: StepContext = { names, groups, sources, sizes, end };
  const steps = read(
    'steps',
    list((node, found) => step(node, found, context)),
    [],
  );
  const saving = savesPower(root.entries.get('network')?.value, problems);
  const loads = read(
    'load',
    (node, found) => load(node, found, { end, selector: (to, place) => selector(to, place, found, context) }),
    [],
  );
  const expectations = read('expect', list(expectation), []);
  const next = read('next', list(text()), []);
  if (name === undefined || about === undefined || seed === undefined || start === undefined) return undefined;
  if (warmUp === undefined || loads === undefined) return undefined;
  if (length === undefined || settle === undefined || groups === undefined || faults === undefined) return undefined;
  if (steps === undefined || expectations === undefined || next === undefined) return undefined;
  return {
    file,
    name,
    about,
    seed,
    start,
    duration: length,
    settle,
    warmUp,
    fleet: groups,
    network: faults,
    steps: saving ? steps : [REFUSE_POWER_SAVING, ...steps],
    loads,
    expectations,
    next,
  };
}

export type { DeviceTypes } from './parse-fleet.js';

/** Before anybody attaches. */
const REFUSE_POWER_SAVING: ScenarioStep = {
  at: 0,
  over: 0,
  to: { kind: 'all' },
  call: { step: 'power-saving', options: 'off' },
};

/** What a scenario refers to. */
export interface ScenarioSources {
  /** Device types by the names of their profiles. */
  readonly profiles: ReadonlyMap<string, Profile>;
  /** A file that the scenario names, by its path from there. @throws Error whose message says why it can not be read */
  readonly readFile: (path: string) => NamedText;
}

const NO_SOURCES: ScenarioSources = {
  profiles: new Map(),
  readFile: () => {
    throw new Error('there are no files here');
  },
};

interface StepContext {
  readonly names: readonly string[];
  readonly groups: readonly FleetGroup[] | undefined;
  readonly sources: ScenarioSources;
  /** undefined when the fleet could not be read. */
  readonly sizes: ReadonlyMap<string, number> | undefined;
  readonly end: Millis;
}

const TIMING = { at: duration, over: optional(duration, 0), to: optional(text(), 'all') };

function step(node: LocatedNode, problems: Problems, context: StepContext): ScenarioStep | undefined {
  if (node.kind !== 'map') return complain(node, problems, 'a step: a map with "at", "to" and what to do');
  const { common, kind, options } = readVariant('a step', TIMING, STEP_NAMES, node, problems);
  if (common && common.at + common.over > context.end) {
    problems.add(valueAt(node, 'at'), 'the step would happen after the end of the scenario');
  }
  const to = common && selector(common.to, valueAt(node, 'to'), problems, context);
  const scope = { profiles: to ? profilesOf(to, context) : [], readFile: context.sources.readFile };
  const call = kind && checkStep(kind, options, problems, scope);
  return common && to && call && { at: common.at, over: common.over, to, call };
}

/** The device types that a step is for. */
function profilesOf(to: Selector, { groups, sources }: StepContext): readonly Profile[] {
  const meant = (groups ?? []).filter(({ name }) => to.kind === 'all' || name === to.group);
  const names = new Set(meant.map(({ profile }) => profile));
  return [...names].flatMap((name) => sources.profiles.get(name) ?? []);
}

function selector(
  to: string,
  node: LocatedNode,
  problems: Problems,
  { names, sizes }: StepContext,
): Selector | undefined {
  if (to === 'all') return { kind: 'all' };
  const [, group = '', number] = /^([^/]*)(?:\/(\d{1,9}))?$/.exec(to) ?? [];
  if (!names.includes(group)) {
    problems.add(
      node,
      `${quote(to)} is not "all", a group or a device such as "${names[0] ?? 'clime'}/3"${didYouMean(group, names)}`,
    );
    return undefined;
  }
  if (number === undefined) return { kind: 'group', group };
  const size = sizes?.get(group);
  if (Number(number) < 1 || (size !== undefined && Number(number) > size)) {
    problems.add(node, `${quote(to)} does not exist: the group has the devices 1 to ${size ?? '…'}`);
    return undefined;
  }
  return { kind: 'device', group, number: Number(number) };
}

/** A calendar time in UTC: `2026-03-01T06:00:00Z`. */
const calendarTime: Check<UnixMillis> = (node, problems) => {
  const source = node.kind === 'scalar' ? node.source.trim() : '';
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(source) ? Date.parse(source) : Number.NaN;
  // The 30th of February parses as a day in March.
  const real = !Number.isNaN(time) && new Date(time).toISOString().startsWith(source.slice(0, 16));
  return real ? time : complain(node, problems, 'a time in UTC such as "2026-03-01T06:00:00Z"');
};

const positiveDuration: Check<Millis> = (node, problems) => {
  const length = duration(node, problems);
  if (length === undefined || (length > 0 && length <= LONGEST_DURATION)) return length;
  return complain(node, problems, 'a duration of more than 0 and at most a year');
};

function groupNames(node: LocatedNode | undefined): readonly string[] {
  if (node?.kind !== 'list') return [];
  return node.items.flatMap((item) => {
    const name = item.kind === 'map' ? item.entries.get('name')?.value : undefined;
    return name?.kind === 'scalar' && typeof name.value === 'string' ? [name.value] : [];
  });
}

function groupSizes(groups: readonly FleetGroup[]): ReadonlyMap<string, number> {
  return new Map(groups.map((group) => [group.name, group.count]));
}
