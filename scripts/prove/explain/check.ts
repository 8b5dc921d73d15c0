/** Runs a drawn scenario, explains its slow downlinks, and repeats it without the causes that the explanations name. */
import type { CauseKey, CauseSet } from '../../../src/explain/causes.js';
import { endOf, timeTaken } from '../../../src/explain/course.js';
import { FAST } from '../../../src/explain/explain.js';
import { type DeviceFacts, factsOf } from '../../../src/explain/facts.js';
import { CauseNames } from '../../../src/explain/names.js';
import { remedies } from '../../../src/explain/predict.js';
import type { Situation } from '../../../src/explain/situation.js';
import type { Millis } from '../../../src/kernel/time.js';
import { defineScenario, runPlan } from '../../../src/library/scenario.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import { situationOf } from '../../../src/runner/situation.js';
import type { DownlinkRecord } from '../../../src/trace/downlinks/ledger.js';
import type { TraceEvent } from '../../../src/trace/events.js';
import type { DrawnScenario } from './draw.js';
import { type Changes, definitionOf, UNCHANGED } from './remove.js';

/** A slow downlink, and what became of it without the causes that its explanation names. */
export interface Checked {
  readonly downlink: string;
  readonly took: Millis;
  /** Empty: the explanation names no cause. */
  readonly named: readonly string[];
  readonly predicted: Millis | undefined;
  /** undefined: it was not delivered, or not queued. */
  readonly without: Millis | undefined;
  /** It is fast without the causes. */
  readonly held: boolean;
  /** It is fast as well without some of the causes alone. */
  readonly needless: boolean;
}

/** A run of a scenario with some changes. */
interface Ran {
  readonly situation: Situation;
  readonly facts: ReadonlyMap<number, DeviceFacts>;
}

/** Runs a scenario with changes, each combination once. */
class Repetitions {
  readonly #drawn: DrawnScenario;
  readonly #ran = new Map<string, Promise<Ran>>();

  constructor(drawn: DrawnScenario) {
    this.#drawn = drawn;
  }

  with(changes: Changes): Promise<Ran> {
    const key = JSON.stringify({ ...changes, without: [...changes.without] });
    const ran = this.#ran.get(key) ?? run(this.#drawn, changes);
    this.#ran.set(key, ran);
    return ran;
  }
}

async function run(drawn: DrawnScenario, changes: Changes): Promise<Ran> {
  const plan = defineScenario(definitionOf(drawn, changes));
  const events = new Map<number, TraceEvent[]>(plan.devices.map(({ serial }) => [serial, []]));
  const take = (event: TraceEvent) => {
    if ('serial' in event) events.get(event.serial)?.push(event);
    else if (event.kind === 'world.closing') for (const own of events.values()) own.push(event);
  };
  await runPlan(plan, { watch: { take } });
  const situation = situationOf(plan, packagedProfiles());
  return {
    situation,
    facts: new Map([...events].map(([serial, own]) => [serial, factsOf({ serial, events: own }, situation)])),
  };
}

/** Checks every downlink that takes longer than 10 min. */
export async function check(drawn: DrawnScenario): Promise<readonly Checked[]> {
  const repetitions = new Repetitions(drawn);
  const { situation, facts } = await repetitions.with(UNCHANGED);
  const checked: Checked[] = [];
  for (const [serial, own] of facts) {
    for (const record of own.downlinks) {
      const total = timeTaken(record, own.closing);
      if (total > FAST) checked.push(await checkOne({ drawn, repetitions, situation, serial, own, record, total }));
    }
  }
  return checked;
}

interface Slow {
  readonly drawn: DrawnScenario;
  readonly repetitions: Repetitions;
  readonly situation: Situation;
  readonly serial: number;
  readonly own: DeviceFacts;
  readonly record: DownlinkRecord;
  readonly total: Millis;
}

async function checkOne(slow: Slow): Promise<Checked> {
  const { drawn, situation, serial, own, record, total } = slow;
  const { part } = own;
  const names = new CauseNames(situation, part);
  const [best] = remedies(record, own, FAST);
  const at = (record.queuedAt / 60_000).toFixed(1);
  const downlink = `seed ${drawn.seed}, ${record.type} to ${serial} (${part?.profile} ${part?.firmware}), queued at ${at} min`;
  const causes = best?.without ?? new Set<CauseKey>();
  const without = causes.size === 0 ? undefined : await timeWithout(slow, causes);
  let needless = false;
  for (const some of partsOf(causes))
    needless ||= ((await timeWithout(slow, some)) ?? Number.POSITIVE_INFINITY) <= FAST;
  return {
    downlink,
    took: total,
    named: [...causes].map((cause) => names.of(cause).name),
    predicted: best?.time,
    without,
    held: without !== undefined && without <= FAST,
    needless,
  };
}

/** The sets that contain some of the causes and not all. */
function partsOf(causes: CauseSet): readonly CauseSet[] {
  const parts: CauseKey[][] = [[]];
  for (const cause of causes) parts.push(...parts.map((part) => [...part, cause]));
  return parts.filter(({ length }) => length > 0 && length < causes.size).map((part) => new Set(part));
}

/** Time of the downlink in a repetition without `causes`; undefined if it is open at its end. */
async function timeWithout(
  { drawn, repetitions, situation, serial, own, record }: Slow,
  causes: CauseSet,
): Promise<Millis | undefined> {
  const sameTime = ({ queuedAt }: DownlinkRecord) => Math.abs(queuedAt - record.queuedAt) < 1000;
  const place = own.downlinks.filter(sameTime).indexOf(record);
  const changes: Changes = {
    without: new Set([...causes].flatMap((cause) => removablesOf(drawn, situation, cause))),
    interval: causes.has('interval'),
    powerOn: causes.has('power-on'),
    encoder: causes.has('encoder'),
    only: causes.has('downlinks') ? queueingOf(drawn, record, own.part?.group ?? '', place) : undefined,
  };
  const later = (await repetitions.with(changes)).facts.get(serial);
  const same = later?.downlinks.filter(sameTime)[changes.only === undefined ? place : 0];
  if (later === undefined) return undefined;
  return same === undefined || endOf(same) === undefined ? undefined : timeTaken(same, later.closing);
}

/** The parts of the scenario that a cause stands for. */
function removablesOf({ removables }: DrawnScenario, { faults }: Situation, cause: CauseKey): readonly number[] {
  const fault = cause.startsWith('fault:') ? faults[Number(cause.slice('fault:'.length))] : undefined;
  if (fault === undefined) return [];
  // Steps have no selector in the situation; their time identifies them.
  const began = Math.round((fault.windows[0]?.from ?? 0) / 60_000);
  return removables.flatMap((each, index) =>
    each.name === fault.name && (fault.name === 'radio' ? each.from === began : each.to === fault.whom) ? [index] : [],
  );
}

/** The step that has queued the downlink. @param place among the downlinks of its device at that time */
function queueingOf({ queueing }: DrawnScenario, { queuedAt }: DownlinkRecord, group: string, place: number): number {
  const then = queueing.flatMap(({ at, to }, index) =>
    Math.abs(at * 60_000 - queuedAt) < 5000 && to === group ? [index] : [],
  );
  return then[place] ?? -1;
}
