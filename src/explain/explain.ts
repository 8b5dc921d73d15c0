/** Explains a downlink from the events of its device and the situation of the run. */
import { type Instant, type Millis, minutes } from '../kernel/time.js';
import { type DownlinkRecord, outcomeOf } from '../trace/downlinks/ledger.js';
import type { CauseSet } from './causes.js';
import { endOf, isLost, timeTaken } from './course.js';
import type { ExplainedWait, Explanation } from './explanation.js';
import type { DeviceFacts } from './facts.js';
import { type DeviceHistory, factsOf } from './facts.js';
import { partAt } from './intervals.js';
import { losing, namedCauses } from './named.js';
import { CauseNames } from './names.js';
import { paragraph } from './paragraph.js';
import { remedies } from './predict.js';
import type { Situation } from './situation.js';
import { timelineOf } from './timeline.js';
import { unanswered } from './unanswered.js';
import { type CauseTime, causeTimes } from './waits.js';

/** A downlink that takes at most this time is fast: no cause has to be removed. */
export const FAST: Millis = minutes(10);
const MOST_REMEDIES = 5;

/** Explains downlinks of one device. */
export class DeviceExplainer {
  readonly #facts: DeviceFacts;
  readonly #situation: Situation;
  readonly #serial: number;
  readonly #name: string;
  readonly #unknown: readonly string[];

  /**
   * @param name of the device, for texts
   * @param unknown sentences about gaps in the history
   */
  constructor(history: DeviceHistory, situation: Situation, name: string, unknown: readonly string[] = []) {
    this.#facts = factsOf(history, situation);
    this.#situation = situation;
    this.#serial = history.serial;
    this.#name = name;
    this.#unknown = unknown;
  }

  get facts(): DeviceFacts {
    return this.#facts;
  }

  /** The downlinks of the device, in the order of the queue. */
  get downlinks(): readonly DownlinkRecord[] {
    return this.#facts.downlinks;
  }

  /** @param limit a downlink that takes at most this time is fast. Default: 10 min */
  explain(record: DownlinkRecord, limit: Millis = FAST): Explanation {
    const facts = this.#facts;
    const names = new CauseNames(this.#situation, partAt(facts, record.queuedAt));
    const took = timeTaken(record, facts.closing);
    const end: Instant = record.queuedAt + took;
    const found = remedies(record, facts, limit);
    const lost = isLost(record);
    const main = took > limit || lost ? found[0] : undefined;
    const waits = causeTimes(record, facts, end);
    const silent = unanswered(record, facts, names);
    const said: Omit<Explanation, 'text'> = {
      downlink: record.id,
      serial: this.#serial,
      device: this.#name,
      type: record.type,
      queuedAt: record.queuedAt,
      outcome: endOf(record) === undefined ? 'pending' : outcomeOf(record),
      received: !lost,
      ...(silent?.why !== undefined && { noAnswer: silent.why }),
      ...(silent !== undefined && facts.goesOn && { awaitsAnswer: true }),
      took,
      causes: [...new Set([...namedCauses(main?.without, waits, facts.calendar), ...losing(record, facts)])].map(
        (cause) => names.of(cause),
      ),
      waits: named(waits, names),
      sooner: found.slice(0, MOST_REMEDIES).map(({ without, time }) => ({
        without: [...without].map((cause) => names.of(cause).name),
        change: [...without].map((cause) => names.change(cause)).join(' and '),
        time: Math.round(time),
      })),
      timeline: timelineOf(record, facts, this.#situation, names, Math.max(end, silent?.until ?? end)),
      unknown: this.#unknown,
    };
    return { ...said, text: paragraph(said, limit) };
  }

  /**
   * The waits of a downlink until its delivery, or until now, longest first. Intervals have the same name for all devices, so
   * that many downlinks can be compared.
   */
  waited(record: DownlinkRecord): readonly ExplainedWait[] {
    const end = record.reached.delivered ?? record.queuedAt + timeTaken(record, this.#facts.closing);
    const names = new CauseNames(this.#situation, undefined);
    return named(causeTimes(record, this.#facts, end), names);
  }
}

function named(waits: readonly CauseTime[], names: CauseNames): readonly ExplainedWait[] {
  return waits.map(({ causes, time, parts }) => ({ what: waitName(causes, names), time, parts }));
}

function waitName(causes: CauseSet | undefined, names: CauseNames): ExplainedWait['what'] {
  if (causes === undefined) return 'unknown';
  if (causes.size === 0) return 'exchange';
  return [...causes].map((cause) => names.of(cause).name).join(' + ');
}
