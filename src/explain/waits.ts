/** Splits the time of a downlink among its causes, without gaps. */
import type { Instant, Millis } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import { sumStretches, WAIT_CAUSES, type WaitStretch, type Waits } from '../trace/downlinks/waits.js';
import { type JudgedChance, leavesWaiting } from './blockers.js';
import { type CauseKey, type CauseSet, collectFaults, hasFault, NO_CAUSE, setKey } from './causes.js';
import { findDueContact } from './due-contact.js';
import type { DeviceFacts } from './facts.js';
import { explainHoldBack, explainOverlong, isWithoutEncoder, OtherDownlinks } from './queue.js';

export interface CauseTime {
  /** Empty for the time that every exchange takes; undefined if no cause is known. */
  readonly causes: CauseSet | undefined;
  readonly time: Millis;
  /** When it ended last, since the downlink was queued. */
  readonly until: Millis;
  /** The time as the tables of the run divide it. */
  readonly parts: Waits;
}

/** A time in which one cause delays the downlink. */
interface Span {
  readonly until: Instant;
  /** While the radio was on, or the device was busy. */
  readonly awake: CauseSet | undefined;
  /** While the device was at rest. */
  readonly asleep: CauseSet | undefined;
  /** Whether the device had no exchange. */
  readonly rests?: true;
}

/**
 * The ledger of the run knows when the device was awake (trace/downlinks/waits.ts). The causes only divide these stretches
 * further, so the sums are those of the tables. Times are rounded to whole milliseconds, as in the ledger.
 * @returns longest first
 */
export function divideByCause(record: DownlinkRecord, facts: DeviceFacts, end: Instant): readonly CauseTime[] {
  const times = new Map<string, { causes: CauseSet | undefined; stretches: WaitStretch[] }>();
  const add = (causes: CauseSet | undefined, stretch: WaitStretch) => {
    const key = causes === undefined ? '?' : setKey(causes);
    const known = times.get(key);
    if (known) known.stretches.push(stretch);
    else times.set(key, { causes, stretches: [stretch] });
  };
  const zero = Math.round(record.queuedAt);
  const spans = restUntil(findDueContact(record, facts), listSpans(record, facts, end), record.queuedAt);
  let index = 0;
  for (const { cause, from, until } of record.stretchesUntil(end)) {
    for (let begin = from; begin < until; ) {
      let span = spans[index];
      while (span !== undefined && Math.round(span.until) - zero <= begin) span = spans[++index];
      const next = span === undefined ? until : Math.min(until, Math.round(span.until) - zero);
      add(cause === 'asleep' ? span?.asleep : span?.awake, { cause, from: begin, until: next });
      begin = next;
    }
  }
  return [...times.values()]
    .map(({ causes, stretches }) => {
      const parts = sumStretches(stretches);
      const time = WAIT_CAUSES.reduce((sum, cause) => sum + parts[cause], 0);
      return { causes, time, until: stretches.at(-1)?.until ?? 0, parts };
    })
    .sort((a, b) => b.time - a.time);
}

/** The time from the queueing to `end`, divided among the exchanges of the device and the times between them. */
function listSpans(record: DownlinkRecord, facts: DeviceFacts, end: Instant): readonly Span[] {
  const spans: Span[] = [];
  const resting = (until: Instant, causes: CauseSet | undefined) =>
    spans.push({ until, asleep: assumeInterval(causes), awake: isRest(causes) ? NO_CAUSE : causes, rests: true });
  const others = new OtherDownlinks(record, facts);
  spans.push({ until: facts.firstBoot ?? end, awake: POWER_ON, asleep: POWER_ON });
  let rest: CauseSet | undefined = findRestBefore(record, facts);
  let before: JudgedChance | undefined;
  for (const chance of facts.chances) {
    if (chance.until < record.queuedAt) continue;
    if (chance.at > end) break;
    const waiting = others.isBusyAt(chance.at) && rest?.has('interval') === true;
    resting(chance.at, waiting ? makeSet('downlinks') : rest);
    if (!before?.failing) spans.push({ until: findHarm(chance, facts), awake: NO_CAUSE, asleep: assumeInterval(rest) });
    before = chance;
    rest = findRestAfter(record, facts, chance, end);
    if (chance.failing) {
      const causes = getFailureCauses(record, chance);
      spans.push({ until: chance.until, awake: causes, asleep: causes });
    } else if (others.isOfOther(chance)) {
      spans.push({ until: chance.until, awake: makeSet('downlinks'), asleep: makeSet('downlinks') });
    } else {
      // A poll that finds nothing leaves no event, so it seems to last longer than it does: the device is asleep by then.
      const isAwake = chance.isRunning && chance.why !== 'poll';
      spans.push({ until: chance.until, awake: NO_CAUSE, asleep: isAwake ? NO_CAUSE : assumeInterval(rest) });
    }
  }
  resting(end, rest);
  return spans;
}

/**
 * Until `due`, a device at rest waits for its next contact and for no fault: it would have rested without the fault. An exchange
 * that a fault stops belongs to the fault.
 */
function restUntil(due: Instant, spans: readonly Span[], queuedAt: Instant): readonly Span[] {
  let from = queuedAt;
  return spans.flatMap((span) => {
    const { until, asleep, rests } = span;
    const begin = from;
    from = Math.max(from, until);
    if (!rests || begin >= due || (asleep !== undefined && !hasFault(asleep))) return [span];
    const resting = { ...span, until: Math.min(until, due), asleep: makeSet('interval') };
    return until <= due ? [resting] : [resting, span];
  });
}

/** A device that sleeps without another cause waits for its next contact. */
function assumeInterval(causes: CauseSet | undefined): CauseSet | undefined {
  return causes?.size === 0 ? makeSet('interval') : causes;
}

/** Causes that need a device at rest: while it is awake, it has an exchange. */
function isRest(causes: CauseSet | undefined): boolean {
  return causes?.has('interval') === true || causes?.has('encoder') === true;
}

/** The cause of the first wait if the device is at rest when the downlink is queued. */
function findRestBefore(record: DownlinkRecord, { chances }: DeviceFacts): CauseSet | undefined {
  const last = chances.findLast(({ until }) => until < record.queuedAt);
  return last?.failing && last.result !== 'reached' ? getFailureCauses(record, last) : makeSet('interval');
}

function findRestAfter(
  record: DownlinkRecord,
  facts: DeviceFacts,
  chance: JudgedChance,
  end: Instant,
): CauseSet | undefined {
  if (isWithoutEncoder(record, facts)) return makeSet('encoder');
  if (leavesWaiting(chance)) return getFailureCauses(record, chance);
  const { received } = record.reached;
  if (received !== undefined && received <= chance.until) {
    const missed = facts.chances.findLast(
      (each) => each.missed !== undefined && each.until >= received && each.until <= chance.until,
    );
    return missed === undefined ? NO_CAUSE : getFailureCauses(record, missed);
  }
  const held = explainHoldBack(record, facts, chance, end);
  return makeSet(held ?? 'interval');
}

/** When the faults of an exchange began to delay it. The exchange may have begun before the faults. */
function findHarm({ at, until, failing, faults }: JudgedChance, { calendar }: DeviceFacts): Instant {
  if (!failing || calendar.at(at, 'blocks', 'hinders').some((fault) => faults.includes(fault))) return at;
  if (faults.some((fault) => calendar.get(fault)?.effect === 'restarts')) return at;
  return calendar.starts(at, until).find(({ fault }) => faults.includes(fault))?.at ?? at;
}

function getFailureCauses(record: DownlinkRecord, chance: JudgedChance): CauseSet | undefined {
  const { faults } = chance;
  const overlong = explainOverlong(record, chance);
  if (overlong !== undefined) return makeSet(overlong);
  return faults.length === 0 ? undefined : collectFaults(faults);
}

function makeSet(cause: CauseKey): CauseSet {
  return new Set([cause]);
}

const POWER_ON = makeSet('power-on');
