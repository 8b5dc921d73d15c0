/** Which causes an explanation names, beyond the smallest set without which the downlink would have been fast. */
import type { Millis } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import { type CauseSet, faultCauses, hasFault, NO_CAUSE } from './causes.js';
import { isLost } from './course.js';
import type { DeviceFacts } from './facts.js';
import type { FaultCalendar } from './situation.js';
import type { CauseTime } from './waits.js';

/** A fault with less than this share of the waits is not named. */
const LEAST_SHARE = 0.1;

/**
 * Adds faults to `main` in two cases. First: `main` has no fault, but the downlink waited longest because of a fault. With
 * shorter intervals, it would have been delivered before that fault began. This fault becomes the first cause. Second: all
 * faults of `main` make exchanges fail at random. Then the other faults of this kind are causes, too, because each of them
 * would have made some exchanges fail on its own.
 * @param main the causes without which the downlink would have been fast
 * @param waits longest first
 */
export function namedCauses(
  main: CauseSet | undefined,
  waits: readonly CauseTime[],
  calendar: FaultCalendar,
): CauseSet {
  if (main === undefined || main.size === 0) return NO_CAUSE;
  const longest = waits[0]?.causes ?? NO_CAUSE;
  if (!hasFault(main)) return hasFault(longest) ? new Set([...longest, ...main]) : main;
  const byChance = (cause: string) => calendar.get(Number(cause.slice('fault:'.length)))?.effect === 'hinders';
  const all = [...main].every((cause) => !cause.startsWith('fault:') || byChance(cause));
  return all ? new Set([...main, ...faultCauses(hindering(waits, calendar))]) : main;
}

/** The faults of the exchange in which a lost downlink was sent: they caused its loss, even if they did not delay it. */
export function losing(record: DownlinkRecord, { chances }: DeviceFacts): CauseSet {
  const { delivered } = record.reached;
  if (!isLost(record) || delivered === undefined) return NO_CAUSE;
  const sent = chances.findLast(({ at, heard, failing }) => heard && failing && at < delivered);
  return faultCauses(sent?.faults ?? []);
}

/** The faults that make exchanges fail at random and have a share of the waits, in the order of the situation. */
function hindering(waits: readonly CauseTime[], { faults }: FaultCalendar): readonly number[] {
  const total = waits.reduce((sum, { time }) => sum + time, 0);
  const timeOf = (fault: number): Millis =>
    waits.reduce((sum, { causes, time }) => sum + (causes?.has(`fault:${fault}`) ? time : 0), 0);
  return faults.flatMap(([index, { effect }]) =>
    effect === 'hinders' && timeOf(index) >= total * LEAST_SHARE ? [index] : [],
  );
}
