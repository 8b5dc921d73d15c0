/** Metrics of firmware updates: how many succeeded, how long the successful ones took, and why others failed. */

import type { Instant, Millis } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import { Distribution, type Spread } from '../distribution.js';
import type { UpdateState } from '../events.js';
import { type MetricTable, type Missing, type Share, Tally } from './metric.js';
import { addRejected, REJECTED, Rejections } from './rejections.js';

/** scheduled = succeeded + failed + cancelled + open */
export interface UpdateSummary {
  readonly scheduled: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Updates that were in progress or not started at the end. */
  readonly open: number;
  /** Downloads that lost their progress and restarted. */
  readonly restarts: number;
  /** Time from scheduling to success; undefined when no update succeeded. */
  readonly duration: Spread | undefined;
  /** Why updates failed. */
  readonly reasons: Readonly<Record<string, number>>;
}

interface Update {
  readonly scheduledAt: Instant;
  /** Time from scheduling to success; undefined until then. */
  took: Millis | undefined;
  state: UpdateState;
  offset: number;
}

/** The first words of the reasons that the cloud gives (cloud C-37); other reasons come from the device. */
const REVERTED = /^reverted\b/;
const GIVEN_UP = /^given up\b/;

export class UpdateFold {
  readonly #updates = new Map<string, Update>();
  readonly #latest = new Map<number, Update>();
  readonly #reasons = new Tally();
  readonly #rejections = new Rejections();
  readonly duration = new Distribution();
  restarts = 0;
  reverted = 0;
  givenUp = 0;

  readonly on: Handlers = {
    ...this.#rejections.on,
    'update.moved': ({ at, serial, update, state, offset, why }) => {
      const known = this.#updates.get(update) ?? this.#beginUpdate(update, serial, at);
      if (offset < known.offset) this.restarts++;
      const stateChanged = known.state !== state;
      known.state = state;
      known.offset = offset;
      if (!stateChanged) return;
      if (state === 'succeeded') {
        known.took = at - known.scheduledAt;
        this.duration.record(known.took);
      }
      if (state === 'failed') this.#noteFailed(why);
    },
  };

  get scheduled(): number {
    return this.#updates.size;
  }

  /** Devices whose latest update has succeeded. */
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

  /** Number of updates that have not succeeded, by state, including those that the API rejected. */
  get missing(): Missing {
    const rejected = this.rejected;
    return {
      failed: this.count('failed'),
      cancelled: this.count('cancelled'),
      open: this.count(...OPEN),
      ...(rejected > 0 && { [REJECTED]: rejected }),
    };
  }

  /** The share of updates that succeeded within `limit`, of all that were scheduled or rejected. */
  within(limit: Millis, now: Instant): Share {
    const share = { total: this.scheduled, within: 0, open: 0 };
    for (const { scheduledAt, took, state } of this.#updates.values()) {
      const canSucceed = state !== 'failed' && state !== 'cancelled';
      if (took !== undefined && took <= limit) share.within++;
      else if (took === undefined && canSucceed && now - scheduledAt < limit) share.open++;
    }
    return addRejected(share, this.rejected);
  }

  /** undefined when the run had no updates. */
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
      reasons: this.#reasons.makeRecord(),
    };
  }

  /** Updates that the API rejected. They are not among {@link scheduled}. */
  get rejected(): number {
    return this.#rejections.count((type) => type === 'firmware');
  }

  #beginUpdate(id: string, serial: number, scheduledAt: Instant): Update {
    const update: Update = { scheduledAt, took: undefined, state: 'scheduled', offset: 0 };
    this.#updates.set(id, update);
    this.#latest.set(serial, update);
    return update;
  }

  #noteFailed(why: string): void {
    this.#reasons.add(why);
    if (REVERTED.test(why)) this.reverted++;
    if (GIVEN_UP.test(why)) this.givenUp++;
  }
}

const OPEN = ['scheduled', 'downloading', 'swapping'] as const;

export const UPDATE_METRICS: MetricTable<UpdateFold> = {
  'update.scheduled': { about: 'firmware updates that the API accepted', count: (fold) => fold.scheduled },
  'update.rejected': {
    about: 'firmware updates of steps that the API rejected, so that they were never scheduled',
    count: (fold) => fold.rejected,
  },
  'update.succeeded': {
    about: 'time from the API until the device acknowledged the image or began a session with its version',
    durations: (fold) => fold.duration,
    missing: (fold) => fold.missing,
    within: (fold, limit, now) => fold.within(limit, now),
  },
  'update.failed': {
    about: 'firmware updates that failed for any reason',
    count: (fold) => fold.count('failed'),
  },
  'update.reverted': {
    about: 'firmware updates that failed because the device runs its old image afterwards',
    count: (fold) => fold.reverted,
  },
  'update.given-up': {
    about: 'firmware updates that failed because the download was interrupted too often',
    count: (fold) => fold.givenUp,
  },
  'update.cancelled': {
    about: 'firmware updates that were cancelled, or whose device was deleted',
    count: (fold) => fold.count('cancelled'),
  },
  'update.open': {
    about: 'firmware updates that were not finished at the end of the run',
    count: (fold) => fold.count(...OPEN),
  },
  'update.restarts': {
    about: 'firmware downloads that lost their progress and restarted',
    count: (fold) => fold.restarts,
  },
  'device.updated': {
    about: 'devices whose latest firmware update has succeeded',
    count: (fold) => fold.updatedDevices,
  },
};
