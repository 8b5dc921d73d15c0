/**
 * Makes a plan from a scenario and a seed. Deterministic: the same inputs give the same plan. Each device and each group has
 * its own random stream, so adding a group or a step does not change the draws of other devices and groups.
 */
import { between, exponential, type Random, randomBytes, seededRandom } from '../../kernel/random.js';
import { type Instant, type Millis, sinceStart } from '../../kernel/time.js';
import { type Dimension, type Expectation, listTerms, nameScope } from '../expect/expectation.js';
import { kindOf, timedSteps } from '../faults/index.js';
import type { Load } from '../load/load.js';
import { listLabels, usesDevices } from '../load/ready.js';
import type { Boot, FleetGroup } from '../model/fleet.js';
import type {
  FaultId,
  Plan,
  PlannedAction,
  PlannedDevice,
  PlannedFault,
  PlannedGroup,
  PlannedLoad,
  PlannedScope,
  PlannedWait,
} from '../model/plan.js';
import type { Rollout, Scenario, ScenarioFault, ScenarioStep } from '../model/scenario.js';
import { listDevices, makeDeviceName } from '../selector/device.js';
import { makeSamplingRandom, type SelectableFleet, select } from '../selector/match.js';
import { nameSelector } from '../selector/selector.js';
import { describeStep } from '../steps/index.js';
import { sets } from '../values/config-lines.js';
import { divideBy, expandParts, listDimensions } from './parts.js';

interface PlanOptions {
  /** Overrides the seed of the scenario. */
  readonly seed?: number;
}

export function planScenario(scenario: Scenario, options: PlanOptions = {}): Plan {
  const seed = options.seed ?? scenario.seed;
  const random = seededRandom(seed).fork('fleet');
  const devices = scenario.fleet.flatMap((group, index) => planDevices(group, index, random));
  const whole: SelectableFleet = {
    devices: scenario.fleet.flatMap((group) => [...listDevices(group)]),
    random: makeSamplingRandom(seed),
  };
  const faults = PARTS.flatMap((part) => scenario.faults.filter((fault) => kindOf(fault).part === part));
  const planned = faults.map((fault, index) => planFault(fault, `fault-${index + 1}`, whole));
  // Steps of the file come before steps of faults; steps at the same time are executed in this order.
  const steps: readonly OwnedStep[] = [
    ...scenario.steps,
    ...faults.flatMap((fault, index) => faultSteps(fault, `fault-${index + 1}`, scenario.duration)),
  ];
  const { actions, waits } = planSteps(steps, whole);
  const divided = new Map(
    listDimensions(scenario.by, scenario.expectations).map((by) => [by, divideBy(by, scenario)] as const),
  );
  const partsBy = (by: Dimension) => divided.get(by) ?? { parts: [], scopes: [] };
  const expectations = scenario.expectations.flatMap((expectation) => expandParts(expectation, partsBy));
  const parts = [...divided.values()].flatMap((each) => each.parts);
  const conditions = [...expectations, ...waits.map(({ condition }) => condition)];
  const scopes = planScopes(
    conditions,
    whole,
    scenario.loads,
    [...divided.values()].flatMap((each) => each.scopes),
  );
  return {
    scenario: scenario.name,
    about: scenario.about,
    seed,
    start: scenario.start,
    duration: scenario.duration,
    settle: scenario.settle,
    warmUp: scenario.warmUp,
    ...(scenario.cloud && { cloud: scenario.cloud }),
    ...(scenario.setup.length > 0 && { setup: scenario.setup }),
    groups: scenario.fleet.map(planGroup),
    devices,
    faults: planned,
    ...(scenario.radioRelease && { radioRelease: scenario.radioRelease }),
    actions,
    ...(waits.length > 0 && { waits }),
    loads: scenario.loads.map(({ to, ...load }) => planLoad(load, select(to, whole))),
    expectations,
    ...(scopes.length > 0 && { scopes }),
    ...(parts.length > 0 && { parts }),
    next: scenario.next,
    ...(scenario.secrets.length > 0 && { secrets: scenario.secrets }),
  };
}

function planGroup(group: FleetGroup): PlannedGroup {
  const { name, profile, firmware, count, tags, region, config, register } = group;
  // The factory default of an application is mode "none", in which the device never sends (behaviour B-2).
  const provisioned = group.alwaysLte || sets(config, 'app', 'mode') ? config : ['app config mode lte', ...config];
  const version = firmware === null ? {} : { firmware };
  return { name, profile, ...version, count, tags, region, config: provisioned, register };
}

function planDevices(group: FleetGroup, index: number, random: Random): readonly PlannedDevice[] {
  const boots = bootTimes(group.boot, group.count, group.firstSerial, random);
  return Array.from({ length: group.count }, (_, i) => {
    const serial = group.firstSerial + i;
    const own = random.fork(String(serial));
    return {
      name: makeDeviceName(group, i + 1),
      serial,
      group: index,
      bootAt: boots[i] ?? group.boot.from,
      claimToken: Buffer.from(randomBytes(own.fork('claim-token'), 16)).toString('hex'),
    };
  });
}

function bootTimes({ from, over, pattern }: Boot, count: number, serial: number, random: Random): readonly Instant[] {
  const numbers = Array.from({ length: count }, (_, i) => i);
  switch (pattern) {
    case 'storm':
      return numbers.map(() => from);
    case 'staggered':
      return numbers.map((i) => spread(from, over, i, count));
    case 'random':
      return numbers.map((i) => Math.round(between(random.fork(String(serial + i)).fork('boot'), from, from + over)));
    case 'poisson':
      return drawArrivalsWithin(from, over, count, random.fork(`boots/${serial}`));
    default:
      return pattern satisfies never;
  }
}

/** Times with exponentially distributed gaps, scaled such that one more arrival would be at `from + over`. */
function drawArrivalsWithin(from: Instant, over: Millis, count: number, draws: Random): readonly Instant[] {
  let sum = 0;
  const marks = Array.from({ length: count + 1 }, () => {
    sum += exponential(draws);
    return sum;
  });
  return marks.slice(0, count).map((mark) => from + Math.round((over * mark) / sum));
}

/** Evenly spaced from `from`; the last time is one gap before `from + over`. */
function spread(from: Instant, over: number, index: number, count: number): Instant {
  return from + Math.round((over * index) / count);
}

function planScopes(
  conditions: readonly Expectation[],
  fleet: SelectableFleet,
  loads: readonly Load[],
  parts: readonly PlannedScope[],
): readonly PlannedScope[] {
  const scopes = new Map(parts.map((scope) => [scope.name, scope]));
  const sides = conditions.flatMap((condition) => ('invariant' in condition ? [] : [condition.left, condition.right]));
  for (const { of } of sides.flatMap(listTerms)) {
    // The parts have their scopes already.
    if (of === undefined || of.kind === 'part') continue;
    const name = nameScope(of);
    if (scopes.has(name)) continue;
    if (of.kind === 'load') scopes.set(name, { name, loads: findLabels(of.load, loads) });
    else if (of.kind !== 'client') scopes.set(name, { name, devices: select(of, fleet) });
    else scopes.set(name, { name, loads: loads.flatMap((load) => (load.as === of.client ? listLabels(load) : [])) });
  }
  return [...scopes.values()];
}

/** @param selected the devices of `to`, for a load about devices */
function planLoad(load: Load, selected: readonly number[]): PlannedLoad {
  const { pace } = load;
  if (pace.kind === 'each') return { ...load, pace: { ...pace, count: selected.length }, devices: selected };
  return { ...load, devices: usesDevices(load) ? selected : [] };
}

/** What events call a load and the requests of its chains; for the label of a request, only this one. */
function findLabels(name: string, loads: readonly Load[]): readonly string[] {
  const load = loads.find((one) => one.name === name);
  return load === undefined ? [name] : listLabels(load);
}

/** The order of faults in a plan. */
const PARTS = ['network', 'service', 'device'] as const;

function planFault(fault: ScenarioFault, id: FaultId, fleet: SelectableFleet): PlannedFault {
  const { to } = fault;
  if (to.kind === 'all') return { ...fault, id, to: null, devices: null };
  return { ...fault, id, to: nameSelector(to), devices: select(to, fleet) };
}

/** A step of the file, or of a fault. */
interface OwnedStep extends ScenarioStep {
  readonly fault?: FaultId;
}

/** The steps that carry out a fault of devices; none for other faults. */
function faultSteps(fault: ScenarioFault, id: FaultId, end: Instant): readonly OwnedStep[] {
  return fault.windows.flatMap((window) =>
    timedSteps(fault, window, end).map(({ at, call }) => {
      return { at: sinceStart(at), over: 0, to: fault.to, fault: id, call };
    }),
  );
}

/** The beginning of a step: `at` counts from the end of the wait `wait`, or from the start of the run if `wait` is null. */
interface Anchor {
  readonly wait: number | null;
  readonly at: Instant;
}

function planSteps(
  steps: readonly OwnedStep[],
  fleet: SelectableFleet,
): { readonly actions: readonly PlannedAction[]; readonly waits: readonly PlannedWait[] } {
  const waits: PlannedWait[] = [];
  const actions: PlannedAction[] = [];
  let previous: Anchor = { wait: null, at: 0 };
  steps.forEach((step, origin) => {
    let begin: Anchor = step.follows ? { wait: previous.wait, at: previous.at + step.at } : { wait: null, at: step.at };
    if (step.wait) {
      const name = `step ${origin + 1}, ${describeStep(step.call)}`;
      waits.push({ name, ...step.wait, from: begin.at, wait: begin.wait });
      begin = { wait: waits.length - 1, at: 0 };
    }
    previous = begin;
    // One by one: a step may have more actions than a call may have arguments.
    for (const action of planStep(step, origin, begin, select(step.to, fleet))) actions.push(action);
  });
  // The sort is stable: steps at the same time keep the order of the file.
  return { actions: actions.sort((a, b) => a.at - b.at), waits };
}

function planStep(
  { over, call, rollout, to, fault }: OwnedStep,
  origin: number,
  begin: Anchor,
  devices: readonly number[],
): readonly PlannedAction[] {
  const common = {
    origin,
    ...call,
    ...(begin.wait !== null && { wait: begin.wait }),
    ...(fault !== undefined && { fault }),
    ...(to.kind === 'sample' && { sample: nameSelector(to) }),
  };
  return divideCohorts(devices, rollout).flatMap((cohort, number) => {
    const at = begin.at + number * (rollout?.every ?? 0);
    if (cohort.length === 0 && devices.length > 0) return [];
    // A step without devices remains visible as an action without devices.
    if (over === 0 || devices.length === 0) return [{ ...common, at, devices: cohort }];
    return cohort.map((device, i) => ({ ...common, at: spread(at, over, i, cohort.length), devices: [device] }));
  });
}

/**
 * Divides devices into cohorts of a share of all devices, in order; the last one has the rest. After each cohort, its share is
 * complete, rounded up to whole devices: the first one is never empty, and one after it may be, if a share is less than a device.
 */
function divideCohorts(devices: readonly number[], rollout: Rollout | undefined): readonly (readonly number[])[] {
  if (rollout === undefined) return [devices];
  const { cohorts, share } = rollout;
  // A rounding error must not change a size: 3 * 0.1 * 10 is 3.0000000000000004, and 0.29 * 100 is 28.999999999999996.
  const border = (i: number) => (i === cohorts ? devices.length : Math.ceil(i * share * devices.length - ROUNDING));
  return Array.from({ length: cohorts }, (_, i) => devices.slice(border(i), border(i + 1)));
}

const ROUNDING = 1e-6;
