/** The main thread's handle on another thread of `shrink`, in which scenario texts are run. */

import { EXIT, GhostfleetError, messageOf } from '../kernel/errors.js';
import { pathFrom } from '../kernel/program-files.js';
import { AnsweringThread } from '../runner/threads.js';
import type { AttemptOutcome, AttemptSettings } from './attempt.js';

export class AttemptThread extends AnsweringThread<string, AttemptOutcome | undefined> {
  constructor(settings: AttemptSettings) {
    super(pathFrom(import.meta.url, 'attempt-thread.mjs'), settings);
  }

  /**
   * Runs a scenario text in the thread. The thread makes one attempt at a time: wait for the outcome before the next call.
   * @param signal interrupts the run
   * @returns undefined for an invalid scenario, and for one that cannot be run
   * @throws GhostfleetError if the thread fails, for example because its memory is full
   */
  async tryText(text: string, signal: AbortSignal): Promise<AttemptOutcome | undefined> {
    try {
      return await this.ask(text, signal);
    } catch (error) {
      const message = messageOf(error);
      const hint = 'with --workers 1, all attempts run in the main thread, one after another, and need less memory';
      throw new GhostfleetError('no-attempt', `a thread of shrink has failed: ${message}`, EXIT.internal, hint);
    }
  }
}
