/** Runs maintenance in rounds, an hour apart, each in batches, so that the store can serve devices between them. */
import type { EdgeClock } from '../../kernel/clock.js';
import { repeatWork } from '../../kernel/repeat-work.js';
import { hours, type Millis, millis } from '../../kernel/time.js';

/** Maximum number of rows of a batch. A smaller batch ends the round. */
export const BATCH = 500;
const PAUSE = millis(50);
const ROUND = hours(1);

interface RoundsOptions {
  readonly clock: EdgeClock;
  /** Names the work in errors, such as `the deletion of old messages`. */
  readonly what: string;
  /**
   * Pause after a full batch. Default 50 ms: a store that needs 50 ms for a batch is free half of the time. With 0, one alarm
   * runs all batches, so that other maintenance at the same instant comes before all of them or after all of them.
   */
  readonly batchPause?: Millis | undefined;
  /** Processes at most {@link BATCH} rows, and returns how many it has found. It must not fail. */
  readonly batch: () => Promise<number>;
  /** Called after the batches of an alarm, with the number of their rows. */
  readonly ended?: (rows: number) => void;
}

export class Rounds {
  readonly #options: RoundsOptions;
  readonly #end: () => Promise<void>;
  #stopped = false;

  constructor(options: RoundsOptions) {
    this.#options = options;
    this.#end = repeatWork(options.clock, options.what, () => this.#batches());
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Starts no further batch, and waits for the running one. */
  stop(): Promise<void> {
    this.#stopped = true;
    return this.#end();
  }

  /** Returns the pause after these batches. */
  async #batches(): Promise<Millis> {
    const { batch, ended, batchPause = PAUSE } = this.#options;
    let rows = 0;
    let last: number;
    do {
      last = await batch();
      rows += last;
    } while (batchPause === 0 && last === BATCH && !this.#stopped);
    ended?.(rows);
    return last < BATCH ? ROUND : batchPause;
  }
}
