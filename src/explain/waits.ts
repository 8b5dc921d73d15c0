/** Splits the time of a downlink among its causes, without gaps. */
import type { Instant, Millis } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import { type JudgedChance, leavesWaiting } from './blockers.js';
import { type CauseKey, type CauseSet, faultCauses, NO_CAUSE, setKey } from './causes.js';
import type { DeviceFacts } from './facts.js';
import { heldBack, withoutEncoder } from './held-back.js';
import { OtherDownlinks } from './others.js';

export interface CauseTime {
  /** Empty for the time that every exchange takes; undefined if no cause is known. */
  readonly causes: CauseSet | undefined;
  readonly time: Millis;
}

/** @returns longest first */
export function causeTimes(record: DownlinkRecord, facts: DeviceFacts, end: Instant): readonly CauseTime[] {
  const times = new Map<string, { causes: CauseSet | undefined; time: Millis }>();
  let cursor = record.queuedAt;
  const charge = (until: Instant, causes: CauseSet | undefined) => {
    const time = Math.min(until, end) - cursor;
    if (time <= 0) return;
    cursor += time;
    const key = causes === undefined ? '?' : setKey(causes);
    const known = times.get(key);
    if (known) known.time += time;
    else times.set(key, { causes, time });
  };
  charge(facts.firstBoot ?? end, only('power-on'));
  const others = new OtherDownlinks(record, facts);
  let resting: CauseSet | undefined = restBefore(record, facts);
  let before: JudgedChance | undefined;
  for (const chance of facts.chances) {
    if (chance.until < record.queuedAt) continue;
    if (chance.at > end) break;
    const waiting = others.occupy(chance.at) && resting?.has('interval') === true;
    charge(chance.at, waiting ? only('downlinks') : resting);
    if (!before?.failing) charge(harmedFrom(chance, facts), NO_CAUSE);
    before = chance;
    charge(chance.until, chance.failing || !others.own(chance) ? exchangeCause(chance) : only('downlinks'));
    resting = restAfter(record, facts, chance, end);
  }
  charge(end, resting);
  return [...times.values()].sort((a, b) => b.time - a.time);
}

/** The cause of the first wait if the device is at rest when the downlink is queued. */
function restBefore(record: DownlinkRecord, { chances }: DeviceFacts): CauseSet | undefined {
  const last = chances.findLast(({ until }) => until < record.queuedAt);
  return last?.failing && last.result !== 'reached' ? failureCause(last) : only('interval');
}

function restAfter(
  record: DownlinkRecord,
  facts: DeviceFacts,
  chance: JudgedChance,
  end: Instant,
): CauseSet | undefined {
  if (withoutEncoder(record, facts)) return only('encoder');
  if (leavesWaiting(chance)) return failureCause(chance);
  const { received } = record.reached;
  if (received !== undefined && received <= chance.until) {
    const missed = facts.chances.findLast(
      (each) => each.missed !== undefined && each.until >= received && each.until <= chance.until,
    );
    return missed === undefined ? NO_CAUSE : failureCause(missed);
  }
  const held = heldBack(record, facts, chance, end);
  return only(held ?? 'interval');
}

/** When the faults of an exchange began to delay it. The exchange may have begun before the faults. */
function harmedFrom({ at, until, failing, faults }: JudgedChance, { calendar }: DeviceFacts): Instant {
  if (!failing || calendar.at(at, 'blocks', 'hinders').some((fault) => faults.includes(fault))) return at;
  if (faults.some((fault) => calendar.get(fault)?.effect === 'restarts')) return at;
  return calendar.starts(at, until).find(({ fault }) => faults.includes(fault))?.at ?? at;
}

function exchangeCause(chance: JudgedChance): CauseSet | undefined {
  return chance.failing ? failureCause(chance) : NO_CAUSE;
}

function failureCause({ faults }: JudgedChance): CauseSet | undefined {
  return faults.length === 0 ? undefined : faultCauses(faults);
}

function only(cause: CauseKey): CauseSet {
  return new Set([cause]);
}
