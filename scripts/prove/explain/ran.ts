/** Runs of a drawn scenario, in which each downlink is known by the step that queued it. */
import { type DeviceFacts, factsOf } from '../../../src/explain/facts.js';
import type { Situation } from '../../../src/explain/situation.js';
import { defineScenario, runPlan } from '../../../src/library/scenario.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import { situationOf } from '../../../src/runner/situation.js';
import type { Plan } from '../../../src/scenario/model/plan.js';
import { isTracked } from '../../../src/trace/downlinks/ledger.js';
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

/** Runs a scenario with changes, each combination of changes only once. */
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
 * Finds the ids of the downlinks of each step. The events of a device stay in their order: its n-th `step` event belongs to the
 * n-th action for it, and follows the downlink that this action has queued.
 */
class StepIds {
  readonly ids = new Map<string, string>();
  /** By serial number: for each remaining action, the index of its queueing step; undefined if the action queues nothing. */
  readonly #order = new Map<number, (number | undefined)[]>();

  constructor(plan: Plan, { queueing }: DrawnScenario, changes: Changes) {
    for (const { serial } of plan.devices) this.#order.set(serial, []);
    // A scenario lists its queueing steps before its other steps.
    const kept = queueing.flatMap((_, index) => (isKept(index, changes) ? [index] : []));
    for (const { origin, fault, devices } of plan.actions) {
      const queued = fault === undefined ? kept[origin] : undefined;
      for (const index of devices) this.#order.get(plan.devices[index]?.serial ?? 0)?.push(queued);
    }
  }

  take(event: TraceEvent): void {
    if (event.kind === 'step') this.#order.get(event.serial)?.shift();
    if (event.kind !== 'downlink.queued' || !isTracked(event.type)) return;
    const [queueing] = this.#order.get(event.serial) ?? [];
    if (queueing === undefined) {
      throw new Error(`${event.type} downlink to ${event.serial} at ${event.at}: not queued by the step in progress`);
    }
    this.ids.set(stepKey(queueing, event.serial), event.downlink);
  }
}
