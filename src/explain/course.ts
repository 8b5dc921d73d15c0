/** How far a downlink came, and how long it took. */
import type { Instant, Millis } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';

/** When the downlink reached its last stage, was cancelled or expired; undefined while it is open: not delivered, and not ended. */
export function endOf({ last, reached, endedAt }: DownlinkRecord): Instant | undefined {
  if (reached.delivered === undefined && reached.executed === undefined) return endedAt;
  return last === undefined ? undefined : reached[last];
}

/** Time from the queue to the end of the downlink, or to the end of the run while it is open. */
export function timeTaken(record: DownlinkRecord, closing: Instant): Millis {
  return Math.max(0, (endOf(record) ?? closing) - record.queuedAt);
}
