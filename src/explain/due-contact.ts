/** When a device whose exchange failed would have had its next contact if the exchange had succeeded. */
import type { Instant, Millis } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import type { ContactReason } from '../trace/events.js';
import { type JudgedChance, SLOW } from './blockers.js';
import { UNPLANNED } from './causes.js';
import { type DeviceFacts, findPart } from './facts.js';

/**
 * The time of the next contact that no fault has caused, after a failed exchange that was over, or would have been over, when
 * the downlink was queued. Until then, the downlink waits even without the fault. Without such an exchange, or if nothing is known
 * about the next contact: the time of the queueing.
 */
export function findDueContact({ queuedAt }: DownlinkRecord, facts: DeviceFacts): Instant {
  const failed = findFailedBefore(facts, queuedAt);
  if (failed === undefined) return queuedAt;
  const part = findPart(facts, queuedAt);
  // The timers of a device start when its start is complete, which the fault has delayed.
  const started = failed.why !== 'boot';
  const due = [
    findTick(facts, 'report', part?.reportEvery, queuedAt, started),
    findTick(facts, 'poll', part?.pollEvery, queuedAt, started),
    facts.chances.find(({ at, begins, why }) => at >= queuedAt && begins === 'wake' && UNPLANNED.has(why))?.at,
  ].filter((at) => at !== undefined);
  return due.length === 0 ? queuedAt : Math.min(...due);
}

/** The beginning of the last exchange, if it failed and, without the failure, would have been over at `queuedAt`. */
function findFailedBefore({ chances }: DeviceFacts, queuedAt: Instant): JudgedChance | undefined {
  const before = chances.filter(({ at }) => at < queuedAt);
  const last = before.at(-1);
  const first = before.findLast(({ begins }) => begins !== 'repeat');
  if (!last?.failing || first === undefined) return undefined;
  if (last.until < queuedAt) return last.result === 'reached' ? undefined : first;
  const usual = chances.find(
    ({ why, begins, result, failing }) =>
      why === first.why && begins === first.begins && result === 'reached' && !failing,
  );
  return queuedAt - first.at > (usual === undefined ? SLOW : usual.until - usual.at) ? first : undefined;
}

/**
 * The next report or poll of the timer of the device: the last one and the interval. The interval varies by chance, so a report
 * close to this time is the one. A fault can leave it out, for example because a failed poll is repeated in its place.
 * @param started false: a later report or poll of the device says nothing, because the fault has moved its timers
 */
function findTick(
  { chances }: DeviceFacts,
  why: ContactReason,
  every: Millis | null | undefined,
  queuedAt: Instant,
  started: boolean,
): Instant | undefined {
  const isTick = (each: JudgedChance) => each.begins === 'wake' && each.why === why;
  const next = started ? chances.find((each) => each.at >= queuedAt && isTick(each))?.at : undefined;
  const last = chances.findLast(
    (each) => each.at < queuedAt && (isTick(each) || (each.begins === 'boot' && each.startedBy.length === 0)),
  )?.at;
  if (!every || last === undefined) return next;
  const usual = last + Math.ceil((queuedAt - last) / every) * every;
  return next !== undefined && next <= usual + every / 2 ? next : usual;
}
