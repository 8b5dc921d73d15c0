/**
 * Work that changes the same thing, such as a record: one piece at a time. Concurrent changes would conflict, and of each round of
 * conflicts one change would succeed. The callers take turns, so that none can hold off the change of another: a leaked key
 * must not prevent its own deletion.
 */
import { StoreBusy } from './bounded-commits.js';
import { FairQueue } from './fair-queue.js';

/** Most calls of one caller for one thing that wait: more than the downlinks that a device can have. */
const MOST = 2_000;

type Line = FairQueue<() => Promise<void>>;

export class OneByOne {
  readonly #lines = new Map<string, Line>();

  /**
   * Runs `work` when it is its turn; the calls of a caller in their order.
   * @param caller default: all calls are of the same caller
   * @throws StoreBusy at once if too many calls of the caller wait for this thing
   */
  run<T>(thing: string, work: () => Promise<T>, caller = ''): Promise<T> {
    const line = this.#lines.get(thing) ?? new FairQueue({ all: 1, tenant: () => 1, part: 1 });
    if (line.waiting(caller) >= MOST) return Promise.reject(new StoreBusy());
    this.#lines.set(thing, line);
    return new Promise((resolve, reject) => {
      line.add({ tenant: caller, part: '' }, () => work().then(resolve, reject));
      this.#begin(thing, line);
    });
  }

  /** Begins the next piece of work, unless one is in progress. @returns whether it did */
  #begin(thing: string, line: Line): boolean {
    const turn = line.start();
    if (turn === undefined) return false;
    void turn.task().then(() => {
      // Every piece counts the same: a measured time would make the order of a simulation depend on the machine.
      turn.end(1);
      if (!this.#begin(thing, line)) this.#lines.delete(thing);
    });
    return true;
  }
}
