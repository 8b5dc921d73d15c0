/**
 * The share of data uplinks that were acknowledged or stored within a duration. The durations must be known before the run,
 * because uplinks are not kept after they are counted. Without any durations, nothing is counted.
 */
import type { Instant, Millis } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import { UplinkBook } from '../invariants/uplink-book.js';
import type { Share } from './metric.js';

type Stage = 'acked' | 'stored';

export class UplinkWindows {
  #made = 0;
  readonly #stages: Readonly<Record<Stage, StageWindows>>;
  /** The folds that have to receive the events of the trace; empty without limits. */
  readonly folds: readonly { readonly on: Handlers }[];

  /** @param limits the durations for which {@link within} can be called */
  constructor(limits: readonly Millis[]) {
    this.#stages = { acked: new StageWindows(limits), stored: new StageWindows(limits) };
    // The cloud does not know the numbers of uplinks, so the book matches stored messages with sent uplinks.
    const book = new UplinkBook(
      {
        stored: (event, sending) => {
          if (sending !== undefined && !event.copy) {
            this.#stages.stored.reach(makeKey({ ...event, uplink: sending.sent.uplink }), event.at);
          }
        },
      },
      ['data'],
    );
    this.folds = limits.length === 0 ? [] : [{ on: this.#own }, book];
  }

  readonly #own: Handlers = {
    'uplink.made': (event) => {
      if (event.type !== 'data') return;
      this.#made++;
      for (const stage of Object.values(this.#stages)) stage.begin(makeKey(event), event.at);
    },
    'uplink.acked': (event) => this.#stages.acked.reach(makeKey(event), event.at),
    'uplink.dropped': (event) => {
      for (const stage of Object.values(this.#stages)) stage.lose(makeKey(event));
    },
  };

  /** The share of all data uplinks that devices made. @throws Error for a limit that the constructor did not receive */
  within(stage: Stage, limit: Millis, now: Instant): Share {
    return { total: this.#made, ...this.#stages[stage].read(limit, now) };
  }
}

/** Counts the uplinks that reached one stage in time, for all limits. */
class StageWindows {
  readonly #within: Map<Millis, number>;
  readonly #open = new Map<number, { readonly at: Instant; lost: boolean }>();

  constructor(limits: readonly Millis[]) {
    this.#within = new Map(limits.map((limit) => [limit, 0]));
  }

  begin(key: number, at: Instant): void {
    this.#open.set(key, { at, lost: false });
  }

  reach(key: number, at: Instant): void {
    const entry = this.#open.get(key);
    if (entry === undefined) return;
    this.#open.delete(key);
    const took = Math.round(at) - Math.round(entry.at);
    for (const [limit, count] of this.#within) if (took <= limit) this.#within.set(limit, count + 1);
  }

  /** The device has dropped the uplink. A datagram in flight may still arrive, so the uplink is kept. */
  lose(key: number): void {
    const entry = this.#open.get(key);
    if (entry !== undefined) entry.lost = true;
  }

  read(limit: Millis, now: Instant): Omit<Share, 'total'> {
    const within = this.#within.get(limit);
    if (within === undefined) throw new Error(`uplinks within ${limit} ms were not counted`);
    let open = 0;
    for (const { at, lost } of this.#open.values()) if (!lost && now - at < limit) open++;
    return { within, open };
  }
}

/**
 * Serial number and number of the uplink as one number. A serial number has 32 bits, so 2^21 uplinks per device are possible.
 */
export function makeKey({ serial, uplink }: { readonly serial: number; readonly uplink: number }): number {
  return uplink * 4_294_967_296 + serial;
}
