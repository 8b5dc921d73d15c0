/** Metrics of uplinks: made = acknowledged + dropped + waiting. `uplink.*` is application data, `message.*` all. */

import type { Instant, Millis } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import { Distribution } from '../distribution.js';
import { UPLINK_TYPES, type UplinkType } from '../events.js';
import { BusiestSecond } from './busiest-second.js';
import { type MetricTable, Tally } from './metric.js';
import { makeKey, UplinkWindows } from './uplink-windows.js';

interface UplinkCounts {
  readonly made: number;
  /** Uplinks of which the device sent the first datagram. */
  readonly sent: number;
  readonly acked: number;
  readonly dropped: number;
  /** Neither acknowledged nor dropped at the end. */
  readonly waiting: number;
  /** Stored by the cloud, without copies. */
  readonly stored: number;
  /** Recognised by the cloud as copies and not stored again. */
  readonly copies: number;
}

export interface UplinkSummary extends UplinkCounts {
  /** Why data uplinks were dropped. */
  readonly reasons: Readonly<Record<string, number>>;
  /** Counts over all types. */
  readonly messages: UplinkCounts;
  /** Counts by type; only types that occurred. */
  readonly byType: Readonly<Partial<Record<UplinkType, UplinkCounts>>>;
}

class UplinkCounter implements UplinkCounts {
  made = 0;
  sent = 0;
  acked = 0;
  dropped = 0;
  stored = 0;
  copies = 0;

  get waiting(): number {
    return this.made - this.acked - this.dropped;
  }
}

export class UplinkFold {
  /** Copies that arrived after the device had restarted its transfer (wire W-40). */
  copiesAfterRestart = 0;
  /** All complete messages that reached the cloud, including copies, because a copy causes the cloud the same work. */
  readonly arrivals: BusiestSecond;
  readonly #reasons = new Tally();
  readonly #byType = new Map(UPLINK_TYPES.map((type) => [type, new UplinkCounter()]));
  readonly #restarted = new Set<number>();
  /** Uplinks that were sent and are still open. An uplink in the spool may be sent more than once, and must count once. */
  readonly #open = new Set<number>();
  /** Time at which each open data uplink was made. */
  readonly #madeAt = new Map<number, Instant>();
  /** How long data uplinks took from the moment when they were ready until their acknowledgement. */
  readonly delay = new Distribution();

  readonly windows: UplinkWindows;

  /**
   * @param warmUp messages before this instant do not count for the busiest second
   * @param limits durations; for each, `uplink.acked` and `uplink.stored` also give the share of uplinks that took no longer
   */
  constructor(warmUp: Millis, limits: readonly Millis[]) {
    this.arrivals = new BusiestSecond(warmUp);
    this.windows = new UplinkWindows(limits);
  }

  readonly on: Handlers = {
    'uplink.made': (event) => {
      this.getCounter(event.type).made++;
      if (event.type === 'data') this.#madeAt.set(makeKey(event), event.at);
    },
    'uplink.sent': (event) => {
      const key = makeKey(event);
      if (this.#open.has(key)) return;
      this.#open.add(key);
      this.getCounter(event.type).sent++;
    },
    'uplink.acked': (event) => {
      const key = makeKey(event);
      const madeAt = this.#madeAt.get(key);
      if (madeAt !== undefined) this.delay.record(event.at - madeAt);
      this.#madeAt.delete(key);
      this.#open.delete(key);
      this.getCounter(event.type).acked++;
    },
    'uplink.dropped': (event) => {
      this.#madeAt.delete(makeKey(event));
      this.#open.delete(makeKey(event));
      this.getCounter(event.type).dropped++;
      if (event.type === 'data') this.#reasons.add(event.why);
    },
    'device.restart': (event) => {
      this.#restarted.add(event.serial);
    },
    'cloud.stored': (event) => {
      const counter = this.getCounter(event.type);
      this.arrivals.add(event.at);
      if (event.copy) counter.copies++;
      else counter.stored++;
      const restarted = this.#restarted.delete(event.serial);
      if (event.copy && restarted) this.copiesAfterRestart++;
    },
  };

  getCounter(type: UplinkType): UplinkCounter {
    const counter = this.#byType.get(type);
    if (counter === undefined) throw new Error(`"${type}" is not a type of uplink`);
    return counter;
  }

  /** The sum over all types. */
  sumAll(): UplinkCounts {
    const all = new UplinkCounter();
    for (const counter of this.#byType.values()) {
      all.made += counter.made;
      all.sent += counter.sent;
      all.acked += counter.acked;
      all.dropped += counter.dropped;
      all.stored += counter.stored;
      all.copies += counter.copies;
    }
    return all;
  }

  summarise(): UplinkSummary {
    const occurred = [...this.#byType].filter(([, counter]) => counter.made > 0 || counter.stored > 0);
    return {
      ...copyCounts(this.getCounter('data')),
      reasons: this.#reasons.makeRecord(),
      messages: copyCounts(this.sumAll()),
      byType: Object.fromEntries(occurred.map(([type, counter]) => [type, copyCounts(counter)])),
    };
  }
}

function copyCounts(counts: UplinkCounts): UplinkCounts {
  const { made, sent, acked, dropped, waiting, stored, copies } = counts;
  return { made, sent, acked, dropped, waiting, stored, copies };
}

const DATA_UPLINKS = makeCountsTable('uplink', 'data uplinks', (fold) => fold.getCounter('data'));

export const UPLINK_METRICS: MetricTable<UplinkFold> = {
  ...DATA_UPLINKS,
  ...makeTimedTable('acked'),
  ...makeTimedTable('stored'),
  ...makeCountsTable('message', 'uplinks of any type', (fold) => fold.sumAll()),
  'uplink.delay': {
    about: 'time from when a data uplink was ready until the cloud acknowledged it',
    durations: (fold) => fold.delay,
    missing: (fold) => ({ waiting: fold.getCounter('data').waiting, dropped: fold.getCounter('data').dropped }),
  },
  'message.peak': {
    about: 'uplinks of any type, copies included, that reached the cloud in the busiest second, warm-up excluded',
    count: (fold) => fold.arrivals.most,
  },
  'uplink.copies-after-restart': {
    about: 'copies that a device sent after a reset although the uplink was stored already',
    count: (fold) => fold.copiesAfterRestart,
  },
};

/** The metric of a stage: data uplinks that reached it, and their share within a duration. */
function makeTimedTable(stage: 'acked' | 'stored'): MetricTable<UplinkFold> {
  const name = `uplink.${stage}`;
  const metric = DATA_UPLINKS[name];
  if (metric === undefined) throw new Error(`there are no counts of ${name}`);
  return { [name]: { ...metric, within: (fold, limit, now) => fold.windows.within(stage, limit, now) } };
}

function makeCountsTable(
  prefix: string,
  what: string,
  counts: (fold: UplinkFold) => UplinkCounts,
): MetricTable<UplinkFold> {
  return {
    [`${prefix}.made`]: { about: `${what} that devices made`, count: (fold) => counts(fold).made },
    [`${prefix}.sent`]: { about: `${what} whose first datagram was sent`, count: (fold) => counts(fold).sent },
    [`${prefix}.acked`]: { about: `${what} that the cloud acknowledged`, count: (fold) => counts(fold).acked },
    [`${prefix}.dropped`]: { about: `${what} that the device dropped`, count: (fold) => counts(fold).dropped },
    [`${prefix}.waiting`]: {
      about: `${what} that were neither acknowledged nor dropped at the end of the run`,
      count: (fold) => counts(fold).waiting,
    },
    [`${prefix}.stored`]: {
      about: `${what} that the cloud stored, without copies`,
      count: (fold) => counts(fold).stored,
    },
    [`${prefix}.copies`]: {
      about: `${what} that the cloud recognised as copies`,
      count: (fold) => counts(fold).copies,
    },
  };
}
