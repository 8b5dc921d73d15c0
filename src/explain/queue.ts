/** How the other downlinks of a device delay a downlink, and why the cloud did not deliver it after a successful exchange. */
import { type Instant, seconds } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import type { JudgedChance } from './blockers.js';
import type { CauseKey } from './causes.js';
import { OVERLONG } from './chances.js';
import type { DeviceFacts } from './facts.js';

/** A downlink in the same exchange follows within this time. */
const SAME_EXCHANGE = seconds(30);

/** Whether the cloud never sent the data because it had no encoder of the device. */
export function isWithoutEncoder({ type, reached, lacks }: DownlinkRecord, { part }: DeviceFacts): boolean {
  return type === 'data' && (part?.encoder === false || lacks === 'encoder') && reached.offered === undefined;
}

/** Whether an exchange failed because this downlink, or another one, is longer than the buffer of the device. */
export function explainOverlong(record: DownlinkRecord, { note, until }: JudgedChance): CauseKey | undefined {
  if (note !== OVERLONG) return undefined;
  const { offered, received, delivered } = record.reached;
  // The cloud offers the next downlink only after the end of this one.
  const end = delivered ?? record.endedAt ?? Number.POSITIVE_INFINITY;
  return offered !== undefined && received === undefined && offered <= until && until <= end ? 'length' : 'downlinks';
}

/** Whether the device can never receive the downlink. */
export function isOverlong(record: DownlinkRecord, { chances }: DeviceFacts): boolean {
  return chances.some((chance) => explainOverlong(record, chance) === 'length');
}

/** Why the downlink was not delivered after this successful exchange; undefined if no lasting reason is known. */
export function explainHoldBack(
  { id, type, queuedAt, reached }: DownlinkRecord,
  { chances, updates, downlinks }: DeviceFacts,
  { at, until }: JudgedChance,
  end: Instant,
): CauseKey | undefined {
  if (reached.received !== undefined && reached.received <= until) return undefined;
  if (type === 'config' && updates.some((update) => update.from <= until && until < update.until)) return 'update';
  if (end - until < SAME_EXCHANGE || queuedAt > until) return undefined;
  // If a later exchange failed, its fault is the reason, and not the order of the queue.
  if (chances.some((next) => next.at >= until && next.at < end && next.failing && next.faults.length > 0))
    return undefined;
  const ahead = downlinks.some((other) => {
    const { offered } = other.reached;
    return other.id !== id && offered !== undefined && offered >= at && offered <= end && other.queuedAt <= until;
  });
  return ahead ? 'downlinks' : undefined;
}

interface Span {
  readonly from: Instant;
  readonly until: Instant;
}

/**
 * Times in which the device is busy with another downlink: from its reception until the device has answered it, or has
 * restarted for it.
 */
export class OtherDownlinks {
  readonly #spans: readonly Span[];

  constructor(record: DownlinkRecord, { downlinks, ready }: DeviceFacts) {
    const own = record.reached.received ?? Number.POSITIVE_INFINITY;
    this.#spans = downlinks.flatMap(({ id, type, reached: { received, executed, answered } }) => {
      if (id === record.id || received === undefined || received >= own) return [];
      const restarted = type === 'config' ? ready.find((at) => at > received) : undefined;
      return [{ from: received, until: Math.min(restarted ?? answered ?? executed ?? received, own) }];
    });
  }

  /** Whether the device executes or answers another downlink at `at`, or restarts for it. */
  isBusyAt(at: Instant): boolean {
    return this.#spans.some(({ from, until }) => from <= at && at < until);
  }

  /** Whether the exchange fetches another downlink, or belongs to its answer or its restart. */
  isOfOther({ at, until }: JudgedChance): boolean {
    return this.isBusyAt(at) || this.#spans.some(({ from }) => from >= at && from <= until);
  }
}
