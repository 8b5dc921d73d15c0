/** Firmware updates: how many got how far, how long that took, and why the others failed. */

import type { Instant } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import { Distribution, type Spread } from '../distribution.js';
import type { UpdateState } from '../events.js';
import { type MetricTable, Tally } from './metric.js';

/** scheduled = succeeded + failed + cancelled + open */
export interface UpdateSummary {
  readonly scheduled: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Under way at the end, or not begun. */
  readonly open: number;
  /** Downloads that lost what they had and began again. */
  readonly restarts: number;
  /** From scheduling to success; left out when none succeeded. */
  readonly duration: Spread | undefined;
  /** Why updates failed. */
  readonly reasons: Readonly<Record<string, number>>;
}

interface Update {
  readonly scheduledAt: Instant;
  state: UpdateState;
  offset: number;
}

/** How the cloud begins to say why (cloud API gaps, 3.9); whatever else it says comes from the device. */
const REVERTED = /^reverted\b/;
const GIVEN_UP = /^given up\b/;

export class UpdateFold {
  readonly #updates = new Map<string, Update>();
  /** The latest of each device. */
  readonly #latest = new Map<number, Update>();
  readonly #reasons = new Tally();
  readonly duration = new Distribution();
  restarts = 0;
  reverted = 0;
  givenUp = 0;

  readonly on: Handlers = {
    'update.moved': ({ at, serial, update, state, offset, why }) => {
      const known = this.#updates.get(update) ?? this.#begun(update, serial, at);
      if (offset < known.offset) this.restarts++;
      const isNews = known.state !== state;
      known.state = state;
      known.offset = offset;
      if (!isNews) return;
      if (state === 'succeeded') this.duration.record(at - known.scheduledAt);
      if (state === 'failed') this.#failed(why);
    },
  };

  get scheduled(): number {
    return this.#updates.size;
  }

  /** Devices that run what they were last updated to. */
  get updatedDevices(): number {
    let count = 0;
    for (const { state } of this.#latest.values()) if (state === 'succeeded') count++;
    return count;
  }

  count(...states: readonly UpdateState[]): number {
    let count = 0;
    for (const { state } of this.#updates.values()) if (states.includes(state)) count++;
    return count;
  }

  /** undefined when there were none. */
  get summary(): UpdateSummary | undefined {
    if (this.scheduled === 0) return undefined;
    return {
      scheduled: this.scheduled,
      succeeded: this.count('succeeded'),
      failed: this.count('failed'),
      cancelled: this.count('cancelled'),
      open: this.count(...OPEN),
      restarts: this.restarts,
      duration: this.duration.spread(),
      reasons: this.#reasons.toRecord(),
    };
  }

  #begun(id: string, serial: number, scheduledAt: Instant): Update {
    const update: Update = { scheduledAt, state: 'scheduled', offset: 0 };
    this.#updates.set(id, update);
    this.#latest.set(serial, update);
    return update;
  }

  #failed(why: string): void {
    this.#reasons.add(why);
    if (REVERTED.test(why)) this.reverted++;
    if (GIVEN_UP.test(why)) this.givenUp++;
  }
}

const OPEN = ['scheduled', 'downloading', 'swapping'] as const;

export const UPDATE_METRICS: MetricTable<UpdateFold> = {
  'update.scheduled': { about: 'firmware updates that the API accepted', count: (fold) => fold.scheduled },
  'update.succeeded': {
    about: 'from there until a session of the device showed the new version',
    durations: (fold) => fold.duration,
  },
  'update.failed': {
    about: 'firmware updates that failed, whatever the reason',
    count: (fold) => fold.count('failed'),
  },
  'update.reverted': { about: '… because the device runs another version afterwards', count: (fold) => fold.reverted },
  'update.given-up': { about: '… because the download was broken off too often', count: (fold) => fold.givenUp },
  'update.cancelled': {
    about: 'firmware updates that were cancelled, or whose device was removed',
    count: (fold) => fold.count('cancelled'),
  },
  'update.open': { about: 'firmware updates that had not ended at the end', count: (fold) => fold.count(...OPEN) },
  'update.restarts': {
    about: 'downloads of firmware that lost what they had, and began again',
    count: (fold) => fold.restarts,
  },
  'device.updated': {
    about: 'devices whose latest firmware update has succeeded: they run its version',
    count: (fold) => fold.updatedDevices,
  },
};
