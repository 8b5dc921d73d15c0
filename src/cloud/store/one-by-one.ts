/**
 * Work that changes the same thing, such as a record: one after another in the order of the calls. Concurrent changes would
 * conflict, and of each round of conflicts one change would succeed.
 */
import { StoreBusy } from './bounded-commits.js';

/** Most calls for one thing that wait: more than the downlinks that a device can have. */
const MOST = 2_000;

interface Line {
  last: Promise<unknown>;
  /** Number of calls that wait or run. */
  length: number;
}

export class OneByOne {
  readonly #lines = new Map<string, Line>();

  /**
   * Runs `work` when all that was called before for the same thing has ended.
   * @throws StoreBusy at once if too many calls for this thing wait
   */
  async run<T>(thing: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(thing) ?? { last: Promise.resolve(), length: 0 };
    if (line.length > MOST) throw new StoreBusy();
    this.#lines.set(thing, line);
    line.length++;
    const turn = line.last.then(work);
    line.last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      line.length--;
      if (line.length === 0) this.#lines.delete(thing);
    }
  }
}
