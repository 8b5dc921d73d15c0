/** Why the cloud did not deliver a waiting downlink after a successful exchange. */
import { type Instant, seconds } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import type { JudgedChance } from './blockers.js';
import type { CauseKey } from './causes.js';
import type { DeviceFacts } from './facts.js';

/** A downlink in the same exchange follows within this time. */
const SAME_EXCHANGE = seconds(30);

export function withoutEncoder({ type, reached }: DownlinkRecord, { part }: DeviceFacts): boolean {
  return type === 'data' && part?.encoder === false && reached.offered === undefined;
}

/** Why the downlink was not delivered after this successful exchange; undefined if no lasting reason is known. */
export function heldBack(
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
