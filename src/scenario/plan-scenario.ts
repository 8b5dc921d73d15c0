/**
 * From a scenario and a seed to a plan. Pure: the same two give the same plan, and every draw has a path of its own, so
 * that another group or another step leaves everybody else's draws alone.
 */
import { between, type Random, randomBytes, seededRandom } from '../kernel/random.js';
import type { Instant } from '../kernel/time.js';
import { sets } from './config-lines.js';
import type { Plan, PlannedAction, PlannedDevice, PlannedGroup } from './plan.js';
import type { Boot, FleetGroup, Scenario, ScenarioStep, Selector } from './scenario.js';

export interface PlanOptions {
  /** Instead of the scenario's own seed. */
  readonly seed?: number;
}

export function planScenario(scenario: Scenario, options: PlanOptions = {}): Plan {
  const seed = options.seed ?? scenario.seed;
  const random = seededRandom(seed).fork('fleet');
  const devices = scenario.fleet.flatMap((group, index) => planDevices(group, index, random));
  return {
    scenario: scenario.name,
    about: scenario.about,
    seed,
    start: scenario.start,
    duration: scenario.duration,
    settle: scenario.settle,
    warmUp: scenario.warmUp,
    groups: scenario.fleet.map(planGroup),
    devices,
    network: scenario.network,
    actions: planActions(scenario, devices),
    loads: scenario.loads.map(({ to, ...load }) => ({ ...load, devices: select(to, scenario.fleet, devices) })),
    expectations: scenario.expectations,
    next: scenario.next,
  };
}

function planGroup({ name, profile, count, tags, config, register }: FleetGroup): PlannedGroup {
  // Out of the box an application's mode is "none": the device would never say a word (firmware behaviour, 1).
  const provisioned = sets(config, 'app', 'mode') ? config : ['app config mode lte', ...config];
  return { name, profile, count, tags, config: provisioned, register };
}

function planDevices(group: FleetGroup, index: number, random: Random): readonly PlannedDevice[] {
  const digits = Math.max(4, String(group.count).length);
  return Array.from({ length: group.count }, (_, i) => {
    const serial = group.firstSerial + i;
    const own = random.fork(String(serial));
    return {
      name: `${group.name}-${String(i + 1).padStart(digits, '0')}`,
      serial,
      group: index,
      bootAt: bootTime(group.boot, i, group.count, own.fork('boot')),
      claimToken: Buffer.from(randomBytes(own.fork('claim-token'), 16)).toString('hex'),
    };
  });
}

function bootTime({ from, over, pattern }: Boot, index: number, count: number, random: Random): Instant {
  switch (pattern) {
    case 'staggered':
      return spread(from, over, index, count);
    case 'random':
      return Math.round(between(random, from, from + over));
    default:
      return pattern satisfies never;
  }
}

/** Evenly from `from` on; the last one a gap before `from + over`, as if another round would follow. */
function spread(from: Instant, over: number, index: number, count: number): Instant {
  return from + Math.round((over * index) / count);
}

function planActions(scenario: Scenario, devices: readonly PlannedDevice[]): readonly PlannedAction[] {
  const actions = scenario.steps.flatMap((step, i) => planStep(step, i, select(step.to, scenario.fleet, devices)));
  // Stable: steps of the same moment keep the order of the file.
  return actions.sort((a, b) => a.at - b.at);
}

function planStep(step: ScenarioStep, origin: number, devices: readonly number[]): readonly PlannedAction[] {
  const { at, over, call } = step;
  if (over === 0) return [{ origin, ...call, at, devices }];
  return devices.map((device, i) => ({ origin, ...call, at: spread(at, over, i, devices.length), devices: [device] }));
}

/** Indices of the devices that a selector means. */
function select(to: Selector, groups: readonly FleetGroup[], devices: readonly PlannedDevice[]): readonly number[] {
  const indices = [...devices.keys()];
  if (to.kind === 'all') return indices;
  const group = groups.findIndex((candidate) => candidate.name === to.group);
  const members = indices.filter((i) => devices[i]?.group === group);
  return to.kind === 'group' ? members : members.slice(to.number - 1, to.number);
}
