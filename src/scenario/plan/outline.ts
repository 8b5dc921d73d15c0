/** Summary of a plan for reports: what happens when, and a fingerprint that decides whether two runs are comparable. */
import { createHash } from 'node:crypto';
import type { Instant, Millis } from '../../kernel/time.js';
import { describeServiceFault } from '../faults/service.js';
import type { Plan } from '../model/plan.js';
import { describeStep } from '../steps/index.js';
import { describeFaultSpec, describePace } from './describe.js';
import { stepsOf } from './steps-of.js';

interface Outline {
  readonly duration: Millis;
  readonly warmUp: Millis;
  /** Faults, steps and loads, each kind in the order of the file. */
  readonly marks: readonly Mark[];
  /** 16 hex digits; equal for plans of the same situation, independent of their seeds. */
  readonly situation: string;
}

interface Mark {
  readonly kind: 'fault' | 'step' | 'load';
  /** `outage`, `loss 10%`, `commands: info show`. */
  readonly what: string;
  /** A group, a device, a number of devices, or empty for all. */
  readonly whom: string;
  readonly from: Instant;
  /** null: until the end, settling included. */
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

/** One mark for each step of the scenario, except for steps after a wait, whose time is not known. */
function steps({ actions, devices }: Plan): readonly Mark[] {
  return stepsOf(actions.filter(({ wait }) => wait === undefined)).map(({ first, last, devices: indices }) => {
    const whom = indices.length === 1 ? (devices[indices[0] ?? 0]?.name ?? '') : `${indices.length} devices`;
    return { kind: 'step', what: describeStep(first), whom, from: first.at, until: last.at };
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

/** Fingerprint of the scenario, without the results of random draws. */
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
