/**
 * The limit of requests a second to another cloud (`--rate`), for all requests of a run together: its own, and those of its loads.
 * A request counts from when it is sent, however long it waited for a connection before.
 */
import type { Alarm, Clock } from '../../kernel/clock.js';
import { asError } from '../../kernel/errors.js';
import { Semaphore } from '../../kernel/semaphore.js';
import type { Instant, Millis } from '../../kernel/time.js';

export class RequestLimit {
  /** Requests that may be sent in an interval. */
  readonly #places: Semaphore;
  readonly #interval: Millis;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  /** Of all requests of loads, only the first one waits among those of the run: the run does not wait for every user of a load. */
  readonly #ofLoads = new Semaphore(1);
  /** When the places of requests that were sent are free again, from {@link #next} on. */
  #free: Instant[] = [];
  #next = 0;
  #alarm: Alarm | undefined;

  /** @param clock real time */
  constructor(perSecond: number, clock: Pick<Clock, 'now' | 'after'>) {
    // Without a whole number, requests have equal distances: two intervals of 800 ms with 2 requests would give 4 in a second.
    const most = Number.isInteger(perSecond) ? perSecond : 1;
    this.#places = new Semaphore(most);
    this.#interval = Math.ceil((1e6 * most) / perSecond) / 1000;
    this.#clock = clock;
  }

  /**
   * Resolves when a request of the run itself may be sent. It must be sent then.
   * @throws the reason of `signal` if that is aborted meanwhile
   */
  async turn(signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      let isOver = false;
      const end = () => {
        isOver = true;
        reject(asError(signal?.reason));
      };
      signal?.addEventListener('abort', end, { once: true });
      this.#acquire(() => {
        signal?.removeEventListener('abort', end);
        if (isOver) this.giveBack();
        else resolve();
      });
    });
    this.sent();
  }

  /** Calls `begin` when a request of a load may be sent, at once if possible. Call {@link sent} or {@link giveBack} after that. */
  admit(begin: () => void): void {
    this.#ofLoads.acquire(() =>
      this.#acquire(() => {
        this.#ofLoads.release();
        begin();
      }),
    );
  }

  /** The request is sent now. */
  sent(): void {
    this.#free.push(this.#clock.now + this.#interval);
    this.#watch();
  }

  /** The request is not sent. */
  giveBack(): void {
    this.#places.release();
  }

  #acquire(begin: () => void): void {
    this.#collect();
    this.#places.acquire(begin);
    this.#watch();
  }

  #collect(): void {
    const { now } = this.#clock;
    for (let due = this.#free[this.#next]; due !== undefined && due <= now; due = this.#free[this.#next]) {
      if (++this.#next * 2 >= this.#free.length) {
        this.#free = this.#free.slice(this.#next);
        this.#next = 0;
      }
      this.#places.release();
    }
  }

  #watch(): void {
    const due = this.#free[this.#next];
    if (this.#alarm !== undefined || due === undefined || this.#places.waiting === 0) return;
    this.#alarm = this.#clock.after(Math.max(0, due - this.#clock.now), 'the limit of requests', () => {
      this.#alarm = undefined;
      this.#collect();
      this.#watch();
    });
  }
}

/**
 * Calls `begin` when the limit admits a request of a load, without a limit at once.
 * @param clock time of the run
 * @param begin gets the time for which the request was held back
 */
export function admitted(
  limit: RequestLimit | undefined,
  clock: Pick<Clock, 'now'>,
  begin: (held: Millis) => void,
): void {
  if (limit === undefined) return begin(0);
  const since = clock.now;
  let isAtOnce = true;
  limit.admit(() => begin(isAtOnce ? 0 : clock.now - since));
  isAtOnce = false;
}
