/** A simplified device, simulated under the faults that remain when some causes are left out. */
import type { Ratio } from '../kernel/ratio.js';
import { type Instant, type Millis, seconds } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import type { CauseSet } from './causes.js';
import { Conditions, START } from './conditions.js';
import type { Divergence } from './divergence.js';
import { answered, attempt, type ExchangeKind } from './exchange.js';
import type { DeviceFacts } from './facts.js';
import { rulesOf } from './family-rules.js';
import { Queue } from './queue.js';
import { Timers } from './timers.js';

/** Time from the reception of a configuration to the restart (firmware timing, 9). */
const CONFIGURES: Millis = seconds(2);
/** Time from an acknowledgement to the poll that the flag of the acknowledgement requests. */
const FOLLOWS: Millis = seconds(1);
const MOST_CONTACTS = 1000;

/** How lucky the device is. */
export interface Fortune {
  /**
   * How late a report is assumed to be if its time is not known: deviation from the mean, as a share of the jitter, -1 to 1.
   */
  readonly late: number;
  /** Share of the usual time that an exchange takes. */
  readonly pace: number;
  /** An exchange succeeds once the probability that one of its attempts has succeeded reaches this value. */
  readonly luck: Ratio;
}

/** A question: when does the downlink reach its last stage? */
interface Question {
  readonly record: DownlinkRecord;
  readonly facts: DeviceFacts;
  readonly removed: CauseSet;
  readonly fortune: Fortune;
  /** The simulation stops at this time. */
  readonly end: Instant;
}

/** The result of a contact. */
interface Done {
  readonly until: Instant;
  /** When the explained downlink reached its last stage; missing if it did not. */
  readonly arrived?: Instant;
}

/** When the downlink reaches its last stage; undefined if the simulation ends first. */
export function arrivalFrom({ at, attempts }: Divergence, question: Question): Instant | undefined {
  const { record, facts, removed, fortune } = question;
  const { received } = record.reached;
  if (received === undefined || received > at) return new Walk(question, at).from(at, attempts);
  // The device has received the downlink: only the time of its answer or of the restart is open.
  const conditions = new Conditions(facts.calendar, removed, rulesOf(facts.part).modem);
  if (record.type === 'shell') return answered(at, conditions);
  return attempt('session', at, conditions, fortune.pace, null).until;
}

class Walk {
  readonly #question: Question;
  readonly #conditions: Conditions;
  readonly #timers: Timers;
  readonly #queue: Queue;
  /** Probability that all exchanges since the last success have failed. */
  #missed: Ratio = 1;

  constructor(question: Question, start: Instant) {
    const { record, facts, removed, fortune } = question;
    this.#question = question;
    this.#conditions = new Conditions(facts.calendar, removed, rulesOf(facts.part).modem);
    this.#queue = new Queue(facts, record, removed, start);
    this.#timers = new Timers(facts, removed, record.queuedAt, fortune.late);
  }

  from(start: Instant, attempts: ExchangeKind | undefined): Instant | undefined {
    const { end } = this.#question;
    this.#timers.start(start, attempts);
    let contact = attempts === undefined ? this.#timers.next(start) : { at: start, kind: attempts };
    for (let i = 0; i < MOST_CONTACTS && contact !== undefined && contact.at < end; i++) {
      const { until, arrived } = this.#contact(contact.kind, contact.at);
      if (arrived !== undefined) return arrived;
      contact = this.#timers.next(until);
    }
    return undefined;
  }

  #contact(kind: ExchangeKind, at: Instant): Done {
    if (kind === 'poll') return this.#poll(at);
    const { begin, until, works } = this.#attempt(kind, at);
    if (kind === 'session') this.#timers.booted(until);
    // The acknowledgement says whether a downlink waits.
    return works && this.#queue.next(begin) !== undefined ? this.#poll(until + FOLLOWS) : { until };
  }

  /** Polls again and again as long as the cloud delivers a downlink. */
  #poll(at: Instant): Done {
    const { record, end } = this.#question;
    for (let now = at; now < end; ) {
      const { begin, until, works } = this.#attempt('poll', now);
      if (!works) this.#timers.failed(now, until);
      const item = works ? this.#queue.next(begin) : undefined;
      if (item === undefined) return { until };
      this.#queue.remove(item);
      const executed = this.#executed(item, until);
      if (item === record) return { until, arrived: executed.arrived };
      if (!executed.works) {
        this.#timers.failed(now, executed.until);
        return { until: executed.until };
      }
      now = executed.until + FOLLOWS;
    }
    return { until: end };
  }

  /** The device executes a downlink and answers it. An answer that cannot be sent makes the poll fail. */
  #executed(
    { id, type }: DownlinkRecord,
    received: Instant,
  ): { readonly until: Instant; readonly works: boolean; readonly arrived: Instant } {
    if (type === 'shell')
      return { ...this.#attempt('answer', received), arrived: answered(received, this.#conditions) };
    if (type !== 'config') return { until: received, works: true, arrived: received };
    const { until } = this.#attempt('session', received + CONFIGURES + START * this.#question.fortune.pace);
    this.#timers.set(this.#question.facts.settings.get(id) ?? {});
    this.#timers.booted(until);
    return { until, works: true, arrived: until };
  }

  #attempt(
    kind: ExchangeKind,
    at: Instant,
  ): { readonly begin: Instant; readonly until: Instant; readonly works: boolean } {
    const { fortune, facts } = this.#question;
    const limit = limitOf(kind, facts.part);
    const { begin, until, chance } = attempt(kind, at, this.#conditions, fortune.pace, limit);
    this.#missed *= 1 - chance;
    const works = 1 - this.#missed >= fortune.luck;
    if (works) this.#missed = 1;
    return { begin, until, works };
  }
}

/** Time limit of an exchange; null if the firmware waits until the exchange works. */
function limitOf(kind: ExchangeKind, part: DeviceFacts['part']): Millis | null {
  if (kind === 'report') return part?.sendLimit ?? null;
  return kind === 'poll' ? rulesOf(part).pollLimit : null;
}
