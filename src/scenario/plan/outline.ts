/** A plan's summary for reports: faults, steps, loads, and a fingerprint that makes runs comparable. */
import type { Instant, Millis } from '../../kernel/time.js';
import { contentFingerprint } from '../../protocol/hashes.js';
import { describeInDetail } from '../faults/index.js';
import type { FaultId, Plan } from '../model/plan.js';
import { describeStep } from '../steps/index.js';
import { describePace } from './describe.js';
import { listSteps } from './steps-of.js';

interface Outline {
  readonly duration: Millis;
  readonly warmUp: Millis;
  /** First the faults, then the steps, then the loads. */
  readonly marks: readonly Mark[];
  /** The faults that affect a device, by serial number. */
  readonly faultsOf: Readonly<Record<string, readonly FaultId[]>>;
  /**
   * Fingerprint of the scenario without its random draws, 16 hex digits: equal for plans of one scenario with different seeds.
   */
  readonly situation: string;
}

interface Mark {
  readonly kind: 'fault' | 'step' | 'load';
  /** Of a fault. A recurring fault has several marks. */
  readonly id?: FaultId;
  /** `outage`, `loss 10%`, `commands: info show`. */
  readonly what: string;
  /** The selector of a fault, or the device or number of devices of a step; empty for all devices and for loads. */
  readonly whom: string;
  readonly from: Instant;
  /** null if it lasts until the end of the run. */
  readonly until: Instant | null;
}

/** @param serials serial numbers of the devices to list in `faultsOf`. Default: none */
export function outline(plan: Plan, serials: readonly number[] = []): Outline {
  const faultsOf = [...new Set(serials)].map((serial) => {
    const index = plan.devices.findIndex((device) => device.serial === serial);
    return [serial, plan.faults.flatMap(({ id, devices }) => ((devices?.includes(index) ?? true) ? [id] : []))];
  });
  return {
    duration: plan.duration,
    warmUp: plan.warmUp,
    marks: [...faults(plan), ...steps(plan), ...loads(plan)],
    faultsOf: Object.fromEntries(faultsOf),
    situation: digestSituation(plan),
  };
}

function faults(plan: Plan): readonly Mark[] {
  return plan.faults.flatMap((fault) => {
    const common = { kind: 'fault', id: fault.id, what: describeInDetail(fault), whom: fault.to ?? '' } as const;
    return fault.windows.map(({ from, until }): Mark => ({ ...common, from, until }));
  });
}

/** One mark for each step of the file, except for steps after a wait, whose time is not known. */
function steps({ actions, devices }: Plan): readonly Mark[] {
  const shown = actions.filter(({ wait, fault }) => wait === undefined && fault === undefined);
  return listSteps(shown).map(({ first, last, devices: indices }) => {
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
function digestSituation(plan: Plan): string {
  const { scenario, duration, warmUp, cloud, setup, actions, loads: planned, waits, radioRelease } = plan;
  const groups = plan.groups.map(({ region: _, ...group }) => group);
  const wrong = plan.faults.map(({ devices: _, ...fault }) => fault);
  const steps = actions.map(({ origin, step, options, devices, sample }) => [origin, step, options, sample ?? devices]);
  const paces = planned.map(({ name, call, from, until, pace, data }) => {
    return [
      name,
      from,
      until,
      pace,
      ...(call.kind === 'chains' || call.kind === 'recorded' ? [call] : []),
      ...(data ? [data] : []),
    ];
  });
  const said = [
    scenario,
    duration,
    warmUp,
    groups,
    wrong,
    steps,
    paces,
    waits,
    ...(setup ? [setup] : []),
    ...(cloud ? [cloud] : []),
    ...(radioRelease ? [radioRelease] : []),
  ];
  return contentFingerprint(JSON.stringify(said));
}
