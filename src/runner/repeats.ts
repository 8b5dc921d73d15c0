/** Answers the questions of explanations by repetitions of the device: each cause is a change of the plan. */
import { type CauseKey, type CauseSet, NO_CAUSE, setKey } from '../explain/causes.js';
import { collectFacts, type DeviceFacts } from '../explain/facts.js';
import { type Ending, findEnding } from '../explain/outcome.js';
import type { Repeats } from '../explain/remedies.js';
import type { Situation } from '../explain/situation.js';
import type { Plan } from '../scenario/model/plan.js';
import {
  asShell,
  type QueuedByStep,
  switchedOn,
  withoutOthers,
  withoutUpdates,
  withParameter,
} from '../scenario/plan/change.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import type { PlanChange } from './shared-worlds.js';
import { isRefused, readRefusal, UNCHANGED, type WhatIf } from './what-if.js';
import { getProfile } from './world/fleet.js';

/** A device that polls, or without polls reports, every minute is the one that does not wait for its next contact. */
const OFTEN = '60';

export class DownlinkRepeats implements Repeats {
  readonly #whatIf: WhatIf;
  readonly #situation: Situation;

  /** @param situation of the run; its faults name their entries in the plan */
  constructor(whatIf: WhatIf, situation: Situation) {
    this.#whatIf = whatIf;
    this.#situation = situation;
  }

  get simulated(): boolean {
    return this.#whatIf.simulated;
  }

  async findRefusal(serial: number): Promise<string | undefined> {
    const answer = await this.#whatIf.repeatDevice(serial).catch(readRefusal);
    return isRefused(answer) ? answer.refused : undefined;
  }

  async findEnding(record: DownlinkRecord, facts: DeviceFacts, without: CauseSet): Promise<Ending | undefined> {
    const change = this.#changeFor(record, facts, without);
    if (change === undefined) return undefined;
    const answer = await this.#whatIf.repeatDevice(record.serial, change).catch(readRefusal);
    if (isRefused(answer)) return undefined;
    const repeated = collectFacts(answer.history, answer.situation);
    const same = findCounterpart(record, facts, repeated, without);
    return same && findEnding(same, repeated.closing);
  }

  /** Undefined if one of the causes is not in the plan. */
  #changeFor(record: DownlinkRecord, facts: DeviceFacts, causes: CauseSet): PlanChange | undefined {
    if (causes.size === 0) return UNCHANGED;
    const faults = [...causes].filter((cause) => cause.startsWith('fault:'));
    const entries = faults.map((cause) => this.#situation.faults[Number(cause.slice('fault:'.length))]?.entries);
    const others = [...causes].filter((cause) => !cause.startsWith('fault:'));
    const changes = others.map((cause) => this.#findChange(cause, record, facts));
    if (entries.includes(undefined) || changes.includes(undefined)) return undefined;
    const { id, serial } = record;
    const isOfDownlink = causes.has('downlinks') || causes.has('encoder');
    return {
      key: [setKey(causes), isOfDownlink ? id : others.length === 0 ? '' : serial].join(' '),
      without: new Set(entries.flatMap((each) => each ?? [])),
      apply: (plan) => changes.reduce((changed, change) => change?.(changed) ?? changed, plan),
    };
  }

  #findChange(cause: CauseKey, record: DownlinkRecord, facts: DeviceFacts): ((plan: Plan) => Plan) | undefined {
    const { serial } = record;
    const device = this.#whatIf.plan.devices.findIndex((each) => each.serial === serial);
    const only = new Set([device]);
    switch (cause) {
      case 'interval':
        return this.#pollOften(device);
      case 'power-on':
        return (plan) => switchedOn(plan, only);
      case 'encoder':
        return (plan) => asShell(plan, locateStep(record, facts, device));
      case 'downlinks':
        return (plan) => withoutOthers(plan, locateStep(record, facts, device));
      case 'update':
        return (plan) => withoutUpdates(plan, only);
      default:
        return undefined;
    }
  }

  #pollOften(device: number): ((plan: Plan) => Plan) | undefined {
    const { plan, profiles } = this.#whatIf;
    const group = plan.groups[plan.devices[device]?.group ?? -1];
    const timing = group && getProfile(profiles, group.profile).timing;
    const parameter = timing?.pollEvery ?? timing?.reportEvery;
    return parameter && ((changed) => withParameter(changed, new Set([device]), { ...parameter, value: OFTEN }));
  }
}

function locateStep({ id, type, queuedAt }: DownlinkRecord, { downlinks }: DeviceFacts, device: number): QueuedByStep {
  const alike = downlinks.filter((each) => each.type === type && each.queuedAt === queuedAt);
  return { device, type, queuedAt, earlier: alike.findIndex((each) => each.id === id) };
}

/**
 * The same downlink in a repetition; undefined if it was not queued there. Usually it has the same id, which depends on its
 * time. It has another one in real time, after a restart of the service, and without the other downlinks of its millisecond.
 * @param without what the repetition lacks
 */
export function findCounterpart(
  record: DownlinkRecord,
  { downlinks, byStep }: Pick<DeviceFacts, 'downlinks' | 'byStep'>,
  repeated: Pick<DeviceFacts, 'downlinks' | 'byStep'>,
  without: CauseSet = NO_CAUSE,
): DownlinkRecord | undefined {
  const type = without.has('encoder') && record.type === 'data' ? 'shell' : record.type;
  const alike = repeated.downlinks.filter((each) => each.type === type);
  const same = alike.find(({ id }) => id === record.id);
  if (same !== undefined) return same;
  const [only, ...others] = alike.filter(({ queuedAt }) => queuedAt === record.queuedAt);
  const rivals = downlinks.filter((each) => each.type === record.type && each.queuedAt === record.queuedAt);
  if (only !== undefined && others.length === 0 && (rivals.length === 1 || without.has('downlinks'))) return only;
  const step = [...byStep].find(([, id]) => id === record.id)?.[0];
  const id = step && repeated.byStep.get(step);
  return alike.find((each) => each.id === id);
}
