/**
 * What devices sent up, and what became of it: made = acknowledged + dropped + waiting, in the device's eyes; stored and
 * recognised copies in the cloud's. `uplink.*` counts application data, `message.*` every type.
 */

import type { Instant, Millis } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import { Distribution } from '../distribution.js';
import type { UplinkType } from '../events.js';
import { BusiestSecond } from './busiest-second.js';
import { type MetricTable, Tally } from './metric.js';

interface UplinkCounts {
  readonly made: number;
  /** Its first datagram went out. */
  readonly sent: number;
  readonly acked: number;
  /** Given up by the device. */
  readonly dropped: number;
  /** Neither acknowledged nor given up at the end. */
  readonly waiting: number;
  /** Stored in the cloud, each content once. */
  readonly stored: number;
  /** Arrived again, was recognised and not stored. */
  readonly copies: number;
}

export interface UplinkSummary extends UplinkCounts {
  /** Why data uplinks were dropped. */
  readonly reasons: Readonly<Record<string, number>>;
  /** All types together. */
  readonly messages: UplinkCounts;
  /** Only types that occurred. */
  readonly byType: Readonly<Partial<Record<UplinkType, UplinkCounts>>>;
}

const TYPES: readonly UplinkType[] = ['session', 'codec', 'config', 'data', 'shell', 'firmware', 'stats'];

class Counter implements UplinkCounts {
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
  /** Copies that arrived after the device had begun its transfer again: wire protocol, section 14, quirk 15. */
  copiesAfterRestart = 0;
  /** Everything that reached the cloud whole, copies as well: they cost it the same. */
  readonly arrivals: BusiestSecond;
  readonly #reasons = new Tally();
  readonly #byType = new Map(TYPES.map((type) => [type, new Counter()]));
  readonly #restarted = new Set<number>();
  /** Uplinks that went out and are still open: a body in the spool goes out more than once. */
  readonly #underWay = new Set<number>();
  /** When the data uplinks were made that are still open. */
  readonly #madeAt = new Map<number, Instant>();
  /** Of data uplinks, from being ready to go to their acknowledgement. */
  readonly delay = new Distribution();

  /** @param warmUp what arrives earlier does not make a busiest second */
  constructor(warmUp: Millis = 0) {
    this.arrivals = new BusiestSecond(warmUp);
  }

  readonly on: Handlers = {
    'uplink.made': (event) => {
      this.of(event.type).made++;
      if (event.type === 'data') this.#madeAt.set(keyOf(event), event.at);
    },
    'uplink.sent': (event) => {
      const key = keyOf(event);
      if (this.#underWay.has(key)) return;
      this.#underWay.add(key);
      this.of(event.type).sent++;
    },
    'uplink.acked': (event) => {
      const key = keyOf(event);
      const madeAt = this.#madeAt.get(key);
      if (madeAt !== undefined) this.delay.record(event.at - madeAt);
      this.#madeAt.delete(key);
      this.#underWay.delete(key);
      this.of(event.type).acked++;
    },
    'uplink.dropped': (event) => {
      this.#madeAt.delete(keyOf(event));
      this.#underWay.delete(keyOf(event));
      this.of(event.type).dropped++;
      if (event.type === 'data') this.#reasons.add(event.why);
    },
    'device.restart': (event) => {
      this.#restarted.add(event.serial);
    },
    'cloud.stored': (event) => {
      const counter = this.of(event.type);
      this.arrivals.add(event.at);
      if (event.copy) counter.copies++;
      else counter.stored++;
      const restarted = this.#restarted.delete(event.serial);
      if (event.copy && restarted) this.copiesAfterRestart++;
    },
  };

  of(type: UplinkType): Counter {
    const counter = this.#byType.get(type);
    if (counter === undefined) throw new Error(`"${type}" is not a type of uplink`);
    return counter;
  }

  /** The sum over all types. */
  all(): UplinkCounts {
    const all = new Counter();
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

  summary(): UplinkSummary {
    const occurred = [...this.#byType].filter(([, counter]) => counter.made > 0 || counter.stored > 0);
    return {
      ...plainCounts(this.of('data')),
      reasons: this.#reasons.toRecord(),
      messages: plainCounts(this.all()),
      byType: Object.fromEntries(occurred.map(([type, counter]) => [type, plainCounts(counter)])),
    };
  }
}

/** Serial number and number of the uplink in one number: serials have 32 bits, and 2^21 uplinks are enough for a device. */
function keyOf({ serial, uplink }: { readonly serial: number; readonly uplink: number }): number {
  return uplink * 4_294_967_296 + serial;
}

function plainCounts(counts: UplinkCounts): UplinkCounts {
  const { made, sent, acked, dropped, waiting, stored, copies } = counts;
  return { made, sent, acked, dropped, waiting, stored, copies };
}

export const UPLINK_METRICS: MetricTable<UplinkFold> = {
  ...countsTable('uplink', 'data uplinks', (fold) => fold.of('data')),
  ...countsTable('message', 'uplinks of any type', (fold) => fold.all()),
  'uplink.delay': {
    about: 'from when a data uplink was ready to go until the cloud had acknowledged it',
    durations: (fold) => fold.delay,
  },
  'message.peak': {
    about: 'uplinks of any type that reached the cloud in the busiest second, copies as well, warm-up excluded',
    count: (fold) => fold.arrivals.most,
  },
  'uplink.copies-after-restart': {
    about: 'copies that came because a reset made the device send again what was stored already',
    count: (fold) => fold.copiesAfterRestart,
  },
};

function countsTable(
  prefix: string,
  what: string,
  counts: (fold: UplinkFold) => UplinkCounts,
): MetricTable<UplinkFold> {
  return {
    [`${prefix}.made`]: { about: `${what} that were ready to go`, count: (fold) => counts(fold).made },
    [`${prefix}.sent`]: { about: `${what} whose first datagram went out`, count: (fold) => counts(fold).sent },
    [`${prefix}.acked`]: { about: `${what} that the cloud acknowledged`, count: (fold) => counts(fold).acked },
    [`${prefix}.dropped`]: { about: `${what} that the device gave up`, count: (fold) => counts(fold).dropped },
    [`${prefix}.waiting`]: {
      about: `${what} that were neither acknowledged nor given up at the end`,
      count: (fold) => counts(fold).waiting,
    },
    [`${prefix}.stored`]: {
      about: `${what} that the cloud stored, copies not counted`,
      count: (fold) => counts(fold).stored,
    },
    [`${prefix}.copies`]: {
      about: `${what} that came again and were recognised`,
      count: (fold) => counts(fold).copies,
    },
  };
}
