/** The main thread's handle on another thread of `shrink`, in which scenario texts are run. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { EXIT, GhostfleetError, messageOf } from '../kernel/errors.js';
import type { AttemptOutcome, AttemptSettings } from './attempt.js';
import type { AttemptRequest } from './attempt-thread-main.js';

export class AttemptThread {
  readonly #worker: Worker;
  /** Rejects when the thread fails or ends. */
  readonly #ended: Promise<never>;

  constructor(settings: AttemptSettings) {
    this.#worker = new Worker(new URL('./attempt-thread.mjs', import.meta.url), { workerData: settings });
    this.#ended = once(this.#worker, 'exit').then(() => {
      throw new Error('it has ended');
    });
    // Without a handler, an end of the thread between two attempts would be an unhandled rejection.
    this.#ended.catch(() => {});
  }

  /**
   * Runs a scenario text in the thread. The thread makes one attempt at a time: wait for the outcome before the next call.
   * @param signal interrupts the run
   * @returns undefined for an invalid scenario, and for one that cannot be run
   * @throws GhostfleetError if the thread fails, for example because its memory is full
   */
  async tryText(text: string, signal: AbortSignal): Promise<AttemptOutcome | undefined> {
    const interrupt = () => this.#send(null);
    signal.addEventListener('abort', interrupt);
    try {
      const answered = once(this.#worker, 'message');
      this.#send(text);
      const [outcome] = await Promise.race([answered, this.#ended]);
      return outcome;
    } catch (error) {
      const message = messageOf(error);
      const hint = 'with --workers 1, all attempts run in the main thread, one after another, and need less memory';
      throw new GhostfleetError('no-attempt', `a thread of shrink has failed: ${message}`, EXIT.internal, hint);
    } finally {
      signal.removeEventListener('abort', interrupt);
    }
  }

  /** Ends the thread at once. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(request: AttemptRequest): void {
    this.#worker.postMessage(request);
  }
}
