/** Runs a drawn scenario, explains its slow downlinks, and repeats it without the causes that the explanations name. */
import type { CauseKey, CauseSet } from '../../../src/explain/causes.js';
import { endOf, isLost, timeTaken } from '../../../src/explain/course.js';
import { FAST } from '../../../src/explain/explain.js';
import type { DeviceFacts } from '../../../src/explain/facts.js';
import { namedCauses } from '../../../src/explain/named.js';
import { CauseNames } from '../../../src/explain/names.js';
import { remedies } from '../../../src/explain/predict.js';
import type { Situation } from '../../../src/explain/situation.js';
import { causeTimes } from '../../../src/explain/waits.js';
import type { Millis } from '../../../src/kernel/time.js';
import type { DownlinkRecord } from '../../../src/trace/downlinks/ledger.js';
import type { DrawnScenario } from './draw.js';
import { Repetitions, stepKey } from './ran.js';
import type { Changes } from './remove.js';

/**
 * The time that a downlink took in a repetition. `not found`: the repetition has no such downlink, because the API rejected its
 * request. `not delivered`: the downlink is open at the end, or the device never received it.
 */
export type Course = Millis | 'not found' | 'not delivered';

/** A slow downlink, and its course without the causes that its explanation names. */
export interface Checked {
  readonly downlink: string;
  readonly took: Millis;
  /** Names of these causes; empty if the explanation names none. */
  readonly named: readonly string[];
  readonly predicted: Millis | undefined;
  /** Course of the downlink without the causes; undefined if no cause is named. */
  readonly without: Course | undefined;
  /** Whether the downlink is fast without the causes. */
  readonly held: boolean;
  /** Whether it is also fast if only some of the causes are removed. Repeats the scenario for each such set of causes. */
  readonly needless: () => Promise<boolean>;
}

/** Checks every downlink that takes longer than 10 min. */
export async function check(drawn: DrawnScenario): Promise<readonly Checked[]> {
  const repetitions = new Repetitions(drawn);
  const { situation, facts, ids } = await repetitions.unchanged;
  const checked: Checked[] = [];
  for (const [queueing, { to }] of drawn.queueing.entries()) {
    for (const [serial, own] of facts) {
      if (own.part?.group !== to) continue;
      const record = found(own, ids.get(stepKey(queueing, serial)));
      // The API has rejected the request of the step.
      if (record === undefined) continue;
      const took = timeTaken(record, own.closing);
      if (took > FAST) checked.push(await checkOne({ drawn, repetitions, situation, queueing, own, serial, record }));
    }
  }
  return checked;
}

interface Slow {
  readonly drawn: DrawnScenario;
  readonly repetitions: Repetitions;
  readonly situation: Situation;
  /** Index of the step that has queued it. */
  readonly queueing: number;
  readonly serial: number;
  readonly own: DeviceFacts;
  readonly record: DownlinkRecord;
}

async function checkOne(slow: Slow): Promise<Checked> {
  const { drawn, situation, serial, own, record } = slow;
  const { part } = own;
  const names = new CauseNames(situation, part);
  const [best] = remedies(record, own, FAST);
  const at = (record.queuedAt / 60_000).toFixed(1);
  const took = timeTaken(record, own.closing);
  const causes = namedCauses(best?.without, causeTimes(record, own, record.queuedAt + took), own.calendar);
  const without = causes.size === 0 ? undefined : await courseWithout(slow, causes);
  return {
    downlink: `seed ${drawn.seed}, ${record.type} to ${serial} (${part?.profile} ${part?.firmware}), queued at ${at} min`,
    took,
    named: [...causes].map((cause) => names.of(cause).name),
    predicted: best?.time,
    without,
    held: isFast(without),
    needless: async () => {
      for (const some of partsOf(causes)) if (isFast(await courseWithout(slow, some))) return true;
      return false;
    },
  };
}

function isFast(course: Course | undefined): boolean {
  return typeof course === 'number' && course <= FAST;
}

/** The sets that contain some of the causes and not all. */
function partsOf(causes: CauseSet): readonly CauseSet[] {
  const parts: CauseKey[][] = [[]];
  for (const cause of causes) parts.push(...parts.map((part) => [...part, cause]));
  return parts.filter(({ length }) => length > 0 && length < causes.size).map((part) => new Set(part));
}

/** Course of the downlink in a repetition without `causes`. */
async function courseWithout(
  { drawn, repetitions, situation, queueing, serial, record }: Slow,
  causes: CauseSet,
): Promise<Course> {
  const changes: Changes = {
    without: new Set([...causes].flatMap((cause) => removablesOf(drawn, situation, cause))),
    interval: causes.has('interval'),
    powerOn: causes.has('power-on'),
    encoder: causes.has('encoder'),
    only: causes.has('downlinks') ? queueing : undefined,
  };
  const { facts, ids } = await repetitions.with(changes);
  const later = facts.get(serial);
  const same = later && found(later, ids.get(stepKey(queueing, serial)));
  if (later === undefined || same === undefined) return 'not found';
  const type = record.type === 'data' && changes.encoder ? 'shell' : record.type;
  if (same.type !== type)
    throw new Error(`${record.type} downlink ${record.id} is a ${same.type} downlink when repeated`);
  return endOf(same) === undefined || isLost(same) ? 'not delivered' : timeTaken(same, later.closing);
}

function found({ downlinks }: DeviceFacts, id: string | undefined): DownlinkRecord | undefined {
  return downlinks.find((record) => record.id === id);
}

/** The parts of the scenario that are removed for a cause. */
function removablesOf({ removables }: DrawnScenario, { faults }: Situation, cause: CauseKey): readonly number[] {
  const fault = cause.startsWith('fault:') ? faults[Number(cause.slice('fault:'.length))] : undefined;
  if (fault === undefined) return [];
  // The situation does not contain the selectors of steps, so their time identifies them.
  const began = Math.round((fault.windows[0]?.from ?? 0) / 60_000);
  const indices = removables.flatMap((each, index) =>
    each.name === fault.name && (fault.name === 'radio' ? each.from === began : each.to === fault.whom) ? [index] : [],
  );
  if (indices.length === 0) throw new Error(`${fault.what} of the situation is not in the scenario`);
  return indices;
}
