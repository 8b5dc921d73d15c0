/** The moment from which a device would have behaved differently without some causes. */
import type { Instant } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import type { JudgedChance } from './blockers.js';
import type { CauseSet } from './causes.js';
import type { ExchangeKind } from './exchange.js';
import type { DeviceFacts } from './facts.js';
import { withoutEncoder } from './held-back.js';

export interface Divergence {
  readonly at: Instant;
  /** The exchange that the device attempts at this time; undefined if the device is at rest. */
  readonly attempts: ExchangeKind | undefined;
}

/** @returns undefined if nothing would have changed before the downlink reached its last stage */
export function divergence(record: DownlinkRecord, facts: DeviceFacts, removed: CauseSet): Divergence | undefined {
  const { queuedAt } = record;
  if (removed.has('power-on') && (facts.firstBoot ?? Number.POSITIVE_INFINITY) > queuedAt)
    return { at: 0, attempts: 'session' };
  const streak = streakFrom(facts.chances, queuedAt);
  const found = [
    ...affected(streak, facts, removed),
    ...(removed.has('interval') ? [oftenPolled(streak, queuedAt, facts)] : []),
    ...(removed.has('downlinks') ? withoutOthers(record, facts) : []),
    ...(removed.has('update') || (removed.has('encoder') && withoutEncoder(record, facts))
      ? reached(streak, queuedAt)
      : []),
  ];
  return found.reduce<Divergence | undefined>(
    (first, each) => (first === undefined || each.at < first.at ? each : first),
    undefined,
  );
}

/** The chances (chances.ts) after the last exchange that succeeded before `from`. */
function streakFrom(chances: readonly JudgedChance[], from: Instant): readonly JudgedChance[] {
  const good = chances.findLastIndex(
    ({ at, failing, result, until }) => at < from && until <= from && (!failing || result === 'reached'),
  );
  return chances.slice(good + 1);
}

/** The first moment at which one of the causes affected an exchange. */
function affected(
  streak: readonly JudgedChance[],
  { calendar }: DeviceFacts,
  removed: CauseSet,
): readonly Divergence[] {
  const isRemoved = (fault: number) => removed.has(`fault:${fault}`);
  for (const chance of streak) {
    const { at, until, faults, startedBy } = chance;
    if (faults.some(isRemoved)) return [{ at, attempts: kindOf(chance) }];
    if (startedBy.some(isRemoved)) return [{ at, attempts: undefined }];
    // A long exchange that has failed already may run into further faults.
    const later = chance.failing ? calendar.starts(at, until).find(({ fault }) => isRemoved(fault)) : undefined;
    if (later !== undefined) return [{ at: later.at, attempts: kindOf(chance) }];
  }
  return [];
}

/** With a shorter interval, the device behaves differently as soon as it would be at rest. */
function oftenPolled([first]: readonly JudgedChance[], queuedAt: Instant, { firstBoot }: DeviceFacts): Divergence {
  if (first?.failing && first.at < queuedAt) return { at: first.at, attempts: kindOf(first) };
  return { at: Math.max(queuedAt, firstBoot ?? Number.POSITIVE_INFINITY), attempts: undefined };
}

/** Without other downlinks, the device would have behaved differently since the cloud offered the first of them. */
function withoutOthers(record: DownlinkRecord, { downlinks }: DeviceFacts): readonly Divergence[] {
  const received = downlinks.flatMap((other) => (other === record ? [] : (other.reached.offered ?? [])));
  const first = Math.min(...received.filter((at) => at >= record.queuedAt));
  return Number.isFinite(first) ? [{ at: first, attempts: 'poll' }] : [];
}

/** The first successful exchange after which the cloud could have delivered the downlink. */
function reached(streak: readonly JudgedChance[], queuedAt: Instant): readonly Divergence[] {
  const first = streak.find(({ result, until }) => result === 'reached' && until >= queuedAt);
  return first === undefined ? [] : [{ at: first.until, attempts: 'poll' }];
}

function kindOf({ why, booted }: JudgedChance): ExchangeKind {
  if (booted !== undefined || why === 'boot') return 'session';
  return why === 'poll' || why === 'answer' ? why : 'report';
}
