/** Which causes have to be removed for a downlink to be fast: found by repetitions of its device. */
import { type Instant, type Millis, minutes } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import { type CauseKey, type CauseSet, collectFaults, hasFault, NO_CAUSE } from './causes.js';
import type { DeviceFacts } from './facts.js';
import { type Ending, isLost, measureTime } from './outcome.js';
import { isWithoutEncoder } from './queue.js';
import type { CauseTime } from './waits.js';

/** Repeats the device of a downlink (runner/repeats.ts). */
export interface Repeats {
  /** Whether the device is repeated in a simulation of the same plan, because the run itself cannot be repeated. */
  readonly simulated: boolean;
  /** Why the device cannot be repeated, worded to follow "because"; undefined if it can. */
  findRefusal(serial: number): Promise<string | undefined>;
  /**
   * How the downlink ends without these causes. Undefined if the causes cannot be removed, or if the downlink is not queued
   * without them.
   */
  findEnding(record: DownlinkRecord, facts: DeviceFacts, without: CauseSet): Promise<Ending | undefined>;
}

/** A downlink, and what is known about it. */
interface Question {
  readonly record: DownlinkRecord;
  readonly facts: DeviceFacts;
  /** Longest first. */
  readonly waits: readonly CauseTime[];
  /** A downlink that takes at most this time is fast. */
  readonly limit: Millis;
  readonly repeats: Repeats;
}

/** A set of causes, and how the downlink ends without them. */
export interface Remedy extends Ending {
  readonly without: CauseSet;
}

export interface Remedies {
  /** First the sets without which it is fast: the smallest first, and faults before other causes; then the sets that only help. */
  readonly sooner: readonly Remedy[];
  /** The sets without which it gets less far, or takes clearly longer. */
  readonly notSooner: readonly Remedy[];
}

/**
 * A set of causes counts as a remedy if the downlink gets further without it, or if its removal saves more than this share of
 * the time or makes a slow downlink fast.
 */
const LEAST_GAIN = 0.1;
/** Maximum number of causes to remove. The repetitions of a downlink are at most twice as many. */
const MOST_CAUSES = 5;
/** The same for a fast downlink, of which only the longest waits are of interest. */
const MOST_OF_FAST = 2;
/** Causes that ended at most this time before the downlink was queued may still delay it. */
const AFTER_EFFECT: Millis = minutes(40);

/**
 * Removes single causes, those with the longest waits first. If none is enough, removes all of them, and then as few as
 * possible.
 * @param end of the downlink without a change
 */
export async function findRemedies(question: Question, end: Ending): Promise<Remedies> {
  const { record, facts, waits, limit, repeats } = question;
  const lost = isLost(record);
  const slow = end.time > limit || lost;
  // Without the faults that made the downlink lost, other causes may still have delayed it.
  const base = findLosingCauses(record, facts);
  const causes = listCauses(question)
    .filter((cause) => !base.has(cause))
    .slice(0, slow ? MOST_CAUSES : MOST_OF_FAST);
  const isFast = (other: Ending) => slow && other.time <= limit && isBetter(other, end, 0);
  const remedies: Remedy[] = [];
  const notSooner: Remedy[] = [];
  const remove = async (more: Iterable<CauseKey>): Promise<boolean> => {
    const without = new Set([...base, ...more]);
    // Only a fault makes a downlink lost.
    if (lost && !hasFault(without)) return false;
    const other = await repeats.findEnding(record, facts, without);
    if (other === undefined) return false;
    if (isFast(other) || isBetter(other, end, LEAST_GAIN)) remedies.push({ ...other, without });
    else if (isBetter(end, other, LEAST_GAIN)) notSooner.push({ ...other, without });
    return isFast(other);
  };
  let enough = base.size > 0 && (await remove([]));
  for (const cause of enough && lost ? [] : causes) enough = (await remove([cause])) || enough;
  if (slow && !enough && causes.length > 1) {
    const smallest = await findSmallest(causes, async (set) => {
      const other = await repeats.findEnding(record, facts, new Set([...base, ...set]));
      return other !== undefined && isFast(other);
    });
    if (smallest !== undefined) await remove(smallest);
  }
  const longest = waits.find(({ causes: each }) => each !== undefined && each.size > 0)?.causes ?? NO_CAUSE;
  const [main] = orderRemedies(remedies, limit);
  // With shorter intervals, the downlink would have been delivered before the fault because of which it waited longest. The
  // fault is then a cause, too.
  if (slow && hasFault(longest) && main !== undefined && main.time <= limit && !hasFault(main.without)) {
    await remove([...longest, ...main.without]);
  }
  const sorted = orderRemedies(remedies, limit);
  const withFault = sorted.find(({ without, time }) => hasFault(without) && time <= limit);
  if (withFault === undefined || !hasFault(longest)) return { sooner: sorted, notSooner };
  return { sooner: [withFault, ...sorted.filter((each) => each !== withFault)], notSooner };
}

/** Whether a downlink gets further, or as far in a time that is shorter by more than a share. */
function isBetter(one: Ending, other: Ending, share: number): boolean {
  if (one.progress !== other.progress) return one.progress > other.progress;
  return one.progress > 0 && other.time - one.time > other.time * share;
}

/** The faults of the exchange in which a lost downlink was sent: they caused its loss, even if they did not delay it. */
export function findLosingCauses(record: DownlinkRecord, { chances }: DeviceFacts): CauseSet {
  const { delivered } = record.reached;
  if (!isLost(record) || delivered === undefined) return NO_CAUSE;
  const sent = chances.findLast(({ at, heard, failing }) => heard && failing && at < delivered);
  return collectFaults(sent?.faults ?? []);
}

/** As few of the causes as possible, all of which have to be removed; undefined if not even all of them are enough. */
async function findSmallest(
  causes: readonly CauseKey[],
  isEnough: (set: readonly CauseKey[]) => Promise<boolean>,
): Promise<readonly CauseKey[] | undefined> {
  if (!(await isEnough(causes))) return undefined;
  let smallest = causes;
  // A cause with a short wait is the first one that may be needless. Causes that every downlink of the device has say least.
  const tried = [...causes].reverse().sort((a, b) => Number(isOrdinary(b)) - Number(isOrdinary(a)));
  for (const cause of tried) {
    const rest = smallest.filter((each) => each !== cause);
    // Single causes are not enough.
    if (rest.length > 1 && (await isEnough(rest))) smallest = rest;
  }
  return smallest;
}

function orderRemedies(remedies: readonly Remedy[], limit: Millis): readonly Remedy[] {
  const ordinary = ({ without }: Remedy) => [...without].filter(isOrdinary).length;
  const [enough, rest] = [remedies.filter(({ time }) => time <= limit), remedies.filter(({ time }) => time > limit)];
  return [
    ...enough.sort((a, b) => a.without.size - b.without.size || ordinary(a) - ordinary(b) || a.time - b.time),
    ...rest.sort((a, b) => a.time - b.time),
  ];
}

/** Whether the cause applies to every downlink of the device. Causes that are specific to this downlink say more. */
function isOrdinary(cause: CauseKey): boolean {
  return cause === 'interval' || cause === 'downlinks';
}

/** The causes that could have delayed the downlink, those with the longest waits first. */
function listCauses({ record, facts, waits }: Question): readonly CauseKey[] {
  const { calendar, part, firstBoot, downlinks, updates } = facts;
  const { queuedAt, type } = record;
  const end: Instant = queuedAt + measureTime(record, facts.closing);
  const times = new Map<CauseKey, Millis>();
  for (const { causes = NO_CAUSE, time } of waits)
    for (const cause of causes) times.set(cause, (times.get(cause) ?? 0) + time);
  const others = downlinks.some((other) => other !== record && other.queuedAt <= end);
  const known: readonly (readonly [CauseKey, boolean])[] = [
    ['interval', part === undefined || part.pollEvery === null || part.pollEvery === 0 || part.pollEvery > minutes(1)],
    ['power-on', (firstBoot ?? end) > queuedAt],
    ['encoder', isWithoutEncoder(record, facts)],
    ['downlinks', others],
    ['update', type === 'config' && updates.length > 0],
  ];
  const possible = known.flatMap(([cause, may]) => (may ? [cause] : []));
  const blamed = new Set(facts.chances.flatMap((chance) => (chance.until < queuedAt ? [] : chance.faults)));
  const faults = calendar.during(queuedAt - AFTER_EFFECT, end, 'blocks', 'hinders', 'restarts', 'disturbs');
  const isPossible = (cause: CauseKey) => cause.startsWith('fault:') || possible.includes(cause);
  return [
    ...new Set([
      ...[...times].sort(([, a], [, b]) => b - a).flatMap(([cause]) => (isPossible(cause) ? [cause] : [])),
      ...collectFaults([...blamed, ...faults]),
      ...possible,
    ]),
  ];
}

/**
 * The causes without whose waits the downlink would have been fast, longest waits first. They take the place of a repetition
 * for a device that cannot be repeated.
 */
export function attributeCauses(waits: readonly CauseTime[], total: Millis, limit: Millis): CauseSet {
  const causes = new Set<CauseKey>();
  let rest = total;
  for (const wait of waits) {
    if (rest <= limit) break;
    if (wait.causes === undefined || wait.causes.size === 0) continue;
    for (const cause of wait.causes) causes.add(cause);
    rest -= wait.time;
  }
  return causes;
}
