/** The causes of failing expectations while a run goes on. To find them costs time, so an answer is kept for some seconds. */
import { compareSlowness, measureTime, type Slowness } from '../explain/outcome.js';
import type { RunExplainer } from '../explain/run-explainer.js';
import { RealClock } from '../kernel/real-clock.js';
import { type Instant, seconds } from '../kernel/time.js';
import { type DownlinkRecord, isOfUsers } from '../trace/downlinks/ledger.js';
import type { Metrics } from '../trace/metrics/index.js';
import { findRedCause, type SlowestDownlink } from '../trace/metrics/red-cause.js';

/** How long an answer is kept, in real time. */
const KEPT = seconds(5);

interface Known {
  readonly metrics: Metrics;
  readonly explainer: () => RunExplainer;
  readonly nameOf: (serial: number) => string;
  /** The time of the run. */
  readonly now: () => Instant;
}

/** Returns a function that finds the likely cause of a failing expectation, as a sentence; null if nothing is known. */
export function makeRedCauses(known: Known): (line: string) => string | null {
  const clock = new RealClock();
  const kept = new Map<string, { readonly at: Instant; readonly cause: string | null }>();
  return (line) => {
    const before = kept.get(line);
    if (before !== undefined && clock.now - before.at < KEPT) return before.cause;
    const cause = findRedCause(line, [known.metrics.summarise()], (selector) => findSlowest(known, selector)) ?? null;
    kept.set(line, { at: clock.now, cause });
    return cause;
  };
}

/** The slowest downlink of users to devices of the selector; a pending one counts with its time so far. */
function findSlowest(
  { metrics, explainer, nameOf, now }: Known,
  selector: string | undefined,
): SlowestDownlink | undefined {
  let slowest: (Slowness & Pick<DownlinkRecord, 'serial'>) | undefined;
  for (const record of metrics.downlinks) {
    if (!isOfUsers(record.type)) continue;
    if (selector !== undefined && !metrics.isIn(selector, record.serial)) continue;
    const { id, serial, queuedAt } = record;
    const each = { id, serial, queuedAt, took: measureTime(record, now()) };
    if (slowest === undefined || compareSlowness(each, slowest) < 0) slowest = each;
  }
  if (slowest === undefined) return undefined;
  const { id, serial, took } = slowest;
  const journey = explainer().followJourney(serial, id);
  return journey && { device: nameOf(serial), took, waits: journey.waits };
}
