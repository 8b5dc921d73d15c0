/**
 * Finds the faults and steps of a plan that are valid, but have no effect on the devices that they select. Examples: a
 * brown-out of devices on line power, a step for a sensor that the configuration switches off, an outage that ends before the
 * devices are switched on. A run with them would test less than its scenario says. `validate`, `plan` and `run` show them as
 * warnings.
 *
 * The search uses only the plan. So a case that depends on events of the run, such as a configuration that a step changes, is
 * not reported.
 */
import { humanCount } from '../kernel/quantity.js';
import { formatDuration, type Instant } from '../kernel/time.js';
import type { Profile } from '../profile/profile.js';
import { describeFaultSpec } from '../scenario/faults/network.js';
import type { Plan, PlannedFault } from '../scenario/model/plan.js';
import { stepsOf } from '../scenario/plan/steps-of.js';
import { describeStep, type StepCall } from '../scenario/steps/index.js';
import { type Cause, type Hit, NoEffectRules } from './no-effect-rules.js';

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

/** A sentence for each fault or step without an effect on a group: number of devices, reason, and what to change. */
export function withoutEffect(plan: Plan, profiles: ReadonlyMap<string, Profile>): readonly string[] {
  const rules = new NoEffectRules(plan, profiles);
  const subjects = [...networkFaults(plan), ...deviceFaults(plan), ...stepSubjects(plan)];
  // Several equal faults give the same sentence again, with a later time: only the first is shown.
  const sentences = new Map<string, string>();
  for (const { what, when, cause, hits } of subjects) {
    for (const part of hits.length === 0 ? ['it selects no device'] : withoutEffectIn(plan, rules, cause, hits)) {
      const key = `${what}: ${part}`;
      if (!sentences.has(key)) sentences.set(key, `${what} at ${when}: ${part}`);
    }
  }
  return [...sentences.values()];
}

/** One sentence for each group in which devices are selected, but none of them is affected. */
function withoutEffectIn(plan: Plan, rules: NoEffectRules, cause: Cause, hits: readonly Hit[]): readonly string[] {
  const byGroup = new Map<number | undefined, Hit[]>();
  for (const hit of hits) {
    const group = plan.devices[hit.device]?.group;
    const own = byGroup.get(group);
    if (own) own.push(hit);
    else byGroup.set(group, [hit]);
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
    return [`no effect on ${count === 1 ? '1 device' : `${humanCount(count)} devices`} of ${name}: ${reason}`];
  });
}

function networkFaults({ network, devices }: Plan): readonly Subject[] {
  const all = devices.map((_, index) => index);
  const windows = network.map((each): FaultWindow & PlannedFault => ({
    ...each,
    name: [describeFaultSpec(each.fault), each.way, each.to].join(),
  }));
  return recurring(windows).map((times) => ({
    what: `fault ${describeFaultSpec(times[0].fault)}`,
    when: moment(times[0].from),
    cause: { kind: 'network' },
    hits: times.flatMap((window) => hitsIn(window, window.devices ?? all)),
  }));
}

function deviceFaults({ deviceFaults: faults = [], actions }: Plan): readonly Subject[] {
  const windows = faults.flatMap(({ fault, from, until, to }, index) => {
    // The actions are sorted by time, so the first action of a fault begins it.
    const begin = actions.find((action) => action.fault === index);
    if (begin === undefined) return [];
    return [{ name: [fault, describeStep(begin), to].join(), fault, from, until, begin }];
  });
  return recurring(windows).flatMap((times) => {
    const [{ fault, from, begin }] = times;
    const hits = times.flatMap((window) => hitsIn(window, window.begin.devices));
    return causesOf(begin).map(({ cause, quantity }) => {
      const what = quantity === undefined ? fault : `${fault} of ${quantity}`;
      return { what: `fault ${what}`, when: moment(from), cause, hits };
    });
  });
}

/** A period in which a fault is active. */
interface FaultWindow {
  /** The fault and its devices: windows with the same name may belong to one recurring fault. */
  readonly name: string;
  readonly from: Instant;
  readonly until: Instant | null;
}

function hitsIn({ from, until }: FaultWindow, devices: readonly number[]): readonly Hit[] {
  return devices.map((device) => ({ device, at: from, until, latest: from }));
}

/** The windows of each fault. A recurring fault has several windows; it has an effect if at least one window has an effect. */
function recurring<W extends FaultWindow>(windows: readonly W[]): readonly (readonly [W, ...W[]])[] {
  const faults: [W, ...W[]][] = [];
  for (const window of windows) {
    const times = faults.at(-1);
    if (times !== undefined && recurs(times, window)) times.push(window);
    else faults.push([window]);
  }
  return faults;
}

/** Whether `next` is the next window of the same recurring fault. The last window may be shorter than the others. */
function recurs(times: readonly [FaultWindow, ...FaultWindow[]], next: FaultWindow): boolean {
  const [first, second = next] = times;
  const last = times.at(-1) ?? first;
  if (first.name !== next.name || first.until === null || next.until === null) return false;
  const every = second.from - first.from;
  return every > 0 && next.from - last.from === every && next.until - next.from <= first.until - first.from;
}

function stepSubjects({ actions }: Plan): readonly Subject[] {
  const own = actions.filter(({ fault }) => fault === undefined);
  return stepsOf(own).flatMap(({ first, all }) => {
    const hits = all.flatMap(({ devices, at, wait }) =>
      devices.map((device) => ({ device, until: null, ...(wait === undefined ? { at, latest: at } : ANY_TIME) })),
    );
    const when = first.wait === undefined ? moment(first.at) : 'the end of its wait';
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

function moment(at: Instant): string {
  return formatDuration(Math.round(at / 1000) * 1000);
}
