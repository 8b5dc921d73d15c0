/** Changes of a plan, for a repetition of a run under other conditions. All functions return a new plan. */
import { type Instant, seconds } from '../../kernel/time.js';
import type { TrackedType } from '../../trace/downlinks/ledger.js';
import type { FaultId, Plan, PlannedAction, PlannedGroup } from '../model/plan.js';
import { queuedBy } from '../steps/index.js';
import { sets } from '../values/config-lines.js';

/** The identity of a fault, an action or a load in its plan. */
export type PlanEntry = FaultId | `${'action' | 'load'}-${number}`;

/** Leaves entries out; with a fault of devices, its actions. */
export function withoutEntries(plan: Plan, entries: ReadonlySet<string>): Plan {
  return {
    ...plan,
    faults: plan.faults.filter(({ id }) => !entries.has(id)),
    actions: plan.actions.filter(({ fault = '' }, index) => !entries.has(`action-${index}`) && !entries.has(fault)),
    loads: plan.loads.filter((_, index) => !entries.has(`load-${index}`)),
  };
}

/** Selected devices, as indices into the devices of a plan. */
type Devices = ReadonlySet<number>;

/** A parameter in the configuration of devices. */
interface SetParameter {
  readonly module: string;
  readonly name: string;
  /** As one word of the shell. */
  readonly value: string;
}

/** Sets a parameter before the first boot, and in the configurations that steps queue for the devices. */
export function withParameter(plan: Plan, devices: Devices, { module, name, value }: SetParameter): Plan {
  const line = `${module} config ${name} ${value}`;
  const without = (lines: readonly string[]) => lines.filter((each) => !sets([each], module, name));
  const changed = withGroups(plan, devices, (group) => ({ ...group, config: [...without(group.config), line] }));
  return withActions(changed, devices, (action) =>
    action.step === 'config' && sets(action.options, module, name)
      ? { ...action, options: [...without(action.options), line] }
      : action,
  );
}

/** @param version without the leading `v` */
export function withFirmware(plan: Plan, devices: Devices, version: string): Plan {
  return withGroups(plan, devices, (group) => ({ ...group, firmware: version }));
}

/** Switches devices on at the start of the run. */
export function switchedOn(plan: Plan, devices: Devices): Plan {
  return { ...plan, devices: plan.devices.map((each, index) => (devices.has(index) ? { ...each, bootAt: 0 } : each)) };
}

export interface QueuedByStep {
  /** Index of its device. */
  readonly device: number;
  readonly type: TrackedType;
  readonly queuedAt: Instant;
  /** Number of earlier downlinks of the device that were queued at the same time with the same type. */
  readonly earlier: number;
}

/** Leaves out all actions that queue other downlinks for the device of `downlink`; unchanged if no action has queued it. */
export function withoutOthers(plan: Plan, downlink: QueuedByStep): Plan {
  const own = actionOf(plan, downlink);
  if (own === undefined) return plan;
  return withActions(plan, new Set([downlink.device]), (action) =>
    action === own || queuedBy(action.step) === undefined ? action : undefined,
  );
}

/** Leaves out the firmware updates of the devices. */
export function withoutUpdates(plan: Plan, devices: Devices): Plan {
  return withActions(plan, devices, (action) => (action.step === 'firmware' ? undefined : action));
}

/** Sends a shell command in place of a data downlink. */
export function asShell(plan: Plan, downlink: QueuedByStep): Plan {
  const own = actionOf(plan, downlink);
  return withActions(plan, new Set([downlink.device]), (action) => {
    if (action !== own) return action;
    return { ...action, step: 'commands', options: ['info show'] };
  });
}

/** The API accepts a downlink at most this long after its step. */
const ACCEPTED = seconds(10);

function actionOf({ actions }: Plan, { device, type, queuedAt, earlier }: QueuedByStep): PlannedAction | undefined {
  const own = actions.filter(
    ({ step, at, devices }) =>
      queuedBy(step) === type && at <= queuedAt && queuedAt - at <= ACCEPTED && devices.includes(device),
  );
  return own[earlier] ?? own.at(-1);
}

/** Changes the actions for these devices; `change` returns undefined to leave the action out. */
function withActions(plan: Plan, devices: Devices, change: (action: PlannedAction) => PlannedAction | undefined): Plan {
  return {
    ...plan,
    actions: plan.actions.flatMap((action): readonly PlannedAction[] => {
      const own = action.devices.filter((index) => devices.has(index));
      const changed = own.length === 0 ? action : change(action);
      if (changed === action) return [action];
      const others = action.devices.filter((index) => !devices.has(index));
      return [
        ...(others.length > 0 ? [{ ...action, devices: others }] : []),
        ...(changed ? [{ ...changed, devices: own }] : []),
      ];
    }),
  };
}

/** Changes the groups of these devices. A group that has other devices, too, gets a changed copy. */
function withGroups(plan: Plan, devices: Devices, change: (group: PlannedGroup) => PlannedGroup): Plan {
  const groups = [...plan.groups];
  const places = new Map<number, number>();
  plan.groups.forEach((group, place) => {
    const members = [...plan.devices.keys()].filter((index) => plan.devices[index]?.group === place);
    const own = members.filter((index) => devices.has(index));
    if (own.length === 0) return;
    if (own.length === members.length) {
      groups[place] = change(group);
      return;
    }
    for (const index of own) places.set(index, groups.length);
    groups.push(change(group));
  });
  return {
    ...plan,
    groups,
    devices: plan.devices.map((device, index) => ({ ...device, group: places.get(index) ?? device.group })),
  };
}
