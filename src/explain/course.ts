/** The way of a downlink with its opportunities. */
import type { Instant, Millis } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import { type DeviceFacts, opportunities } from './opportunities.js';
import { type Course, ROUNDS } from './predict.js';

/** When the downlink reached its last stage; undefined while it is open: not delivered yet, and not ended. */
export function endOf({ last, reached, ended }: DownlinkRecord): Instant | undefined {
  if (reached.delivered === undefined && reached.executed === undefined && ended === undefined) return undefined;
  return last === undefined ? undefined : reached[last];
}

/** Time from the queue to the end of the downlink, or to the end of the run while it is open. */
export function timeTaken(record: DownlinkRecord, closing: Instant): Millis {
  return Math.max(0, (endOf(record) ?? closing) - record.queuedAt);
}

export function courseOf(record: DownlinkRecord, facts: DeviceFacts): Course {
  const { queuedAt, reached } = record;
  const received = reached.received ?? reached.delivered;
  const end = endOf(record);
  return {
    queuedAt,
    there: opportunities(record, facts, queuedAt, received),
    received,
    ahead: aheadOf(record, facts),
    after: received === undefined || end === undefined ? [] : opportunities(record, facts, received, end),
    rounds: record.type === 'config' ? ROUNDS.config : record.type === 'shell' ? ROUNDS.answer : 0,
    calendar: facts.calendar,
    total: timeTaken(record, facts.closing),
  };
}

/** Number of other downlinks that the cloud delivered while this one waited. */
function aheadOf({ id, queuedAt, reached }: DownlinkRecord, { downlinks }: DeviceFacts): number {
  const end = reached.offered ?? Number.POSITIVE_INFINITY;
  return downlinks.filter(({ id: other, queuedAt: before, reached: { offered } }) => {
    return other !== id && before <= queuedAt && offered !== undefined && offered >= queuedAt && offered <= end;
  }).length;
}
