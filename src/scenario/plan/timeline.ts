/** A plan as a timeline for the web console: boots, faults, steps and loads with their times. Has no claim tokens. */
import { type Instant, type Millis, sinceStart } from '../../kernel/time.js';
import { describeFault, kindOf, wayOf } from '../faults/index.js';
import { describeCloud } from '../model/cloud.js';
import type { Plan } from '../model/plan.js';
import { describeSetup } from '../setup/index.js';
import { describeStep } from '../steps/index.js';
import { bootTimes, describeExpectation, describePace, describeWhom, planDigest, timeSteps } from './describe.js';

export interface PlanTimeline {
  readonly scenario: string;
  readonly about: string;
  readonly seed: number;
  /** Equal plans have the same digest. */
  readonly digest: string;
  /** Calendar time at which the run starts, in ISO 8601. */
  readonly start: string;
  readonly durationMs: Millis;
  /** How long open exchanges may take to finish after the duration. */
  readonly settleMs: Millis;
  readonly devices: number;
  readonly spans: readonly PlanSpan[];
  /** Settings of the cloud, and the resources that are created before the devices. */
  readonly prepared: readonly string[];
  readonly expectations: readonly string[];
}

/** The boots of a group, a step, a fault or a load, with its time. */
interface PlanSpan {
  readonly kind: 'boot' | 'step' | 'fault' | 'load';
  readonly fromMs: Millis;
  /** Equal to `fromMs` for an action that happens once; null if it lasts until the end of the run. */
  readonly untilMs: Millis | null;
  /** `loss 10%`, `commands: info show` */
  readonly what: string;
  /**
   * What is affected: for boots the profile, for steps the devices (`60 × cellar-0001 … cellar-0060`), for faults the selector
   * or `the cloud`, for loads the number of devices. Empty for a fault of all devices and for a load with fewer than two
   * devices.
   */
  readonly whom: string;
  /** What a step waits for: `after device.ready == 3`, `10m after …`. Its times are then the earliest ones. */
  readonly after?: string | undefined;
}

export function planTimeline(plan: Plan): PlanTimeline {
  return {
    scenario: plan.scenario,
    about: plan.about.trim(),
    seed: plan.seed,
    digest: planDigest(plan),
    start: new Date(plan.start).toISOString(),
    durationMs: plan.duration,
    settleMs: plan.settle,
    devices: plan.devices.length,
    spans: [...listBoots(plan), ...listFaults(plan), ...listStepSpans(plan), ...listLoads(plan)],
    prepared: [...(plan.cloud ? describeCloud(plan.cloud) : []), ...(plan.setup ?? []).map(describeSetup)],
    expectations: plan.expectations.map(describeExpectation),
  };
}

function listBoots(plan: Plan): readonly PlanSpan[] {
  return plan.groups.map(({ name, profile, count }, index) => {
    const { first, last } = bootTimes(plan, index);
    return { kind: 'boot', ...makeSpan(first, last), what: `${count} × ${name}`, whom: profile };
  });
}

function listFaults(plan: Plan): readonly PlanSpan[] {
  return plan.faults.flatMap((fault) => {
    const way = wayOf(fault);
    const what = `${describeFault(fault)}${way === 'both' ? '' : `, only ${way}`}`;
    const whom = kindOf(fault).part === 'service' ? 'the cloud' : (fault.to ?? '');
    return fault.windows.map(({ from, until }): PlanSpan => ({ kind: 'fault', ...makeSpan(from, until), what, whom }));
  });
}

/** The steps of the scenario, without those that carry out a fault. */
function listStepSpans({ actions, devices, waits }: Plan): readonly PlanSpan[] {
  const own = actions.filter(({ fault }) => fault === undefined);
  return timeSteps(own, waits).map(({ first, devices: indices, from, until, after }) => ({
    kind: 'step',
    ...makeSpan(from, until),
    what: describeStep(first),
    whom: describeWhom(indices.map((index) => devices[index]?.name ?? '')),
    after,
  }));
}

function listLoads({ loads: planned }: Plan): readonly PlanSpan[] {
  return planned.map(({ name, from, until, pace, devices }) => ({
    kind: 'load',
    ...makeSpan(from, until),
    what: `${name}, ${describePace(pace)}`,
    whom: devices.length < 2 ? '' : `${devices.length} devices`,
  }));
}

function makeSpan(from: Instant, until: Instant | null) {
  return { fromMs: sinceStart(from), untilMs: until === null ? null : sinceStart(until) };
}
