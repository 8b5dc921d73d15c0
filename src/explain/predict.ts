/** Which causes have to be removed for a downlink to be fast, and when it would have arrived without them. */
import { type Instant, type Millis, seconds } from '../kernel/time.js';
import { type CauseKey, type CauseSet, faultCauses, isSubset, NO_CAUSE, type Opportunity, setKey } from './causes.js';
import type { FaultCalendar } from './situation.js';

/** The way of a downlink: to the device, and from there to its last stage. */
export interface Course {
  readonly queuedAt: Instant;
  /** Towards the reception by the device. */
  readonly there: readonly Opportunity[];
  /** Undefined: not received until the end of the trace. */
  readonly received: Instant | undefined;
  /** From the reception to the last stage; empty before the reception. */
  readonly after: readonly Opportunity[];
  /** Number of other downlinks that came first. */
  readonly ahead: number;
  /** Round trips after the reception. */
  readonly rounds: number;
  readonly calendar: FaultCalendar;
  /** Time to the last stage; for an open downlink, to the end of the trace. */
  readonly total: Millis;
}

/** A set of causes, and the time that the downlink would have taken without them. */
interface Remedy {
  readonly without: CauseSet;
  readonly time: Millis;
}

/** Time that the downlink would have taken without `removed`; never more than it took. */
function timeWithout(course: Course, removed: CauseSet): Millis {
  const { queuedAt, there, received, after, total } = course;
  const arrival = earliest(course, there, removed, ROUNDS.there);
  if (arrival === undefined) return total;
  const way = arrival - queuedAt;
  if (received === undefined || after.length === 0) return Math.min(total, way);
  // Received at another time, its answer meets other faults.
  if (received - arrival > SHIFT) return Math.min(total, way + answerTime(course, arrival, removed));
  const answered = earliest(course, after, removed, course.rounds) ?? received;
  return Math.min(total, way + Math.max(0, answered - received));
}

/** Time from a reception at another time to the last stage. It is unknown if it meets a fault that nothing passes. */
function answerTime(course: Course, arrival: Instant, removed: CauseSet): Millis {
  const { calendar, rounds, total } = course;
  const needed = rounds * EXCHANGE + delayed(course, arrival, removed, rounds);
  const blocked = calendar.during(arrival, arrival + needed, 'blocks').some((fault) => !removed.has(`fault:${fault}`));
  return blocked ? total : needed;
}

function earliest(
  course: Course,
  opportunities: readonly Opportunity[],
  removed: CauseSet,
  rounds: number,
): Instant | undefined {
  let first: Instant | undefined;
  for (const { at, blockers } of opportunities) {
    if ((first !== undefined && at >= first) || !isSubset(blockers, removed)) continue;
    const ahead = removed.has('downlinks') ? 0 : course.ahead;
    const then =
      blockers.size === 0
        ? at
        : at + ahead * (NEXT_POLL + delayed(course, at, removed, EACH_AHEAD)) + delayed(course, at, removed, rounds);
    if (first === undefined || then < first) first = then;
  }
  return first;
}

/** How much longer round trips take because of the faults that remain. */
function delayed({ calendar }: Course, at: Instant, removed: CauseSet, rounds: number): Millis {
  const passes = calendar.passes(at, (fault) => removed.has(`fault:${fault}`));
  return rounds * ROUND * (1 / Math.max(passes, 0.01) - 1);
}

/** A round trip with its share of waking up, attaching and restarting. */
const EXCHANGE: Millis = seconds(10);
/**
 * A datagram without an answer is repeated after 10 s and the time of a radio connection (firmware timing, 6), and the cloud never
 * answers the first repetition of one whose answer was lost.
 */
const ROUND: Millis = seconds(20);
/** Round trips of a poll that fetches a downlink, and of what follows: an answer; a restart with a session and a configuration. */
export const ROUNDS = { there: 2, answer: 2, config: 6 } as const;
/** Each downlink that comes first takes an exchange of its own. */
const NEXT_POLL: Millis = seconds(20);
const EACH_AHEAD = 4;
const SHIFT: Millis = seconds(60);

/** Estimates are starts of exchanges, which then take up to a minute. */
const MARGIN = 0.85;
/** A shorter gain is not worth a cause. */
const LEAST_GAIN = 0.1;

/**
 * The sets of causes whose removal helps: the smallest first, of equal size the one with the greatest gain first. None contains
 * another one that helps as much.
 * @param limit a downlink below this time is fast
 */
export function remedies(course: Course, limit: Millis): readonly Remedy[] {
  const sets = candidates(course);
  const all = sets
    .map((without) => ({ without, time: timeWithout(course, without) }))
    .filter(({ time }) => course.total - time > course.total * LEAST_GAIN)
    .sort((a, b) => a.without.size - b.without.size || a.time - b.time);
  const useful = all.filter(
    ({ without, time }, i) =>
      !all
        .slice(0, i)
        .some((less) => isSubset(less.without, without) && less.time <= Math.max(time * 1.1, time + 60_000)),
  );
  const enough = useful.filter(({ time }) => time <= limit * MARGIN);
  const rest = useful.filter(({ time }) => time > limit * MARGIN);
  // If nothing makes it fast, the greatest gain comes first.
  return enough.length > 0 ? [...enough, ...rest] : [...rest].sort((a, b) => a.time - b.time);
}

/** The sets that open an opportunity, and the unions of one on the way there with one afterwards. */
function candidates({ there, after, calendar, ahead }: Course): readonly CauseSet[] {
  const sets = new Map<string, CauseSet>();
  const add = (causes: CauseSet) => void (causes.size > 0 && sets.set(setKey(causes), causes));
  const [one, other] = [there, after].map((opportunities) => distinct(opportunities));
  for (const { at, blockers } of there) {
    // Also without the faults that would only have delayed it.
    const hindering = calendar.at(at, 'hinders');
    if (blockers.size > 0 && hindering.length > 0) add(new Set<CauseKey>([...blockers, ...faultCauses(hindering)]));
    if (blockers.size > 0 && ahead > 0) add(new Set<CauseKey>([...blockers, 'downlinks']));
  }
  for (const first of [NO_CAUSE, ...(one ?? [])]) {
    for (const second of [NO_CAUSE, ...(other ?? [])]) add(new Set<CauseKey>([...first, ...second]));
  }
  return [...sets.values()];
}

function distinct(opportunities: readonly Opportunity[]): readonly CauseSet[] {
  return [...new Map(opportunities.map(({ blockers }) => [setKey(blockers), blockers])).values()];
}
