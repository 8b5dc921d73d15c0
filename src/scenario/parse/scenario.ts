/** Reads a scenario. All problems are reported, with file, line and column, whatever part they are in. */
import {
  type Check,
  type Checked,
  complain,
  duration,
  type Form,
  formed,
  formOf,
  integer,
  list,
  oneOf,
  refine,
  rejectUnknownKeys,
  text,
  valueAt,
} from '../../input/checks.js';
import { type LocatedNode, type MapNode, Problems } from '../../input/document.js';
import { isoTime, parseTime, TIME_FORM } from '../../kernel/calendar.js';
import { DEFAULT_START } from '../../kernel/clock.js';
import { hours, LAST_TIME, type Millis, minutes, type UnixMillis } from '../../kernel/time.js';
import { DIMENSIONS } from '../expect/expectation.js';
import type { ScopeNames } from '../expect/parse.js';
import { listLabels } from '../load/ready.js';
import type { CloudSettings } from '../model/cloud.js';
import type { FleetGroup } from '../model/fleet.js';
import type { Scenario, ScenarioStep } from '../model/scenario.js';
import { type FleetNames, readSelector } from '../selector/check.js';
import type { Selector } from '../selector/selector.js';
import { INCLUDE_FORM } from '../source/includes.js';
import { readSource } from '../source/source.js';
import { findSecretVariables, VARS_FORM } from '../source/variables.js';
import { LAST_SEED } from '../values/seeds.js';
import { cloud } from './cloud.js';
import { expectations as expectationList, expectForm } from './expect.js';
import { faults, faultsForm } from './faults.js';
import { type FleetShape, fleet, fleetForm } from './fleet.js';
import { load, loadForm } from './load.js';
import { network, networkForm, radioRelease, savesPower } from './network.js';
import { firmwareUpdates, type KnownFleet, recipientsOf } from './recipients.js';
import { clientSpaces, firmwareNames, setup, setupForm } from './setup.js';
import { type DeviceTypes, NO_SOURCES, type ScenarioSources } from './sources.js';
import { type StepContext, steps, stepsForm } from './steps.js';

const DEFAULT_SEED = 1;
const DEFAULT_SETTLE: Millis = minutes(10);
export const LONGEST_DURATION: Millis = hours(24 * 366);

/** A calendar time: `2026-03-01T06:00:00Z`. */
const calendarTime: Check<UnixMillis> = formed(
  () => ({ type: 'string', format: 'date-time' }),
  (node, problems) => {
    const time = parseTime(node.kind === 'scalar' ? node.source.trim() : '');
    if (time === undefined) return complain(node, problems, TIME_FORM);
    return time >= 0 ? time : complain(node, problems, 'a time from 1970 on; the protocol has no earlier times');
  },
);

const positiveDuration: Check<Millis> = refine(duration, (length, node, problems) =>
  length > 0 && length <= LONGEST_DURATION
    ? length
    : complain(node, problems, 'a duration of more than 0 and at most a year'),
);

/** Parts that do not depend on others, each with its check and its default; a part without a default is required. */
const PLAIN = {
  name: { check: text(/^[a-z0-9][a-z0-9-]{0,63}$/, 'a name of small letters, digits and hyphens') },
  about: { check: text(), fallback: '' },
  seed: { check: integer(0, LAST_SEED), fallback: DEFAULT_SEED },
  start: { check: calendarTime, fallback: DEFAULT_START },
  duration: { check: positiveDuration },
  settle: { check: duration, fallback: DEFAULT_SETTLE },
  'warm-up': { check: duration, fallback: 0 },
  by: { check: list(oneOf(DIMENSIONS)), fallback: [] },
  next: { check: list(text()), fallback: [] },
};

const KEYS = [
  ...['name', 'about', 'include', 'vars', 'seed', 'start', 'duration', 'settle', 'warm-up', 'cloud'],
  ...['setup', 'fleet', 'network', 'faults', 'steps', 'load', 'expect', 'by', 'next'],
];

/** JSON Schemas of the parts of a scenario, in the order of a file. */
export function partForms(): Readonly<Record<string, Form>> {
  const plain = Object.entries(PLAIN).map(([key, { check }]) => [key, formOf(check as Check<unknown>)]);
  const forms: Readonly<Record<string, Form>> = {
    ...Object.fromEntries(plain),
    include: INCLUDE_FORM,
    vars: VARS_FORM,
    cloud: formOf(cloud),
    setup: setupForm(),
    fleet: fleetForm(),
    network: networkForm(),
    faults: faultsForm(),
    steps: stepsForm(),
    load: loadForm(),
    expect: expectForm(),
  };
  return Object.fromEntries(KEYS.map((key) => [key, forms[key] ?? {}]));
}

/**
 * @param source the YAML text
 * @param file name of the scenario file, for messages
 * @param types known device types, by the names of their profiles
 * @param sources profiles and files that the scenario refers to; if left out, references to them are not checked
 * @throws InputError with every problem
 */
export function parseScenario(
  source: string,
  file: string,
  types: DeviceTypes,
  sources: ScenarioSources = NO_SOURCES,
): Scenario {
  const problems = new Problems();
  return readScenario(readSource(source, file, sources, problems), types, sources, problems);
}

/**
 * Like {@link parseScenario}, for a tree that is already read.
 * @param problems the problems so far
 * @throws InputError with every problem, including those in `problems`
 */
export function readScenario(
  given: LocatedNode,
  types: DeviceTypes,
  sources: ScenarioSources,
  problems: Problems,
): Scenario {
  const root = sources.change?.(given) ?? given;
  // As the file has them: a problem names the variable.
  for (const [name, value] of listSecrets(root, sources)) problems.hide(value, `\${${name}}`);
  if (root.kind !== 'map') complain(root, problems, 'a scenario: a map with name, duration, fleet, steps, …');
  const scenario = root.kind === 'map' ? readParts(root, types, sources, problems) : undefined;
  problems.finish();
  return scenario as Scenario;
}

function readParts(
  root: MapNode,
  types: DeviceTypes,
  sources: ScenarioSources,
  problems: Problems,
): Scenario | undefined {
  rejectUnknownKeys(root, KEYS, 'a scenario', problems);
  const plain = <K extends keyof typeof PLAIN>(key: K) => {
    const part: { readonly check: Check<unknown>; readonly fallback?: unknown } = PLAIN[key];
    // The cast is safe because `part` has the check and the fallback of this key.
    return read(key, part.check, part.fallback) as Checked<(typeof PLAIN)[K]['check']> | undefined;
  };
  const read = <T>(key: string, check: Check<T>, fallback?: T): T | undefined => {
    const entry = root.entries.get(key);
    if (entry) return check(entry.value, problems);
    if (fallback === undefined) problems.add(root, `a scenario needs "${key}"`);
    return fallback;
  };
  const name = plain('name');
  const about = plain('about');
  const seed = plain('seed');
  const start = plain('start');
  const length = plain('duration');
  const settle = plain('settle');
  const warmUp = plain('warm-up');
  rejectLateEnd(start, [length, settle], valueAt(root, 'start'), problems);
  // With an invalid duration, no time is reported as being after the end.
  const end = length ?? Number.POSITIVE_INFINITY;
  if (warmUp !== undefined && warmUp >= end) {
    problems.add(valueAt(root, 'warm-up'), 'the run has ended by then; expected a time before the end of the scenario');
  }
  const shape: FleetShape = { types, firmware: sources.firmware, end };
  const groups = read('fleet', (node, found) => fleet(node, found, shape));
  const settings = read<CloudSettings | null>('cloud', cloud, null);
  const prepared = read('setup', (node, found) => setup(node, found, sources), []);
  const clients = prepared && clientSpaces(prepared);
  const fleetNames = groups ? namesOf(groups) : namesIn(root.entries.get('fleet')?.value);
  const select = (to: string, place: LocatedNode) => readSelector(to, place, problems, fleetNames);
  const perturbed = read('network', (node, found) => network(node, found, { selector: select, end }), []);
  const saving = savesPower(root.entries.get('network')?.value, problems);
  const release = radioRelease(root.entries.get('network')?.value, problems);
  const known: KnownFleet = {
    types,
    groups,
    updates: firmwareUpdates(root.entries.get('steps')?.value, prepared ?? [], fleetNames),
  };
  const recipients = (to: Selector) => recipientsOf(to, known);
  const loads = read(
    'load',
    (node, found) => load(node, found, { end, selector: select, readFile: sources.readFile, clients, recipients }),
    [],
  );
  const names: ScopeNames = {
    ...fleetNames,
    clients: clients && [...clients.keys()],
    loads: loads?.flatMap(listLabels),
  };
  const context: StepContext = { ...known, names, sources, end, firmware: prepared && firmwareNames(prepared) };
  const wrong = read('faults', (node, found) => faults(node, found, context), []);
  const begun = read('steps', (node, found) => steps(node, found, context), []);
  const expectations = read('expect', expectationList(names, length), []);
  const by = plain('by');
  const next = plain('next');
  if (name === undefined || about === undefined || seed === undefined || start === undefined) return undefined;
  if (warmUp === undefined || loads === undefined || settings === undefined) return undefined;
  if (
    length === undefined ||
    settle === undefined ||
    groups === undefined ||
    perturbed === undefined ||
    prepared === undefined ||
    wrong === undefined
  )
    return undefined;
  if (begun === undefined || expectations === undefined || by === undefined || next === undefined) return undefined;
  return {
    name,
    secretVars: findSecretVariables(root),
    secrets: listSecrets(root, sources).map(([, value]) => value),
    about,
    seed,
    start,
    duration: length,
    settle,
    warmUp,
    cloud: settings,
    setup: prepared,
    fleet: groups,
    faults: [...perturbed, ...wrong],
    radioRelease: release,
    steps: [...(saving ? [] : [REFUSE_POWER_SAVING]), ...begun],
    loads,
    expectations,
    by,
    next,
  };
}

/** The names and the given values of secret variables. */
function listSecrets(root: LocatedNode, { vars = new Map() }: ScenarioSources): readonly (readonly [string, string])[] {
  const secret = findSecretVariables(root);
  return [...vars].filter(([name, value]) => secret.has(name) && value !== '');
}

/** @param lengths the lengths of the parts of the run; undefined for an invalid one */
function rejectLateEnd(
  start: UnixMillis | undefined,
  lengths: readonly (Millis | undefined)[],
  place: LocatedNode,
  problems: Problems,
): void {
  if (lengths.reduce<number>((sum, length) => sum + (length ?? 0), start ?? 0) <= LAST_TIME) return;
  problems.add(place, `the run must end by ${isoTime(LAST_TIME)}; the protocol has no later times`);
}

/** The step for `power-saving: off`: at 0s, before any device attaches. */
const REFUSE_POWER_SAVING: ScenarioStep = {
  at: 0,
  over: 0,
  to: { kind: 'all' },
  call: { step: 'power-saving', options: 'off' },
};

function namesOf(groups: readonly FleetGroup[]): FleetNames {
  return {
    groups: groups.map(({ name }) => name),
    regions: distinct(groups.flatMap(({ region }) => region ?? [])),
    tags: distinct(groups.flatMap(({ tags }) => tags)),
    fleet: groups,
  };
}

/** The names in a fleet with problems, so that selectors that refer to them are not reported as well. */
function namesIn(node: LocatedNode | undefined): FleetNames {
  const groups = node?.kind === 'map' ? node.entries.get('groups')?.value : node;
  const maps = (groups?.kind === 'list' ? groups.items : []).filter((item) => item.kind === 'map');
  const under = (key: string) => maps.flatMap((map) => textsIn(map.entries.get(key)?.value));
  return { groups: under('name'), regions: distinct(under('region')), tags: distinct(under('tags')), fleet: undefined };
}

function textsIn(node: LocatedNode | undefined): readonly string[] {
  if (node?.kind === 'list') return node.items.flatMap(textsIn);
  return node?.kind === 'scalar' && typeof node.value === 'string' ? [node.value] : [];
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
