/** The outcome of a downlink, and the time that it took. */
import type { Instant, Millis } from '../kernel/time.js';
import { type DownlinkOutcome, type DownlinkRecord, expectsAnswer, findOutcome } from '../trace/downlinks/ledger.js';

/**
 * Whether the downlink was delivered, even if the cloud does not know of the delivery. Otherwise it is pending, was cancelled
 * or has expired.
 */
export function isDelivered({ reached }: DownlinkRecord): boolean {
  return reached.delivered !== undefined || reached.executed !== undefined;
}

/**
 * Whether the cloud counts the downlink as delivered although the device never received it (docs/FIDELITY.md, delivered is not
 * received). False if the history has no offer: such a history has no receptions either.
 */
export function isLost({ reached, attempts }: DownlinkRecord): boolean {
  return attempts > 0 && reached.delivered !== undefined && reached.received === undefined;
}

/**
 * Whether the device received the delivered downlink, had to answer it, and did not. A downlink that the device rejected
 * completely needs no answer.
 */
export function isUnanswered(record: DownlinkRecord): boolean {
  const { type, reached, refused, partly } = record;
  if (!expectsAnswer(type) || reached.delivered === undefined || isLost(record)) return false;
  return reached.answered === undefined && (!refused || partly);
}

/** When the downlink reached its last stage, was cancelled or expired; undefined while it is pending. */
export function findEnd(record: DownlinkRecord): Instant | undefined {
  const { last, reached, endedAt } = record;
  if (!isDelivered(record)) return endedAt;
  return last === undefined ? undefined : reached[last];
}

/**
 * Time from the queueing to the end of the downlink, in whole milliseconds. While it is pending: to the end of the run, or to a
 * stage that it reaches after that, while the run settles.
 */
export function measureTime(record: DownlinkRecord, closing: Instant): Millis {
  const { last, reached } = record;
  const latest = last === undefined ? undefined : reached[last];
  return measureUntil(record, findEnd(record) ?? Math.max(closing, latest ?? closing));
}

/** How a downlink ended. Times can be compared only between ends with the same progress. */
export interface Ending {
  readonly outcome: DownlinkOutcome;
  /** As in an explanation: false if the downlink is lost. */
  readonly received: boolean;
  /** As in {@link measureArrival}: without progress, it is only the time until the downlink or the run ended. */
  readonly time: Millis;
  /** 0: the device did not receive it. 1: the device received it, but an answer is missing. 2: nothing is missing. */
  readonly progress: 0 | 1 | 2;
}

export function findEnding(record: DownlinkRecord, closing: Instant): Ending {
  const received = !isLost(record);
  const { answered, delivered } = record.reached;
  const isComplete = answered !== undefined || (delivered !== undefined && !isUnanswered(record));
  return {
    outcome: findEnd(record) === undefined ? 'pending' : findOutcome(record),
    received,
    time: measureArrival(record, closing),
    progress: !received ? 0 : isComplete ? 2 : isDelivered(record) ? 1 : 0,
  };
}

/** What decides the order of downlinks by their time. */
export interface Slowness extends Pick<DownlinkRecord, 'id' | 'queuedAt'> {
  /** As in {@link measureTime}: a pending downlink counts with its time so far. */
  readonly took: Millis;
}

/**
 * For sorting, slowest first. Of downlinks that took equally long, such as those of one step that are all pending, the order is
 * that of their queueing and then of their ids: a report and `explain` choose the same ones.
 */
export function compareSlowness(a: Slowness, b: Slowness): number {
  return b.took - a.took || a.queuedAt - b.queuedAt || (a.id < b.id ? -1 : 1);
}

/** Like {@link measureTime}, but to the end of the run for a lost downlink, because the device never received it. */
function measureArrival(record: DownlinkRecord, closing: Instant): Millis {
  return isLost(record) ? measureUntil(record, closing) : measureTime(record, closing);
}

/** Both times are rounded first, as in the tables. */
function measureUntil({ queuedAt }: DownlinkRecord, end: Instant): Millis {
  return Math.max(0, Math.round(end) - Math.round(queuedAt));
}
