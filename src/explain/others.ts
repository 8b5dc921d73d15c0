/** When a device is busy with the downlinks that come before the explained one. */
import type { Instant } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import type { JudgedChance } from './blockers.js';
import type { DeviceFacts } from './facts.js';

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
  occupy(at: Instant): boolean {
    return this.#spans.some(({ from, until }) => from <= at && at < until);
  }

  /** Whether the exchange fetches another downlink, or belongs to its answer or its restart. */
  own({ at, until }: JudgedChance): boolean {
    return this.occupy(at) || this.#spans.some(({ from }) => from >= at && from <= until);
  }
}
