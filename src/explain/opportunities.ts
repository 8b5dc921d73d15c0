/**
 * The opportunities of a downlink: when it would have advanced if certain causes had not been. There are those that the device had
 * (it tried, and something was in the way) and those that it would have had with a poll every minute.
 */
import type { Instant, Millis } from '../kernel/time.js';
import { minutes, seconds } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import type { JudgedChance } from './blockers.js';
import { type CauseKey, type CauseSet, faultCauses, NO_CAUSE, type Opportunity } from './causes.js';
import type { FaultCalendar, FleetPart } from './situation.js';

/** What is known about the device of a downlink. */
export interface DeviceFacts {
  readonly chances: readonly JudgedChance[];
  readonly calendar: FaultCalendar;
  readonly part: FleetPart | undefined;
  /** When the sessions of the device were set up. */
  readonly ready: readonly Instant[];
  /** First power-up; undefined: none in the trace. */
  readonly firstBoot: Instant | undefined;
  /** Times in which a firmware update was being downloaded. */
  readonly updates: readonly { readonly from: Instant; readonly until: Instant }[];
  /** All downlinks of users to the device, in the order of the queue. */
  readonly downlinks: readonly DownlinkRecord[];
  /** When devices stopped to begin anything new. */
  readonly closing: Instant;
}

/** With the shortest useful poll interval, the next poll is due after at most this time. */
const POLL = minutes(1);
/** From a power-up to the first packet: start, modem, attach. */
const START = seconds(60);
/** A downlink in the same exchange follows within this time. */
const SAME_EXCHANGE = seconds(30);

/** The walk through the chances of a device from the time at which a downlink waits. */
interface Walk {
  readonly record: DownlinkRecord;
  readonly facts: DeviceFacts;
  readonly from: Instant;
  readonly end: Instant;
  /** Faults of the exchanges that were failing at `from`; undefined: none was. */
  readonly failing: ReadonlySet<number> | undefined;
}

/** @param goal when the downlink advanced; undefined: not until the end of the trace */
export function opportunities(
  record: DownlinkRecord,
  facts: DeviceFacts,
  from: Instant,
  goal: Instant | undefined,
): readonly Opportunity[] {
  const end = goal ?? facts.closing;
  const walk: Walk = { record, facts, from, end, failing: failingAt(facts, from) };
  const found: Opportunity[] = [...beforePowerOn(facts, from, end)];
  let idleSince: Instant = Math.max(from, facts.firstBoot ?? end);
  for (const chance of facts.chances) {
    if (chance.until < from) continue;
    if (chance.at > end) break;
    if (chance.at > idleSince) found.push(...ifPolled(facts, idleSince, chance.at));
    idleSince = Math.max(from, chance.until);
    found.push(...atChance(walk, chance));
  }
  if (idleSince < end) found.push(...ifPolled(facts, idleSince, end));
  const held = withoutEncoder(record, facts)
    ? found.map(({ at, blockers }) => withCause(at, blockers, 'encoder'))
    : found;
  return goal === undefined ? held : [...held, { at: goal, blockers: NO_CAUSE }];
}

function withCause(at: Instant, blockers: CauseSet, cause: CauseKey): Opportunity {
  return { at, blockers: new Set([...blockers, cause]) };
}

export function withoutEncoder({ type, reached }: DownlinkRecord, { part }: DeviceFacts): boolean {
  return type === 'data' && part?.encoder === false && reached.offered === undefined;
}

/** Faults of the exchanges that fail one after the other around `from`; undefined if the device was at rest or talked to the cloud. */
function failingAt({ chances, calendar }: DeviceFacts, from: Instant): ReadonlySet<number> | undefined {
  const before = chances.filter(({ at }) => at < from);
  const good = before.findLastIndex(({ failing, result, until }) => !failing || (result === 'reached' && until < from));
  const streak = before.slice(good + 1);
  if (streak.length === 0) return undefined;
  const faults = streak.flatMap((chance) => [
    ...chance.faults,
    ...(chance.until > from ? calendar.during(chance.at, from, 'blocks') : []),
  ]);
  return new Set(faults);
}

function beforePowerOn(facts: DeviceFacts, from: Instant, end: Instant): readonly Opportunity[] {
  const { firstBoot, calendar } = facts;
  const boot = firstBoot ?? end;
  if (from >= boot) return [];
  const regular = regularContacts(facts, from, boot);
  return [
    ...openings(calendar, from, boot, START).map((at) => {
      return { at, blockers: faultCauses(calendar.at(at, 'blocks'), 'power-on', 'interval') };
    }),
    ...regular.map((at) => ({ at, blockers: faultCauses(calendar.at(at, 'blocks'), 'power-on') })),
  ];
}

/** If the device had polled every minute while it was at rest. */
function ifPolled({ calendar, part }: DeviceFacts, from: Instant, until: Instant): readonly Opportunity[] {
  if (part === undefined || pollsOften(part) || until - from < POLL) return [];
  return openings(calendar, from, until, POLL).map((at) => {
    return { at, blockers: faultCauses(calendar.at(at, 'blocks'), 'interval') };
  });
}

/** Whether the device polls so often already that a shorter interval changes nothing. */
function pollsOften(part: FleetPart | undefined): boolean {
  const every = part?.pollEvery ?? 0;
  return every > 0 && every <= POLL;
}

/** A moment after `from`, and one after the end of each fault, that are before `until`. */
function openings(calendar: FaultCalendar, from: Instant, until: Instant, delay: number): readonly Instant[] {
  return [from, ...calendar.ends(from, until)].map((at) => at + delay).filter((at) => at < until);
}

function atChance(walk: Walk, chance: JudgedChance): readonly Opportunity[] {
  const { record, facts, from, end } = walk;
  const failed = chance.failing && chance.faults.length > 0 ? atFailure(walk, chance) : [];
  if (withoutEncoder(record, facts)) {
    const works = chance.at >= from && (!chance.failing || chance.result === 'reached');
    return works ? [...failed, { at: chance.until, blockers: NO_CAUSE }] : failed;
  }
  if (chance.result !== 'reached' || chance.until < from) return failed;
  const held = heldBack(record, facts, chance, end);
  return held === undefined ? failed : [...failed, { at: chance.until, blockers: new Set([held]) }];
}

/**
 * Without its faults, the exchange would have worked out. But if it is a consequence of them (it repeats another one, or follows a
 * restart), there would have been no exchange: the device would have been at rest until its next report or poll.
 */
function atFailure({ facts, from, end, failing }: Walk, chance: JudgedChance): readonly Opportunity[] {
  const { calendar, part } = facts;
  const at = Math.max(chance.at, from);
  // A long exchange may run into further faults.
  const faults = at > chance.at ? [...chance.faults, ...calendar.at(at, 'blocks')] : chance.faults;
  const earlier = failing !== undefined && faults.every((fault) => failing.has(fault)) && !isTimed(chance, from, part);
  const restarted = chance.startedBy.some((fault) => faults.includes(fault));
  if (!earlier && !restarted) return [{ at, blockers: faultCauses(faults) }];
  const polled = openings(calendar, at, end, POLL).map((time) => {
    const all = [...faults, ...calendar.at(time, 'blocks')];
    return { at: time, blockers: pollsOften(part) ? faultCauses(all) : faultCauses(all, 'interval') };
  });
  const regular = regularContacts(facts, at, end).map((time) => {
    return { at: time, blockers: faultCauses([...faults, ...calendar.at(time, 'blocks')]) };
  });
  return [...polled, ...regular];
}

/** Most regular contacts of a kind that are considered. */
const MOST_CONTACTS = 20;
/** Share of a report interval by which a report may come later. */
const JITTER = 0.2;

/**
 * When the polls and reports of the device would have come after `at`. The poll timer runs freely from the end of the session
 * phase. The jitter of reports adds up, so theirs are late estimates.
 */
function regularContacts({ part, ready, chances }: DeviceFacts, at: Instant, end: Instant): readonly Instant[] {
  const { pollEvery, reportEvery } = part ?? { pollEvery: null, reportEvery: null };
  const started = ready.findLast((time) => time <= at);
  const times: Instant[] = [];
  const add = (first: Instant, period: Millis) => {
    for (let i = 0; i < MOST_CONTACTS && first + i * period < end; i++) times.push(first + i * period);
  };
  if (pollEvery !== null && pollEvery > 0) {
    add(
      started === undefined ? at + pollEvery : started + Math.ceil((at - started) / pollEvery) * pollEvery,
      pollEvery,
    );
  }
  if (reportEvery !== null && reportEvery > 0) {
    const late = reportEvery * JITTER;
    const last = chances.findLast((chance) => chance.at <= at && chance.begins === 'wake' && chance.why === 'report');
    const base = last?.at ?? started;
    const intervals = base === undefined ? 1 : Math.max(1, Math.ceil((at - base) / reportEvery));
    const first = (base ?? at) + intervals * reportEvery + late * Math.sqrt(intervals);
    add(Math.min(first, at + reportEvery + late), reportEvery);
  }
  return times;
}

/** Whether the exchange began after `from` at a time of the device's own: a report, an event or a tick of the poll timer. */
function isTimed({ at, why, begins }: JudgedChance, from: Instant, part: FleetPart | undefined): boolean {
  if (at < from || begins !== 'wake' || why === 'answer' || why === 'boot') return false;
  return why !== 'poll' || (part?.pollEvery ?? 0) > 0;
}

/** Why the downlink did not follow an exchange that worked out; undefined: for no lasting reason. */
export function heldBack(
  { id, type, queuedAt, reached }: DownlinkRecord,
  { chances, updates, downlinks }: DeviceFacts,
  { at, until }: JudgedChance,
  end: Instant,
): CauseKey | undefined {
  if (reached.received !== undefined && reached.received <= until) return undefined;
  if (type === 'config' && updates.some((update) => update.from <= until && until < update.until)) return 'update';
  if (end - until < SAME_EXCHANGE || queuedAt > until) return undefined;
  // If an exchange failed meanwhile, its fault is the reason, and not the order of the queue.
  if (chances.some((next) => next.at >= until && next.at < end && next.failing && next.faults.length > 0))
    return undefined;
  const ahead = downlinks.some((other) => {
    const { offered } = other.reached;
    return other.id !== id && offered !== undefined && offered >= at && offered <= end && other.queuedAt <= until;
  });
  return ahead ? 'downlinks' : undefined;
}
