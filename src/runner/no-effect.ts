/**
 * Finds the faults and steps of a plan that are valid, but have no effect on the devices that they select, and expectations
 * that test nothing in virtual time; also the loads whose data are too short (short-data.ts). Examples: a brown-out of devices on line power, a step for a sensor that the configuration
 * switches off, an outage that ends before the devices are switched on. A run with them would test less than its scenario says.
 * `validate`, `plan` and `run` show them as warnings.
 *
 * The search uses only the plan. So a case that depends on events of the run, such as a configuration that a step changes, is
 * not reported.
 */
import { append } from '../kernel/append.js';
import { countOf } from '../kernel/quantity.js';
import type { Profile } from '../profile/profile.js';
import { listTerms, type MetricTerm } from '../scenario/expect/expectation.js';
import { describeFault, kindOf, stepsOfFault } from '../scenario/faults/index.js';
import type { Plan, PlannedFault } from '../scenario/model/plan.js';
import { formatMoment } from '../scenario/plan/describe.js';
import { listSteps } from '../scenario/plan/steps-of.js';
import { describeStep, type StepCall } from '../scenario/steps/index.js';
import { type Cause, type Hit, NoEffectRules } from './no-effect-rules.js';
import { listShortData } from './short-data.js';

/** A fault or a step, or one of the sensors that it affects. */
interface Subject {
  /** `fault brown-out` */
  readonly what: string;
  /** `3h` */
  readonly when: string;
  readonly cause: Cause;
  /** The devices that the fault or step selects, each with the times at which it affects them. */
  readonly hits: readonly Hit[];
}

/** Times of a step after a wait: any time is possible. */
const ANY_TIME: Pick<Hit, 'at' | 'latest'> = { at: 0, latest: Number.POSITIVE_INFINITY };

/**
 * A sentence for each fault or step without an effect on a group: number of devices, reason, and what to change. Also one for
 * each expectation that tests nothing, and for each load that ends early.
 * @param clock of the run. Default: virtual
 */
export function withoutEffect(
  plan: Plan,
  profiles: ReadonlyMap<string, Profile>,
  clock: 'virtual' | 'real' = 'virtual',
): readonly string[] {
  const rules = new NoEffectRules(plan, profiles);
  const subjects = [...faultSubjects(plan), ...stepSubjects(plan)];
  // Several equal faults give the same sentence again, with a later time: only the first is shown.
  const sentences = new Map<string, string>();
  for (const { what, when, cause, hits } of subjects) {
    for (const part of hits.length === 0 ? ['it selects no device'] : withoutEffectIn(plan, rules, cause, hits)) {
      const key = `${what}: ${part}`;
      if (!sentences.has(key)) sentences.set(key, `${what} at ${when}: ${part}`);
    }
  }
  return [...sentences.values(), ...(clock === 'virtual' ? listTimeless(plan) : []), ...listShortData(plan)];
}

/** A sentence for each expectation about times of API requests: in virtual time, they are 0 without a fault of the cloud. */
function listTimeless({ expectations, faults, loads }: Plan): readonly string[] {
  if (loads.length === 0 || faults.some((fault) => kindOf(fault).part === 'service')) return [];
  return expectations.flatMap((expectation) => {
    if ('invariant' in expectation || ![expectation.left, expectation.right].flatMap(listTerms).some(isTimeOfCall))
      return [];
    return [`expectation "${expectation.line}" tests nothing in virtual time, because API requests take no time there`];
  });
}

function isTimeOfCall({ metric, aggregate }: MetricTerm): boolean {
  if (aggregate.kind === 'count') return false;
  return metric === 'call.latency' || metric === 'call.service' || metric === 'call.answered';
}

/** One sentence for each group in which devices are selected, but none of them is affected. */
function withoutEffectIn(plan: Plan, rules: NoEffectRules, cause: Cause, hits: readonly Hit[]): readonly string[] {
  const byGroup = new Map<number | undefined, Hit[]>();
  for (const hit of hits) {
    const group = plan.devices[hit.device]?.group;
    append(byGroup, group, hit);
  }
  return plan.groups.flatMap(({ name }, group) => {
    const own = byGroup.get(group) ?? [];
    const reasons = new Set<string | undefined>();
    for (const hit of own) {
      const reason = rules.reason(cause, hit);
      // If one device of the group is affected, nothing is reported for the group.
      if (reason === undefined) return [];
      reasons.add(reason);
    }
    const [reason] = reasons;
    if (reason === undefined) return [];
    const count = new Set(own.map(({ device }) => device)).size;
    return [`no effect on ${countOf(count, 'device')} of ${name}: ${reason}`];
  });
}

/** A recurring fault has an effect if it has one at any of its times. */
function faultSubjects({ faults, devices }: Plan): readonly Subject[] {
  const all = devices.map((_, index) => index);
  return faults.flatMap((fault) => {
    const hits = fault.windows.flatMap(({ from, until }) =>
      (fault.devices ?? all).map((device) => ({ device, at: from, until, latest: from })),
    );
    const when = formatMoment(fault.windows[0]?.from ?? 0);
    return causesOfFault(fault).map(({ cause, quantity }) => {
      const what = `${describeFault(fault)}${quantity === undefined ? '' : ` of ${quantity}`}`;
      return { what: `fault ${what}`, when, cause, hits };
    });
  });
}

/** None for a fault of the cloud: it has no devices. */
function causesOfFault(fault: PlannedFault): readonly StepCause[] {
  const begin = stepsOfFault(fault)?.begin;
  if (begin !== undefined) return causesOf(begin);
  return kindOf(fault).part === 'network' ? [{ cause: { kind: 'network' } }] : [];
}

function stepSubjects({ actions }: Plan): readonly Subject[] {
  const own = actions.filter(({ fault }) => fault === undefined);
  return listSteps(own).flatMap(({ first, all }) => {
    const hits = all.flatMap(({ devices, at, wait }) =>
      devices.map((device) => ({ device, until: null, ...(wait === undefined ? { at, latest: at } : ANY_TIME) })),
    );
    const when = first.wait === undefined ? formatMoment(first.at) : 'the end of its wait';
    return causesOf(first).map(({ cause, quantity }) => {
      const what = quantity === undefined ? describeStep(first) : `sensor ${quantity}`;
      return { what: `step ${what}`, when, cause, hits };
    });
  });
}

interface StepCause {
  readonly cause: Cause;
  /** The sensor, if the step is about sensors. */
  readonly quantity?: string;
}

/** One cause for each sensor of a step about sensors, otherwise one for the whole step. */
function causesOf(call: StepCall): readonly StepCause[] {
  if (call.step !== 'sensor') return [{ cause: { kind: 'step', call } }];
  return Object.entries(call.options).flatMap(([quantity, { kind }]): readonly StepCause[] =>
    kind === 'free' ? [] : [{ cause: { kind: 'quantity', quantity }, quantity }],
  );
}
