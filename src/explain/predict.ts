/** Which causes have to be removed for a downlink to be fast. */
import { type Instant, type Millis, minutes } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import { type CauseKey, type CauseSet, faultCauses, hasFault, isSubset } from './causes.js';
import { isLost, timeTaken, timeToArrive } from './course.js';
import { timeWithout } from './estimate.js';
import type { DeviceFacts } from './facts.js';
import { withoutEncoder } from './held-back.js';

/** A set of causes, and the time that the downlink would have taken without them. */
interface Remedy {
  readonly without: CauseSet;
  readonly time: Millis;
}

/** A set of causes counts as a remedy if its removal saves more than this share of the time, or makes a slow downlink fast. */
const LEAST_GAIN = 0.1;
/** Maximum number of causes in a set. */
const MOST_TOGETHER = 5;
/** Maximum number of causes from which the sets are formed. */
const MOST_CAUSES = 10;
/** Causes that ended at most this time before the downlink was queued may still delay it. */
const AFTER_EFFECT: Millis = minutes(40);

/**
 * The sets of causes whose removal helps. Sets that make the downlink fast come first, the smallest before larger ones. Of sets
 * of equal size, those without `interval` and `downlinks` come first, then those with the greatest gain. No set contains
 * another set that helps as much.
 * @param limit a downlink that takes at most this time is fast
 */
export function remedies(record: DownlinkRecord, facts: DeviceFacts, limit: Millis): readonly Remedy[] {
  const total = timeToArrive(record, facts.closing);
  const lost = isLost(record);
  const slow = total > limit || lost;
  const causes = causesOf(record, facts, record.queuedAt + timeTaken(record, facts.closing));
  const useful: Remedy[] = [];
  for (let size = 1; size <= Math.min(slow ? MOST_TOGETHER : 1, causes.length); size++) {
    const sets = combinations(causes, size)
      // Only a fault makes a downlink lost.
      .filter((without) => !lost || hasFault(without))
      .map((without) => ({ without, time: timeWithout(record, facts, without) }))
      .filter(({ time }) => total - time > total * LEAST_GAIN || (slow && time <= limit && time < total))
      .sort((a, b) => ordinary(a) - ordinary(b) || a.time - b.time);
    useful.push(...sets.filter((set) => !useful.some((less) => helpsAsMuch(less, set))));
    if (useful.some(({ time }) => time <= limit)) break;
  }
  const enough = useful.filter(({ time }) => time <= limit);
  const rest = useful.filter(({ time }) => time > limit);
  // The sets that do not make it fast follow, greatest gain first.
  return [...enough, ...rest.sort((a, b) => a.time - b.time)];
}

/** How many of the causes apply to every downlink of the device. Causes that are specific to this downlink say more. */
function ordinary({ without }: Remedy): number {
  return Number(without.has('interval')) + Number(without.has('downlinks'));
}

/** Whether the set `less` is a part of the set `more`, and helps about as much. */
function helpsAsMuch(less: Remedy, more: Remedy): boolean {
  return isSubset(less.without, more.without) && less.time <= Math.max(more.time * 1.1, more.time + minutes(1));
}

/** The causes that could have delayed the downlink. */
function causesOf(record: DownlinkRecord, facts: DeviceFacts, end: Instant): readonly CauseKey[] {
  const { calendar, part, firstBoot, downlinks, updates } = facts;
  const { queuedAt, type } = record;
  const others = downlinks.some((other) => other !== record && other.queuedAt <= end);
  const known: readonly (readonly [CauseKey, boolean])[] = [
    ['interval', part === undefined || part.pollEvery === null || part.pollEvery === 0 || part.pollEvery > minutes(1)],
    ['power-on', (firstBoot ?? end) > queuedAt],
    ['encoder', withoutEncoder(record, facts)],
    ['downlinks', others],
    ['update', type === 'config' && updates.length > 0],
  ];
  const faults = calendar.during(queuedAt - AFTER_EFFECT, end, 'blocks', 'hinders', 'restarts', 'disturbs');
  const blamed = new Set(facts.chances.flatMap((chance) => (chance.until < queuedAt ? [] : chance.faults)));
  const ordered = [...new Set([...faults.filter((fault) => blamed.has(fault)), ...faults, ...blamed])];
  return [...known.flatMap(([cause, may]) => (may ? [cause] : [])), ...faultCauses(ordered)].slice(0, MOST_CAUSES);
}

function combinations(causes: readonly CauseKey[], size: number): readonly CauseSet[] {
  const sets: CauseKey[][] = [[]];
  for (const cause of causes) {
    for (const set of [...sets]) if (set.length < size) sets.push([...set, cause]);
  }
  return sets.filter((set) => set.length === size).map((set) => new Set(set));
}
