/** Checks scenarios in a thread, so that a large scenario neither delays nor ends the run in this process. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ScenarioCheck, ScenarioNames } from '../../control/scenarios.js';
import type { Alarm } from '../../kernel/clock.js';
import { EXIT, GhostfleetError, messageOf } from '../../kernel/errors.js';
import { pathFrom } from '../../kernel/program-files.js';
import { RealClock } from '../../kernel/real-clock.js';
import { type Millis, seconds } from '../../kernel/time.js';
import type { ThreadRequest } from './thread-main.js';

/** Longest check of a text. The time to load the program into the thread is not part of it. */
const PATIENCE: Millis = seconds(20);
/** Memory limit of the thread in MiB: enough for a plan of some 100,000 devices. */
const MEMORY = 512;

interface Thread {
  readonly worker: Worker;
  /** When the program is loaded, which takes a second, and longer on a busy machine. Rejects if the thread ends before. */
  readonly loaded: Promise<unknown>;
  readonly ended: AbortSignal;
}

export class CheckThread {
  readonly #clock = new RealClock();
  readonly #patience: Millis;
  #thread: Thread | undefined;
  /** The latest request: the next one waits for it. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(patience = PATIENCE) {
    this.#patience = patience;
  }

  /** Never rejects: a check without a result is reported as a problem of the scenario. */
  async check(text: string): Promise<ScenarioCheck> {
    try {
      return (await this.#ask(text)) as ScenarioCheck;
    } catch (error) {
      const message = messageOf(error);
      return { problems: [{ line: 1, column: 1, message }], warnings: [], plan: null };
    }
  }

  /**
   * The names that scenarios can use. The first call reads all profiles, which takes a second.
   * @throws GhostfleetError if the thread does not answer
   */
  async names(): Promise<ScenarioNames> {
    return (await this.#ask(null)) as ScenarioNames;
  }

  /** Ends the thread at once. */
  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.worker.terminate();
  }

  #ask(request: ThreadRequest): Promise<unknown> {
    const next = this.#last.then(() => this.#answer(request));
    this.#last = next.catch(() => {});
    return next;
  }

  async #answer(request: ThreadRequest): Promise<unknown> {
    const { worker, loaded, ended } = this.#thread ?? this.#start();
    const tooLong = new AbortController();
    let alarm: Alarm | undefined;
    try {
      await loaded;
      // Only a text can be too large. The names are ours.
      if (request !== null) {
        alarm = this.#clock.after(this.#patience, 'the check of a scenario', () => tooLong.abort());
      }
      const answered = once(worker, 'message', { signal: AbortSignal.any([ended, tooLong.signal]) });
      worker.postMessage(request);
      const [answer] = await answered;
      return answer;
    } catch (error) {
      await this.close();
      throw this.#makeFailure(error, tooLong.signal.aborted);
    } finally {
      alarm?.cancel();
    }
  }

  #start(): Thread {
    const worker = new Worker(pathFrom(import.meta.url, 'check-thread.mjs'), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY },
    });
    // An idle thread must not keep the process alive after the run has finished.
    worker.unref();
    const ending = new AbortController();
    worker.once('exit', () => ending.abort());
    const { signal: ended } = ending;
    // Its first message says that it is loaded.
    this.#thread = { worker, loaded: once(worker, 'message', { signal: ended }), ended };
    return this.#thread;
  }

  #makeFailure(error: unknown, tooLong: boolean): GhostfleetError {
    const { code, message = String(error) } = (error ?? {}) as { readonly code?: string; readonly message?: string };
    if (tooLong) return makeTooLargeError(`its plan takes longer than ${this.#patience / 1000} s`);
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') return makeTooLargeError(`its plan needs more than ${MEMORY} MiB`);
    return new GhostfleetError('no-check', `the scenario cannot be checked: ${message}`, EXIT.internal);
  }
}

function makeTooLargeError(why: string): GhostfleetError {
  return new GhostfleetError('too-large', `the scenario is too large for the console: ${why}`, EXIT.usage);
}
