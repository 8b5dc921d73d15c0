/** Finds the faults that made chances of a device fail or take long. A chance is an attempt at an exchange (chances.ts). */
import type { Instant, Millis } from '../kernel/time.js';
import { minutes, seconds } from '../kernel/time.js';
import type { BootCause } from '../trace/events.js';
import type { Chance } from './chances.js';
import type { FaultCalendar, SituationFault } from './situation.js';

/** A chance to exchange messages, whether it failed, and because of which faults. */
export interface JudgedChance extends Chance {
  /**
   * Whether the exchange failed, took long, or was complete for the device but not for the cloud. Also true for a poll without
   * a result if a fault or a pause of the radio may have stopped it.
   */
  readonly failing: boolean;
  /** Indices of the faults without which the exchange would have succeeded; empty if none is known. */
  readonly faults: readonly number[];
  /** Indices of the faults that restarted the device before this exchange, and so caused it. */
  readonly startedBy: readonly number[];
  /** Whether its result is not known yet, because the run is still in progress. */
  readonly isRunning: boolean;
}

/** An exchange without faults takes less than this: attach up to 40 s, radio connection, a few datagrams (docs/FIDELITY.md). */
export const SLOW: Millis = seconds(75);
/** Longest time for which a passing fault of the modem has an effect: the modem is off for 32 min at most (timing T-56). */
const LONGEST_DISTURBANCE: Millis = minutes(35);

/** @param chances of one device, in order @param now time of a run that is still in progress */
export function judge(
  chances: readonly Chance[],
  calendar: FaultCalendar,
  now: Instant = Number.POSITIVE_INFINITY,
): readonly JudgedChance[] {
  /** Faults of the failing chances since the last successful exchange. */
  let streak: readonly number[] = [];
  let startedBy: readonly number[] = [];
  return chances.map((chance) => {
    const { begins, at } = chance;
    if (begins === 'boot') startedBy = calendar.during(at, at, 'restarts');
    else if (begins === 'wake') startedBy = [];
    const own = faultsOf(chance, calendar);
    const isRunning = chance.result === 'open' && chance.until >= now;
    const failing = isFailing(chance, own, isRunning);
    if (!failing) {
      if (chance.result === 'reached') streak = [];
      return { ...chance, failing, faults: [], startedBy, isRunning };
    }
    // A consequence of a failure, such as a pause of the modem, has no fault of its own. A start can also fail because the
    // restart left both ends in different states.
    const faults = [own, streak, startedBy].find(({ length }) => length > 0) ?? [];
    streak = chance.result === 'reached' ? [] : faults;
    return { ...chance, failing, faults, startedBy, isRunning };
  });
}

/** Whether a downlink has to wait for the next exchange, because this exchange failed or the cloud lacks a part of it. */
export function leavesWaiting({ failing, result, missed }: JudgedChance): boolean {
  return failing && (result !== 'reached' || missed !== undefined);
}

function isFailing(
  { result, why, at, until, pauses, missed }: Chance,
  faults: readonly number[],
  isRunning: boolean,
): boolean {
  if (result === 'failed' || missed !== undefined) return true;
  if (result === 'reached') return until - at > SLOW;
  // A poll without a downlink leaves no event, and an exchange that is still running has not failed.
  return (why !== 'poll' && !isRunning) || faults.length > 0 || pauses.length > 0;
}

function faultsOf(chance: Chance, calendar: FaultCalendar): readonly number[] {
  const { at, until, cutBy, lost, missed } = chance;
  const atEnd = missed === undefined ? [] : calendar.at(until, 'blocks');
  if (atEnd.length > 0) return atEnd;
  // A long exchange may run into further faults.
  const blocking = struck(chance, calendar.during(at, until - at > SLOW ? until : at, 'blocks'), calendar);
  const cutting = cutBy === undefined ? [] : cuttingFaults(cutBy, chance, calendar);
  if (blocking.length > 0 || cutting.length > 0) return union(blocking, cutting);
  const signs = union(...lost.map((sign) => calendar.signed(sign, at, until)));
  if (signs.length > 0) return signs;
  const later = calendar.during(at, until, 'blocks');
  if (later.length > 0) return later;
  // A device that reads a copy in place of an answer gives up the exchange.
  const copied =
    chance.result === 'failed' && chance.copiedBy !== null ? calendar.signed(chance.copiedBy, at, until) : [];
  if (copied.length > 0) return copied;
  const hindering = calendar.at(at, 'hinders').filter((fault) => !leavesSigns(calendar.get(fault)));
  if (hindering.length > 0) return hindering;
  return calendar.during(at - LONGEST_DISTURBANCE, until, 'disturbs');
}

/**
 * The faults in `blocking` that can have stopped the exchange. While the modem is off, it sends no datagrams, so faults that
 * lose datagrams are left out.
 */
function struck({ lost }: Chance, blocking: readonly number[], calendar: FaultCalendar): readonly number[] {
  const rests = blocking.some((fault) => calendar.get(fault)?.on === 'modem');
  if (!rests || lost.length > 0) return blocking;
  return blocking.filter((fault) => calendar.get(fault)?.on !== 'datagrams');
}

/** Whether every effect of the fault is recorded as an event. If so, a fault without an event had no effect. */
function leavesSigns(fault: SituationFault | undefined): boolean {
  return fault?.on === 'datagrams' && fault.sign !== null;
}

/** The faults that made the device restart at the end of a chance. */
function cuttingFaults(cause: BootCause, { at, until }: Chance, calendar: FaultCalendar): readonly number[] {
  if (cause === 'brown-out') return calendar.during(at, until, 'blocks', 'hinders');
  return calendar.during(until, until, 'restarts');
}

function union(...lists: readonly (readonly number[])[]): readonly number[] {
  return [...new Set(lists.flat())].sort((a, b) => a - b);
}
