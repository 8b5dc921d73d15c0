/** Estimates how long a downlink would have taken without some causes. */
import type { Millis } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import type { CauseSet } from './causes.js';
import { timeTaken, timeToArrive } from './course.js';
import { divergence } from './divergence.js';
import type { DeviceFacts } from './facts.js';
import { arrivalFrom, type Fortune } from './walk.js';

/** Average luck, bad luck and good luck: a remedy has to help in each case. */
const FORTUNES: readonly Fortune[] = [
  { late: 0, pace: 1, luck: 0.55 },
  { late: 0.5, pace: 1.25, luck: 0.7 },
  { late: -0.5, pace: 0.8, luck: 0.4 },
];

/** The longest time that the downlink would have taken without `removed`, over all {@link FORTUNES}. */
export function timeWithout(record: DownlinkRecord, facts: DeviceFacts, removed: CauseSet): Millis {
  const took = timeToArrive(record, facts.closing);
  const start = divergence(record, facts, removed);
  // A change after the last stage of the downlink has no effect on it.
  if (start === undefined || start.at > record.queuedAt + timeTaken(record, facts.closing)) return took;
  const end = record.queuedAt + took;
  const arrivals = FORTUNES.map((fortune) => arrivalFrom(start, { record, facts, removed, fortune, end }) ?? end);
  return Math.max(0, Math.max(...arrivals) - record.queuedAt);
}
