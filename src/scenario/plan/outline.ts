/** A plan in a few lines, for reports: what was going to happen when, and what another run must share to be compared. */
import { createHash } from 'node:crypto';
import type { Instant, Millis } from '../../kernel/time.js';
import { describeServiceFault } from '../faults/service.js';
import type { Plan, PlannedAction } from '../model/plan.js';
import { describeStep } from '../steps/index.js';
import { describeFaultSpec, describePace } from './describe.js';

interface Outline {
  readonly duration: Millis;
  readonly warmUp: Millis;
  /** Faults, steps and loads, each kind in the order of the file. */
  readonly marks: readonly Mark[];
  /** 16 hex digits: two runs with the same were to do the same, whatever their seeds. */
  readonly situation: string;
}

interface Mark {
  readonly kind: 'fault' | 'step' | 'load';
  /** `outage`, `loss 10%`, `commands: info show`. */
  readonly what: string;
  /** A group, a device, a number of devices, or empty for all. */
  readonly whom: string;
  readonly from: Instant;
  /** null: until the very end. */
  readonly until: Instant | null;
}

export function outline(plan: Plan): Outline {
  return {
    duration: plan.duration,
    warmUp: plan.warmUp,
    marks: [...faults(plan), ...steps(plan), ...loads(plan)],
    situation: situationOf(plan),
  };
}

function faults({ network, serviceFaults = [] }: Plan): readonly Mark[] {
  const ofNetwork = network.map(({ fault, from, until, to, way }) => ({
    kind: 'fault' as const,
    what: `${describeFaultSpec(fault)}${way === 'both' ? '' : `, ${way} only`}`,
    whom: to ?? '',
    from,
    until,
  }));
  const ofService = serviceFaults.map(({ fault, from, until }) => ({
    kind: 'fault' as const,
    what: describeServiceFault(fault),
    whom: '',
    from,
    until,
  }));
  return [...ofNetwork, ...ofService];
}

/** One mark for each step of the scenario; none for steps behind a wait, whose time is not known. */
function steps({ actions, devices }: Plan): readonly Mark[] {
  const byOrigin = new Map<number, PlannedAction[]>();
  for (const action of actions) {
    if (action.wait !== undefined) continue;
    const parts = byOrigin.get(action.origin);
    if (parts) parts.push(action);
    else byOrigin.set(action.origin, [action]);
  }
  return [...byOrigin.values()].flatMap((parts) => {
    const [first] = parts;
    const last = parts.at(-1);
    if (first === undefined || last === undefined) return [];
    const touched = parts.flatMap((part) => part.devices);
    const whom = touched.length === 1 ? (devices[touched[0] ?? 0]?.name ?? '') : `${touched.length} devices`;
    return [{ kind: 'step' as const, what: describeStep(first), whom, from: first.at, until: last.at }];
  });
}

function loads({ loads: planned }: Plan): readonly Mark[] {
  return planned.map(({ name, from, until, pace }) => ({
    kind: 'load',
    what: `${name}, ${describePace(pace)}`,
    whom: '',
    from,
    until,
  }));
}

/** What the scenario says, without what the seed has drawn. */
function situationOf(plan: Plan): string {
  const { scenario, duration, warmUp, cloud, setup, actions, loads: planned, waits, serviceFaults } = plan;
  const groups = plan.groups.map(({ region: _, ...group }) => group);
  const network = plan.network.map(({ devices: _, ...fault }) => fault);
  const steps = actions.map(({ origin, step, options, devices, sample }) => [origin, step, options, sample ?? devices]);
  const paces = planned.map(({ name, from, until, pace }) => [name, from, until, pace]);
  const said = [
    scenario,
    duration,
    warmUp,
    groups,
    network,
    steps,
    paces,
    waits,
    serviceFaults,
    ...(setup ? [setup] : []),
    ...(cloud ? [cloud] : []),
  ];
  return createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 16);
}
