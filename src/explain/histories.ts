/** Collects the events of a run by device, for explanations. */
import { append } from '../kernel/append.js';
import type { Instant } from '../kernel/time.js';
import { isTracked } from '../trace/downlinks/ledger.js';
import type { TraceEvent } from '../trace/events.js';
import type { Fold } from '../trace/log.js';
import type { DeviceHistory } from './facts.js';

/** Default of the maximum number of events in memory, about 50 MB. */
const MOST_EVENTS = 300_000;

export class Histories implements Fold {
  readonly #byDevice = new Map<number, TraceEvent[]>();
  readonly #wanted: (serial: number) => boolean;
  readonly #most: number;
  /** Devices for which a user queued a downlink. */
  readonly #withDownlinks = new Set<number>();
  /** Events about all devices. */
  readonly #common: TraceEvent[] = [];
  readonly #rolls: boolean;
  #count = 0;
  #overflowed = false;

  /**
   * @param wanted devices to collect. Default: all
   * @param most number of events to keep, counted for all devices; a run with more has no histories. Default: 300,000
   * @param rolls in a run with more events, keep the latest ones of each device instead of none. Default: false
   */
  constructor(wanted: (serial: number) => boolean = () => true, most = MOST_EVENTS, rolls = false) {
    this.#wanted = wanted;
    this.#most = most;
    this.#rolls = rolls;
  }

  /** Whether the run had more events than are kept. If so, the histories are empty, or have only the latest events. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  take(event: TraceEvent): void {
    if (this.#overflowed && !this.#rolls) return;
    if (event.kind === 'world.closing') this.#common.push(event);
    if (!('serial' in event)) return;
    if (this.#wanted(event.serial)) {
      if (event.kind === 'downlink.queued' && isTracked(event.type)) this.#withDownlinks.add(event.serial);
      append(this.#byDevice, event.serial, event);
    }
    if (++this.#count <= this.#most) return;
    this.#overflowed = true;
    if (this.#rolls) this.#forget();
    else {
      this.#byDevice.clear();
      this.#withDownlinks.clear();
    }
  }

  /** Keeps the latest events of each device, the same number for each. A silent device keeps all its few events. */
  #forget(): void {
    const each = Math.max(1, Math.floor(this.#most / (2 * this.#byDevice.size)));
    this.#count = 0;
    for (const events of this.#byDevice.values()) {
      if (events.length > each) events.splice(0, events.length - each);
      this.#count += events.length;
    }
  }

  /** Serial numbers of the devices for which a downlink was queued, in the order of their first event. */
  get withDownlinks(): readonly number[] {
    return [...this.#byDevice.keys()].filter((serial) => this.#withDownlinks.has(serial));
  }

  getHistory(serial: number): DeviceHistory {
    return { serial, events: [...(this.#byDevice.get(serial) ?? []), ...this.#common] };
  }
}

/** What explanations read of histories. */
export type KnownHistories = Pick<Histories, 'getHistory' | 'withDownlinks' | 'overflowed'>;

/** The histories of a run of which nothing is known after `at`: it may go on. Those that overflowed have the latest events. */
export function untilNow(histories: Histories, at: Instant): KnownHistories {
  const end = { kind: 'world.closing', at } as const;
  return {
    overflowed: false,
    withDownlinks: histories.withDownlinks,
    getHistory: (serial) => ({ serial, events: [...histories.getHistory(serial).events, end], goesOn: true }),
  };
}
