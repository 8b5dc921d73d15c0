/** The downlinks that wait in the cloud for a device. */
import type { Instant } from '../kernel/time.js';
import type { DownlinkRecord, TrackedType } from '../trace/downlinks/ledger.js';
import type { CauseSet } from './causes.js';
import type { DeviceFacts } from './facts.js';
import { withoutEncoder } from './held-back.js';

/** The order in which the cloud delivers; the lowest rank first (wire protocol, 15, "queue order"). */
const RANK: Readonly<Record<TrackedType, number>> = { data: 2, shell: 2, firmware: 3, config: 4 };

export class Queue {
  readonly #updates: DeviceFacts['updates'];
  readonly #record: DownlinkRecord;
  #waiting: readonly DownlinkRecord[];

  /**
   * The downlinks that the device had not received at `at`, and those that users queue later.
   * @param record the explained downlink
   */
  constructor(facts: DeviceFacts, record: DownlinkRecord, removed: CauseSet, at: Instant) {
    this.#record = record;
    this.#updates = removed.has('update') ? [] : facts.updates;
    const others = removed.has('downlinks') ? [] : facts.downlinks.filter((each) => isOpen(each, at));
    const deliverable = (each: DownlinkRecord) =>
      !withoutEncoder(each, facts) || (each === record && removed.has('encoder'));
    this.#waiting = [...others.filter((each) => each !== record), record]
      .filter(deliverable)
      .sort((a, b) => RANK[a.type] - RANK[b.type] || a.queuedAt - b.queuedAt);
  }

  /** The downlink that the cloud delivers next at `at`. */
  next(at: Instant): DownlinkRecord | undefined {
    const updates = this.#updates.some(({ from, until }) => from <= at && at < until);
    return this.#waiting.find((each) => {
      const ended = each !== this.#record && each.endedAt !== undefined && each.endedAt <= at;
      return each.queuedAt <= at && !ended && !(each.type === 'config' && updates);
    });
  }

  remove(downlink: DownlinkRecord): void {
    this.#waiting = this.#waiting.filter((each) => each !== downlink);
  }
}

function isOpen({ endedAt = Number.POSITIVE_INFINITY, reached }: DownlinkRecord, at: Instant): boolean {
  return endedAt > at && (reached.received ?? reached.delivered ?? Number.POSITIVE_INFINITY) > at;
}
