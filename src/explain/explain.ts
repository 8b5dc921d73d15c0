/** Explains a downlink from the events of its device and the situation of the run. */
import { type Millis, minutes } from '../kernel/time.js';
import { type DownlinkRecord, findOutcome, listStages } from '../trace/downlinks/ledger.js';
import { CauseNames, type CauseSet, NO_CAUSE } from './causes.js';
import type { DownlinkCourse, ExplainedRemedy, ExplainedWait, Explanation } from './explanation.js';
import { collectFacts, type DeviceFacts, type DeviceHistory, findPart } from './facts.js';
import { type Ending, findEnd, findEnding, isLost, measureTime } from './outcome.js';
import { writeParagraph } from './paragraph.js';
import { isOverlong } from './queue.js';
import {
  attributeCauses,
  findLosingCauses,
  findRemedies,
  type Remedies,
  type Remedy,
  type Repeats,
} from './remedies.js';
import type { Situation } from './situation.js';
import { buildTimeline } from './timeline.js';
import { explainSilence } from './unanswered.js';
import { type CauseTime, divideByCause } from './waits.js';

/** A downlink that takes at most this time is fast: no cause has to be removed. */
export const FAST: Millis = minutes(10);
const MOST_REMEDIES = 5;

/** What the explanations of a run share. */
export interface ExplainerOptions {
  readonly situation: Situation;
  /** Gaps in the histories, one sentence each. Default: none */
  readonly unknown?: readonly string[];
  /** Repeats devices; why this cannot be done, worded to follow "because"; left out if the question does not arise. */
  readonly repeats?: Repeats | string | undefined;
}

/** Explains downlinks of one device. */
export class DeviceExplainer {
  readonly #facts: DeviceFacts;
  readonly #options: ExplainerOptions;
  readonly #serial: number;
  readonly #name: string;

  /** @param name of the device, for texts */
  constructor(history: DeviceHistory, name: string, options: ExplainerOptions) {
    this.#facts = collectFacts(history, options.situation);
    this.#options = options;
    this.#serial = history.serial;
    this.#name = name;
  }

  get facts(): DeviceFacts {
    return this.#facts;
  }

  /** The downlinks of the device, in the order of the queue. */
  get downlinks(): readonly DownlinkRecord[] {
    return this.#facts.downlinks;
  }

  /** @param limit a downlink that takes at most this time is fast. Default: 10 min */
  async explain(record: DownlinkRecord, limit: Millis = FAST): Promise<Explanation> {
    const facts = this.#facts;
    const { unknown = [] } = this.#options;
    const names = this.#nameCauses(record);
    const { outcome, received, took, timeline } = this.follow(record);
    const waits = divideByCause(record, facts, record.queuedAt + took);
    const silent = explainSilence(record, facts, names);
    const { main, sooner, notSooner, simulated, refused } = await this.#answer(record, waits, limit);
    const causes = took > limit || !received ? new Set([...main, ...findLosingCauses(record, facts)]) : NO_CAUSE;
    const said: Omit<Explanation, 'text'> = {
      downlink: record.id,
      serial: this.#serial,
      device: this.#name,
      type: record.type,
      queuedAt: record.queuedAt,
      outcome,
      received,
      ...(silent?.why !== undefined && { noAnswer: silent.why }),
      ...(silent !== undefined && facts.goesOn && { awaitsAnswer: true }),
      took,
      causes: [...causes].map((cause) => names.nameCause(cause)),
      waits: nameWaits(waits, names),
      ...(simulated && { simulated: endOf(simulated) }),
      sooner: nameRemedies(sooner, names),
      ...(notSooner.length > 0 && { notSooner: nameRemedies(notSooner, names) }),
      timeline,
      unknown: refused === undefined ? unknown : [...unknown, `${NOT_REPEATED}, because ${refused}.`],
    };
    return { ...said, text: writeParagraph(said, limit) };
  }

  /** Finds the causes of a downlink: by repetitions, or by its waits if the device cannot be repeated. */
  async #answer(record: DownlinkRecord, waits: readonly CauseTime[], limit: Millis): Promise<Answer> {
    const facts = this.#facts;
    const { repeats } = this.#options;
    // No change of the plan would deliver it.
    if (isOverlong(record, facts)) return { main: OVERLONG, sooner: [], notSooner: [] };
    const real = findEnding(record, facts.closing);
    const longest = attributeCauses(waits, measureTime(record, facts.closing), limit);
    // Only a fault makes a downlink lost.
    const main = isLost(record) ? new Set([...longest].filter((cause) => cause.startsWith('fault:'))) : longest;
    const byWaits = { main, sooner: [], notSooner: [] };
    if (repeats === undefined) return byWaits;
    if (typeof repeats === 'string') return { ...byWaits, refused: repeats };
    const refused = await repeats.findRefusal(this.#serial);
    if (refused !== undefined) return { ...byWaits, refused };
    const simulated = repeats.simulated ? await repeats.findEnding(record, facts, NO_CAUSE) : undefined;
    if (repeats.simulated && simulated === undefined) return byWaits;
    const end = simulated ?? real;
    const remedies = await findRemedies({ record, facts, waits, limit, repeats }, end);
    const [first] = remedies.sooner;
    const isFast = first !== undefined && first.time <= limit;
    return {
      // In the simulation, the downlink may be fast, so that the simulation says nothing about the causes.
      main: isFast ? first.without : end.time > limit ? NO_CAUSE : byWaits.main,
      ...remedies,
      simulated,
    };
  }

  /** What happened to a downlink: the part of an explanation that names no cause. */
  follow(record: DownlinkRecord): DownlinkCourse {
    const facts = this.#facts;
    const { situation } = this.#options;
    const names = this.#nameCauses(record);
    const took = measureTime(record, facts.closing);
    const until = Math.max(record.queuedAt + took, explainSilence(record, facts, names)?.until ?? 0);
    return {
      outcome: findEnd(record) === undefined ? 'pending' : findOutcome(record),
      received: !isLost(record),
      took,
      stages: listStages(record),
      timeline: buildTimeline(record, facts, situation, names, until),
    };
  }

  #nameCauses(record: DownlinkRecord): CauseNames {
    const { received } = record.reached;
    const ended = this.#facts.chances.findLast(
      ({ at, begins }) => begins === 'wake' && received !== undefined && at >= record.queuedAt && at <= received,
    );
    return new CauseNames(this.#options.situation, findPart(this.#facts, record.queuedAt), ended?.why);
  }

  /** The time of a downlink, and its waits: the part of an explanation that needs no repetition. */
  divide(record: DownlinkRecord): Divided {
    const facts = this.#facts;
    const took = measureTime(record, facts.closing);
    const names = this.#nameCauses(record);
    return { downlink: record.id, took, waits: nameWaits(divideByCause(record, facts, record.queuedAt + took), names) };
  }

  /**
   * The waits of a downlink until its delivery, or until now, and its stages. Intervals have the same name for all devices, so
   * that many downlinks can be compared.
   */
  followJourney(record: DownlinkRecord): Journey {
    const end = record.reached.delivered ?? record.queuedAt + measureTime(record, this.#facts.closing);
    const names = new CauseNames(this.#options.situation, undefined);
    const divided = divideByCause(record, this.#facts, end);
    const [last] = [...divided].sort((a, b) => b.until - a.until);
    const isPending = findEnd(record) === undefined;
    return {
      waits: nameWaits(divided, names),
      now: isPending && last !== undefined ? waitName(last.causes, names) : null,
      stages: listStages(record),
    };
  }
}

/** Where a downlink is. */
export interface Journey {
  /** Until its delivery, or until now; longest first. */
  readonly waits: readonly ExplainedWait[];
  /** Name of the wait of a pending downlink now; null if it is not pending, or has not waited yet. */
  readonly now: ExplainedWait['what'] | null;
  readonly stages: DownlinkCourse['stages'];
}

/** How the time of a downlink is divided. */
export type Divided = Pick<Explanation, 'downlink' | 'took' | 'waits'>;

interface Answer extends Remedies {
  readonly main: CauseSet;
  /** How the downlink ends in a simulation of the run. */
  readonly simulated?: Ending | undefined;
  /** Why the device cannot be repeated. */
  readonly refused?: string;
}

const OVERLONG: CauseSet = new Set(['length']);

const NOT_REPEATED = 'It is not known how long it would have taken without a cause';

function nameRemedies(remedies: readonly Remedy[], names: CauseNames): readonly ExplainedRemedy[] {
  return remedies.slice(0, MOST_REMEDIES).map(({ without, ...end }) => ({
    without: [...without].map((cause) => names.nameCause(cause).name),
    change: [...without].map((cause) => names.describeChange(cause)).join(' and '),
    ...endOf(end),
  }));
}

function endOf({ time, outcome, received }: Ending): Pick<Ending, 'time' | 'outcome' | 'received'> {
  return { time: Math.round(time), outcome, received };
}

function nameWaits(waits: readonly CauseTime[], names: CauseNames): readonly ExplainedWait[] {
  return waits.map(({ causes, time, parts }) => ({ what: waitName(causes, names), time, parts }));
}

function waitName(causes: CauseSet | undefined, names: CauseNames): ExplainedWait['what'] {
  if (causes === undefined) return 'unknown';
  if (causes.size === 0) return 'exchange';
  return [...causes].map((cause) => names.nameCause(cause).name).join(' + ');
}
