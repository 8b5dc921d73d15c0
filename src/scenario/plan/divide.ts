/**
 * Divides a plan into parts that run separately. This is possible if nothing in the world acts on several devices at once: the
 * behaviour of each device then depends only on the plan and the seed.
 */
import { hours, type Millis } from '../../kernel/time.js';
import { kindOf } from '../faults/index.js';
import type { Plan, PlannedLoad } from '../model/plan.js';
import type { SetupName } from '../setup/index.js';

/** Kinds of resources of which every part can have its own copy, because a copy only serves the devices of its part. */
const OF_EACH_PART: readonly SetupName[] = ['tag', 'variable', 'firmware'];

/** Why a plan cannot be divided, worded to follow "because"; undefined if it can. */
export function needsOneWorld(plan: Plan): string | undefined {
  if (plan.loads.length > 0) return 'its loads use the API of all devices';
  if (hasServiceFaults(plan)) return 'it has faults of the whole service';
  if ((plan.waits ?? []).length > 0) return 'its steps wait for a condition of the whole fleet';
  if (plan.expectations.some(({ abort }) => abort !== undefined)) return 'an expectation can end the run';
  if (plan.cloud?.rateLimit != null) return 'its cloud limits the rate of all requests together';
  const shared = plan.setup?.find(({ setup }) => !OF_EACH_PART.includes(setup));
  return shared && `its setup has a ${shared.setup}`;
}

function hasServiceFaults({ faults }: Plan): boolean {
  return faults.some((fault) => kindOf(fault).part === 'service');
}

/** Like {@link needsOneWorld}, for a division among threads in real time with one embedded cloud. */
export function needsOneThread(plan: Plan): string | undefined {
  if (hasServiceFaults(plan)) return 'it has faults of the whole service';
  return needsOneProcess(plan);
}

/** Like {@link needsOneWorld}, for a division among processes in real time. */
export function needsOneProcess(plan: Plan): string | undefined {
  return (plan.waits ?? []).length > 0 ? 'its steps wait for a condition of the whole fleet' : undefined;
}

/**
 * Divides the plan into `parts` parts. Each device belongs to one part. A step is in every part that has devices of the step,
 * and the requests of a load are divided among the parts. The setup and the faults are in all parts. The parts have no
 * expectations, because only the whole run is judged.
 */
export function partsOf(plan: Plan, parts: number): readonly Plan[] {
  return Array.from({ length: parts }, (_, part) => partOf(plan, part, parts));
}

function partOf(plan: Plan, part: number, parts: number): Plan {
  // Consecutive devices go to different parts, so that each part has its share of every group.
  const own = withDevices(plan, (index) => index % parts === part);
  const share = Array.from({ length: parts }, (_, turn) => turn === part);
  return { ...own, loads: own.loads.map((load) => ({ turns: share, ...load })) };
}

/** The plan of some devices: see {@link partsOf}. Loads whose requests are not about devices are left out. */
export function planOfDevices(plan: Plan, serials: ReadonlySet<number>): Plan {
  const own = withDevices(plan, (index) => serials.has(plan.devices[index]?.serial ?? 0));
  return { ...own, loads: own.loads.filter(({ turns }) => turns?.includes(true)) };
}

function withDevices(plan: Plan, belongs: (index: number) => boolean): Plan {
  const places = new Map<number, number>();
  for (const index of plan.devices.keys()) if (belongs(index)) places.set(index, places.size);
  const own = (devices: readonly number[]) => devices.flatMap((index) => places.get(index) ?? []);
  const { scopes: _, parts: _parts, ...rest } = plan;
  return {
    ...rest,
    devices: plan.devices.filter((_, index) => belongs(index)),
    faults: plan.faults.map((fault) => ({ ...fault, devices: fault.devices && own(fault.devices) })),
    actions: plan.actions
      .map((action) => ({ ...action, devices: own(action.devices) }))
      .filter(({ devices }) => devices.length > 0),
    loads: plan.loads.map((load) => {
      const turns = turnsOf(load, belongs);
      return { ...load, devices: own(load.devices), ...(turns && { turns }) };
    }),
    expectations: [],
    next: [],
  };
}

/**
 * The `turns` of a part for a load whose requests are about devices: a request belongs to the part of its device. Undefined for
 * other loads.
 */
function turnsOf({ devices }: PlannedLoad, belongs: (index: number) => boolean): readonly boolean[] | undefined {
  return devices.length === 0 ? undefined : devices.map(belongs);
}

/**
 * A run gets one thread for each such amount of device time, which is the simulated time summed over all devices. A thread
 * needs about a second for this amount.
 */
const WORTH_A_THREAD = hours(4000);
/** The boot of a device takes as much work as this device time. */
const BOOT = hours(7);

/**
 * Number of threads with which a run is fastest, at most `most`. For a small run it is 1, because starting another thread takes
 * longer than the run.
 */
export function usefulParts(plan: Plan, most: number): number {
  if (needsOneWorld(plan) !== undefined) return 1;
  const work = Math.floor(workOf(plan) / WORTH_A_THREAD);
  return Math.max(1, Math.min(most, work, plan.devices.length));
}

/** The work of a run without loads, in device time. */
export function workOf({ devices, duration }: Plan): Millis {
  return devices.length * (BOOT + duration);
}
