/** Runs of a drawn scenario, in which each downlink is known by the step that queued it. */
import { type DeviceFacts, factsOf } from '../../../src/explain/facts.js';
import type { Situation } from '../../../src/explain/situation.js';
import { defineScenario, runPlan } from '../../../src/library/scenario.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import { situationOf } from '../../../src/runner/situation.js';
import type { Plan } from '../../../src/scenario/model/plan.js';
import { isUserType } from '../../../src/trace/downlinks/ledger.js';
import type { TraceEvent } from '../../../src/trace/events.js';
import type { DrawnScenario } from './draw.js';
import { type Changes, definitionOf, isKept, UNCHANGED } from './remove.js';

/** A run of a scenario with some changes. */
export interface Ran {
  readonly situation: Situation;
  readonly facts: ReadonlyMap<number, DeviceFacts>;
  /** Id of the downlink that a queueing step (by its index in the drawn scenario) has queued for a device. */
  readonly ids: ReadonlyMap<string, string>;
}

/** Key of {@link Ran.ids}. */
export function stepKey(queueing: number, serial: number): string {
  return `${queueing} ${serial}`;
}

/** Runs a scenario with changes, each combination once. */
export class Repetitions {
  readonly #drawn: DrawnScenario;
  readonly #ran = new Map<string, Promise<Ran>>();

  constructor(drawn: DrawnScenario) {
    this.#drawn = drawn;
  }

  get unchanged(): Promise<Ran> {
    return this.with(UNCHANGED);
  }

  with(changes: Changes): Promise<Ran> {
    const key = JSON.stringify({ ...changes, without: [...changes.without].sort() });
    const ran = this.#ran.get(key) ?? run(this.#drawn, changes);
    this.#ran.set(key, ran);
    return ran;
  }
}

async function run(drawn: DrawnScenario, changes: Changes): Promise<Ran> {
  const plan = defineScenario(definitionOf(drawn, changes));
  const events = new Map<number, TraceEvent[]>(plan.devices.map(({ serial }) => [serial, []]));
  const steps = new StepIds(plan, drawn, changes);
  const take = (event: TraceEvent) => {
    steps.take(event);
    if ('serial' in event) events.get(event.serial)?.push(event);
    else if (event.kind === 'world.closing') for (const own of events.values()) own.push(event);
  };
  await runPlan(plan, { watch: { take } });
  const situation = situationOf(plan, packagedProfiles());
  return {
    situation,
    facts: new Map([...events].map(([serial, own]) => [serial, factsOf({ serial, events: own }, situation)])),
    ids: steps.ids,
  };
}

/**
 * Finds the ids of the downlinks of each step. Steps hold virtual time and send for one device after the other, so the n-th
 * `step` event belongs to the n-th pair of an action and a device, and follows the downlink that this step has queued.
 */
class StepIds {
  readonly ids = new Map<string, string>();
  readonly #order: readonly { readonly queueing: number | undefined; readonly serial: number }[];
  #place = 0;

  constructor(plan: Plan, { queueing }: DrawnScenario, changes: Changes) {
    // The scenario lists them before its other steps.
    const kept = queueing.flatMap((_, index) => (isKept(index, changes) ? [index] : []));
    this.#order = plan.actions.flatMap(({ origin, fault, devices }) =>
      devices.map((index) => {
        return { queueing: fault === undefined ? kept[origin] : undefined, serial: plan.devices[index]?.serial ?? 0 };
      }),
    );
  }

  take(event: TraceEvent): void {
    if (event.kind === 'step') this.#place++;
    if (event.kind !== 'downlink.queued' || !isUserType(event.type)) return;
    const { queueing, serial } = this.#order[this.#place] ?? {};
    if (queueing === undefined || serial !== event.serial) {
      throw new Error(`${event.type} downlink to ${event.serial} at ${event.at}: not queued by the step in progress`);
    }
    this.ids.set(stepKey(queueing, serial), event.downlink);
  }
}
