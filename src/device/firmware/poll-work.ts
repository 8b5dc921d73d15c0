/**
 * The work item that polls, on the queue of the cloud connection (timing T-20, T-21).
 *
 * | the item is | a request | a failure |
 * |---|---|---|
 * | idle | queues it | – |
 * | queued, or waiting for its retry | has no effect | – |
 * | running | queues one more poll | starts the retry (CHESTER: 5 min), unless one more poll is queued |
 *
 * hio devices have no retry: a failed poll is over (timing T-20).
 *
 * A request is a tick of `interval-poll`, a poll flag, or a command; all have the same effect.
 */
import type { Alarm, Clock } from '../../kernel/clock.js';
import type { Millis } from '../../kernel/time.js';

/** Runs the polls of the work item. */
export interface PollHandler {
  readonly clock: Clock;
  /** Time until a failed poll is repeated; undefined if it is not repeated. */
  readonly retryAfter: Millis | undefined;
  /** Polls once, and calls `done` with the result. */
  poll(done: (ok: boolean) => void): void;
}

export class PollWork {
  readonly #handler: PollHandler;
  /** False during the session phase, which occupies the queue. */
  #open = false;
  #closing = false;
  #queued = false;
  #running = false;
  #retry: Alarm | undefined;

  constructor(handler: PollHandler) {
    this.#handler = handler;
  }

  /** Whether a poll is queued or running. */
  get busy(): boolean {
    return this.#running || (this.#open && this.#queued);
  }

  /** The session phase is over: a poll that was requested meanwhile runs now. */
  open(): void {
    this.#open = true;
    this.beginNext();
  }

  request(): void {
    if (this.#queued || this.#retry) return;
    this.#queued = true;
    this.beginNext();
  }

  /** Cancels the retry of a failed poll and prevents further retries. */
  close(): void {
    this.#closing = true;
    this.#retry?.cancel();
  }

  /** The RAM is lost. */
  clear(): void {
    this.close();
    this.#open = false;
  }

  private beginNext(): void {
    if (!this.#open || this.#running || !this.#queued) return;
    this.#queued = false;
    this.#running = true;
    this.#handler.poll((ok) => {
      this.#running = false;
      if (!ok && !this.#queued && !this.#closing) this.retryLater();
      this.beginNext();
    });
  }

  private retryLater(): void {
    const { clock, retryAfter } = this.#handler;
    if (retryAfter === undefined) return;
    this.#retry = clock.after(retryAfter, 'the retry of a failed poll', () => {
      this.#retry = undefined;
      this.request();
    });
  }
}
