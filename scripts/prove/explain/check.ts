/** Runs a drawn scenario, explains its slow downlinks, and runs the scenario again without the causes that are named. */

import { CauseNames } from '../../../src/explain/causes.js';
import { FAST } from '../../../src/explain/explain.js';
import type { ExplainedCause, Explanation } from '../../../src/explain/explanation.js';
import type { Ending } from '../../../src/explain/outcome.js';
import type { Situation } from '../../../src/explain/situation.js';
import type { Millis } from '../../../src/kernel/time.js';
import type { DrawnScenario } from './draw.js';
import { Repetitions } from './ran.js';
import type { Changes } from './remove.js';

/** How the downlink ends without the causes; undefined if the scenario then does not queue it. */
type Course = Pick<Ending, 'time' | 'outcome' | 'received'> | undefined;

/** A slow downlink, and its course without the causes that its explanation names. */
export interface Checked {
  readonly downlink: string;
  readonly took: Millis;
  /** Names of these causes; empty if the explanation names none. */
  readonly named: readonly string[];
  /** Why the device cannot be repeated; undefined if it can. */
  readonly refused: string | undefined;
  /** Its end without the causes by the explanation; undefined without causes. */
  readonly predicted: Course;
  /** The same by another run of the scenario. */
  readonly without: Course;
  /** Whether both are the same, and fast, and the device receives the downlink. True without causes. */
  readonly held: boolean;
}

/** Checks every downlink that takes longer than 10 min. */
export async function check(drawn: DrawnScenario): Promise<readonly Checked[]> {
  const repetitions = new Repetitions(drawn);
  const { situation, explain, ids } = await repetitions.unchanged;
  const checked: Checked[] = [];
  for (const [key, id] of ids) {
    const explanation = await explain(id);
    if (explanation.took > FAST || !explanation.received) {
      checked.push(await checkOne(drawn, repetitions, situation, explanation, key));
    }
  }
  return checked;
}

/** @param key of the downlink in a run */
async function checkOne(
  drawn: DrawnScenario,
  repetitions: Repetitions,
  situation: Situation,
  explanation: Explanation,
  key: string,
): Promise<Checked> {
  const { type, device, queuedAt, took, causes, sooner, unknown } = explanation;
  const [best] = sooner;
  const queueing = Number(key.split(' ')[0]);
  const changes: Changes = {
    without: new Set(causes.flatMap((cause) => removablesOf(drawn, situation, cause))),
    interval: causes.some(({ kind }) => kind === 'interval'),
    powerOn: causes.some(({ kind }) => kind === 'power-on'),
    encoder: causes.some(({ kind }) => kind === 'encoder') ? queueing : undefined,
    only: causes.some(({ kind }) => kind === 'downlinks') ? queueing : undefined,
  };
  const isNamed = causes.length > 0 && best !== undefined && best.time <= FAST;
  const without = isNamed ? (await repetitions.with(changes)).ends.get(key) : undefined;
  return {
    downlink: `seed ${drawn.seed}, ${type} to ${device}, queued at ${(queuedAt / 60_000).toFixed(1)} min`,
    took,
    named: causes.map(({ name }) => name),
    refused: unknown[0],
    predicted: isNamed ? best : undefined,
    without,
    held: !isNamed || (without !== undefined && without.progress > 0 && isSame(without, best) && without.time <= FAST),
  };
}

function isSame(one: NonNullable<Course>, other: NonNullable<Course>): boolean {
  return one.time === other.time && one.outcome === other.outcome && one.received === other.received;
}

/** The parts of the scenario that are removed for a cause. */
function removablesOf({ removables }: DrawnScenario, situation: Situation, cause: ExplainedCause): readonly number[] {
  if (cause.kind !== 'fault' && cause.kind !== 'step') return [];
  const names = new CauseNames(situation, undefined);
  const fault = situation.faults.find((_, index) => names.nameFault(index) === cause.name);
  if (fault === undefined) throw new Error(`${cause.name} is not a fault of the situation`);
  // The situation does not contain the selectors of steps, so their times identify them: steps for the same devices are one fault.
  const began = new Set(fault.windows.map(({ from }) => Math.round(from / 60_000)));
  const indices = removables.flatMap((each, index) =>
    each.name === fault.name && (fault.name === 'radio' ? began.has(each.from) : each.to === fault.whom) ? [index] : [],
  );
  if (indices.length === 0) throw new Error(`${fault.what} of the situation is not in the scenario`);
  return indices;
}
