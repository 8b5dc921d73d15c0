/**
 * A worker thread (worker.mjs) that runs one script at a time. A watchdog in real time ends the thread if a script is too slow.
 */

import { Worker } from 'node:worker_threads';
import type { Alarm, Clock } from '../../../kernel/clock.js';
import { isTooDeep, TOO_DEEP } from '../../../kernel/json-size.js';
import { pathFrom } from '../../../kernel/program-files.js';
import { type Millis, seconds } from '../../../kernel/time.js';
import { type Limits, type Script, type ScriptResult, TOO_LONG, TOO_MUCH, type WorkerAnswer } from './script.js';

const WATCHDOG = seconds(3);
/** Time limit for the start of a thread, long enough for a busy machine. */
const START = seconds(30);

/** `died`: the thread ended during the script, but perhaps because of an earlier script. So the script has to run again. */
type ThreadResult = ScriptResult | { readonly kind: 'died' };

/** The part of a thread that the sandbox uses. */
export interface ScriptThread {
  /** Whether the thread can run further scripts. */
  readonly usable: boolean;
  /** Runs a script; one at a time. Rejects only if the thread does not start or is closed. */
  run(script: Script): Promise<ThreadResult>;
  /** Ends the thread and with it a running script. */
  close(): Promise<void>;
}

/** The watchdog has ended the thread. */
class TooLate extends Error {}

export class Closed extends Error {
  constructor() {
    super('the sandbox is closed');
  }
}

export class Thread implements ScriptThread {
  readonly #patience: Clock;
  readonly #worker: Worker;
  readonly #started: Promise<unknown>;
  /** Settles the promise for the next message of the worker. */
  #pending: { readonly resolve: (message: unknown) => void; readonly reject: (error: Error) => void } | undefined;
  #usable = true;
  /** Whether the thread has run a script. */
  #used = false;

  /** @param patience clock of the time limits: real time, also in a simulation */
  constructor(patience: Clock, limits: Limits) {
    this.#patience = patience;
    this.#worker = new Worker(pathFrom(import.meta.url, 'worker.mjs'), {
      workerData: limits,
      // The thread gets no environment variables, because they may hold secrets, and no module loaders.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 },
    });
    this.#worker.on('message', (message) => this.#pending?.resolve(message));
    this.#worker.on('error', (error) => this.#lost(error));
    this.#worker.on('exit', () => this.#lost(new Error('the thread has ended')));
    this.#started = this.#next(START);
  }

  get usable(): boolean {
    return this.#usable;
  }

  async run(script: Script): Promise<ThreadResult> {
    // A running script keeps the process alive; an idle thread does not (`unref` below).
    this.#worker.ref();
    await this.#started;
    try {
      return await this.#run(script);
    } catch (error) {
      if (error instanceof Closed) throw error;
      if (error instanceof TooLate) return { kind: 'failed', why: TOO_LONG };
      // A failure of a thread that has run nothing else is caused by this script.
      return this.#used ? { kind: 'died' } : { kind: 'failed', why: TOO_MUCH };
    } finally {
      this.#used = true;
      if (this.#usable) this.#worker.unref();
    }
  }

  close(): Promise<void> {
    return this.#end(new Closed());
  }

  async #run({ spaceId, source, job, now, seed }: Script): Promise<ScriptResult> {
    const answer = this.#next(WATCHDOG);
    this.#worker.postMessage({ spaceId, source, job: job === undefined ? undefined : JSON.stringify(job), now, seed });
    // The cast is safe because worker.mjs sends only this type in answer to a script.
    return resultOf((await answer) as WorkerAnswer);
  }

  /** The next message of the worker. */
  #next(within: Millis): Promise<unknown> {
    let alarm: Alarm | undefined;
    const next = new Promise<unknown>((resolve, reject) => {
      this.#pending = { resolve, reject };
      alarm = this.#patience.after(within, 'a script', () => void this.#end(new TooLate(TOO_LONG)));
    });
    return next.finally(() => alarm?.cancel());
  }

  async #end(why: Error): Promise<void> {
    this.#lost(why);
    await this.#worker.terminate();
  }

  #lost(error: Error): void {
    this.#usable = false;
    this.#pending?.reject(error);
  }
}

function resultOf(answer: WorkerAnswer): ScriptResult {
  if ('error' in answer) return { kind: 'failed', why: answer.error.slice(0, 500) };
  if (isTooDeep(answer.json)) return { kind: 'failed', why: TOO_DEEP };
  return { kind: 'value', value: JSON.parse(answer.json) };
}
