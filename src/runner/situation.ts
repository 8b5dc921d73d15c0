/**
 * The situation of a plan for explanations: its device types with their intervals, and everything that can delay an exchange.
 */
import {
  type FleetPart,
  type IntervalSetting,
  rangesOf,
  type Situation,
  type SituationFault,
} from '../explain/situation.js';
import { seconds } from '../kernel/time.js';
import type { ParameterRef, Profile } from '../profile/profile.js';
import { chooseFirmware } from '../profile/versions.js';
import { describeFault, describeWithWay, kindOf } from '../scenario/faults/index.js';
import type { Plan, PlannedAction, PlannedGroup } from '../scenario/model/plan.js';
import { describeStep } from '../scenario/steps/index.js';
import { deviceEffects, type TimedAction } from './situation-steps.js';
import { getProfile } from './world/fleet.js';
import type { StepTimes } from './world/step-times.js';

/** @param times when waits ended, and the steps from consoles; without them, steps after a wait are left out */
export function situationOf(
  plan: Plan,
  profiles: ReadonlyMap<string, Profile>,
  times?: Pick<StepTimes, 'waits' | 'console'>,
): Situation {
  const actions = actionsOf(plan, times);
  return {
    fleet: plan.groups.map((group, index) => fleetPart(plan, group, index, profiles)),
    faults: merged([...wholeFaults(plan), ...stepFaults(plan, actions)]),
    settings: actions.flatMap((action) => settingsOf(plan, action, profiles)),
  };
}

/** The intervals that a step `config` sets, for each group of its devices. */
function settingsOf(
  { groups, devices }: Plan,
  { step, options, at, devices: indices }: PlannedAction,
  profiles: ReadonlyMap<string, Profile>,
): readonly IntervalSetting[] {
  if (step !== 'config') return [];
  return groups.flatMap((group, index) => {
    const own = indices.flatMap((device) => (devices[device]?.group === index ? [devices[device]] : []));
    if (own.length === 0) return [];
    const { reportEvery, pollEvery } = profileOfGroup(group, profiles).timing;
    const report = reportEvery && lastValue(options, reportEvery);
    const poll = pollEvery && lastValue(options, pollEvery);
    if (report === undefined && poll === undefined) return [];
    return {
      at,
      serials: rangesOf(own.flatMap((device) => device?.serial ?? []).sort((a, b) => a - b)),
      ...(report !== undefined && { reportEvery: seconds(report) }),
      ...(poll !== undefined && { pollEvery: seconds(poll) }),
    };
  });
}

function profileOfGroup({ profile, firmware }: PlannedGroup, profiles: ReadonlyMap<string, Profile>): Profile {
  return chooseFirmware(getProfile(profiles, profile), firmware ?? null);
}

/** The steps whose time is known, sorted by time. */
function actionsOf({ actions, devices }: Plan, times?: Pick<StepTimes, 'waits' | 'console'>): readonly TimedAction[] {
  const timed = actions.flatMap(({ wait, at, ...action }, index): readonly TimedAction[] => {
    const begin = wait === undefined ? 0 : times?.waits.get(wait);
    return begin === undefined ? [] : [{ ...action, at: begin + at, entry: `action-${index}` }];
  });
  const typed = (times?.console ?? []).map(({ at, serial, call }) => {
    return { ...call, at, origin: CONSOLE, devices: [devices.findIndex((device) => device.serial === serial)] };
  });
  return [...timed, ...typed].sort((a, b) => a.at - b.at);
}

/** Origin of an action from a console. */
const CONSOLE = -1;

function fleetPart(
  { devices }: Plan,
  group: PlannedGroup,
  index: number,
  profiles: ReadonlyMap<string, Profile>,
): FleetPart {
  const profile = profileOfGroup(group, profiles);
  const { reportEvery, pollEvery } = profile.timing;
  const interval = (parameter: ParameterRef | undefined) =>
    parameter === undefined ? null : seconds(configured(profile, group.config, parameter));
  return {
    group: group.name,
    serials: rangesOf(devices.filter((device) => device.group === index).map(({ serial }) => serial)),
    profile: group.profile,
    family: profile.family,
    firmware: profile.identity.fwVersion.replace(/^v/, ''),
    reportEvery: interval(reportEvery),
    pollEvery: interval(pollEvery),
    encoder: profile.encoder !== undefined,
  };
}

/**
 * The value of a numeric parameter for a group: from the last configuration line that sets it, or else the default of the
 * profile.
 */
function configured(profile: Profile, lines: readonly string[], { module, name }: ParameterRef): number {
  const value = lastValue(lines, { module, name });
  if (value !== undefined) return value;
  const parameters = profile.modules.find((each) => each.name === module)?.parameters ?? [];
  const spec = parameters.find((each) => each.name === name);
  return spec?.type === 'int' ? spec.default : 0;
}

/** The number in the last line that sets this parameter; undefined without such a line, or if its value is not a number. */
function lastValue(lines: readonly string[], { module, name }: ParameterRef): number | undefined {
  const start = `${module} config ${name} `;
  const line = lines.findLast((each) => each.startsWith(start));
  const value = line === undefined ? undefined : Number(line.slice(start.length));
  return Number.isFinite(value) ? value : undefined;
}

/** The faults of the network and of the cloud that affect exchanges. */
function wholeFaults(plan: Plan): readonly SituationFault[] {
  return plan.faults.flatMap((fault): readonly SituationFault[] => {
    const { kind, options, id, to, windows } = fault;
    const { effect: effectOf, datagrams } = kindOf(fault);
    const effect = effectOf?.(options);
    if (effect === undefined) return [];
    return [
      {
        name: kind,
        what: describeWithWay(fault),
        whom: to ?? '',
        serials: serialsOf(plan, fault.devices),
        effect,
        sign: datagrams?.sign ?? null,
        on: 'datagrams',
        entries: [id],
        windows,
      },
    ];
  });
}

/** @param indices of devices; null for all devices */
function serialsOf({ devices }: Plan, indices: readonly number[] | null): SituationFault['serials'] {
  return indices && rangesOf(indices.flatMap((index) => devices[index]?.serial ?? []));
}

/** The steps that affect exchanges: those that carry out faults of devices, and others. */
function stepFaults(plan: Plan, actions: readonly TimedAction[]): readonly SituationFault[] {
  return deviceEffects(actions, plan.faults).map(
    ({ action, fault, effect, sign, on, from, until, endedBy, devices }) => {
      const [only, ...others] = devices.map((index) => plan.devices[index]);
      const typed = action.origin === CONSOLE ? ' on a console' : '';
      // A step that only ends the effect has nothing to end without it.
      const own = [action, ...(endedBy ? [endedBy] : [])].flatMap(({ entry }) => entry ?? []);
      const entries = fault === undefined ? own : [fault.id];
      return {
        name: fault?.kind ?? action.step,
        ...(fault === undefined && { isStep: true as const }),
        what: fault ? describeFault(fault) : `${describeStep(action)}${typed}`,
        whom: fault ? (fault.to ?? '') : others.length === 0 ? (only?.name ?? '') : `${devices.length} devices`,
        serials: devices.length === plan.devices.length ? null : serialsOf(plan, devices),
        effect,
        sign,
        on,
        ...(entries.length > 0 && { entries }),
        windows: [{ from, until }],
      };
    },
  );
}

/** Joins equal faults of the same devices, such as a step that is repeated: a name stands for all of them, as in `--without`. */
function merged(faults: readonly SituationFault[]): readonly SituationFault[] {
  const all = new Map<string, SituationFault>();
  for (const fault of faults) {
    const { windows, entries = [], ...rest } = fault;
    const key = JSON.stringify({ ...rest, planned: fault.entries !== undefined });
    const known = all.get(key);
    all.set(
      key,
      known
        ? {
            ...known,
            windows: [...known.windows, ...windows],
            ...(known.entries && { entries: [...new Set([...known.entries, ...entries])] }),
          }
        : fault,
    );
  }
  return [...all.values()].map((fault) => ({
    ...fault,
    windows: [...fault.windows].sort((a, b) => a.from - b.from),
  }));
}
