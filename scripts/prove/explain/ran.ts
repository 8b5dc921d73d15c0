/** Runs of a drawn scenario, with some of its parts left out. */

import type { Explanation } from '../../../src/explain/explanation.js';
import { type Ending, findEnding } from '../../../src/explain/outcome.js';
import type { Situation } from '../../../src/explain/situation.js';
import { defineScenario, explain } from '../../../src/index.js';
import { runPlan } from '../../../src/library/scenario.js';
import { getDownlinks } from '../../../src/runner/explainers.js';
import type { Plan } from '../../../src/scenario/model/plan.js';
import { isTracked } from '../../../src/trace/downlinks/ledger.js';
import type { TraceEvent } from '../../../src/trace/events.js';
import { type DrawnScenario, DURATION } from './draw.js';
import { type Changes, definitionOf, isKept, UNCHANGED } from './remove.js';

/** A run of a scenario with some changes. */
export interface Ran {
  readonly situation: Situation;
  readonly explain: (id: string) => Promise<Explanation>;
  /** Ids of downlinks by the queueing step (its index in the drawn scenario) and the serial number: `3 2159017985`. */
  readonly ids: ReadonlyMap<string, string>;
  /** How the downlinks with the same keys ended. */
  readonly ends: ReadonlyMap<string, Ending>;
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
  const steps = new StepIds(plan, drawn, changes);
  const result = await runPlan(plan, { watch: steps });
  const ends = new Map(
    [...(getDownlinks(result) ?? [])].map((record) => [record.id, findEnding(record, DURATION * 60_000)]),
  );
  return {
    situation: result.planned,
    explain: (id) => explain(result, id),
    ids: steps.ids,
    ends: new Map(
      [...steps.ids].flatMap(([key, id]) => {
        const end = ends.get(id);
        return end === undefined ? [] : [[key, end] as const];
      }),
    ),
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
    this.ids.set(`${queueing} ${event.serial}`, event.downlink);
  }
}
