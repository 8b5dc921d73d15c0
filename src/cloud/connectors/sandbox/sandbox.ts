/**
 * Runs users' scripts in worker threads (worker.mjs), with limits on time and memory.
 *
 * Two limits end a script. QuickJS counts its steps; the count depends only on the script, so that an endless loop fails the
 * same way on every machine. But one call into the engine (sorting a million strings, a regular expression that backtracks)
 * counts as a single step. So a watchdog in real time ends the whole thread, and a new one replaces it.
 *
 * A script keeps no state between calls: each call gets a new JavaScript context with its own `Date` and `Math.random`, so that
 * the same job gives the same result. The scripts of one connector use at most one thread; the other threads remain free for
 * other connectors.
 */
import { Worker } from 'node:worker_threads';
import type { Alarm, Clock } from '../../../kernel/clock.js';
import { isTooDeep, TOO_DEEP } from '../../../kernel/json-depth.js';
import { type Millis, seconds, type UnixMillis } from '../../../kernel/time.js';

interface Script {
  /** Scripts of the same owner run one after another. */
  readonly owner: string;
  /** JavaScript, ES2020, with a function `main(job)`. */
  readonly source: string;
  /** Argument of `main`: a JSON value. */
  readonly job: unknown;
  /** Current time of `Date` in the script. */
  readonly now: UnixMillis;
  /** Seed of `Math.random`; positive. */
  readonly seed: number;
}

type ScriptResult =
  /** The value that `main` returned, as a JSON value; null for undefined. */
  | { readonly kind: 'value'; readonly value: unknown }
  /** The script failed; `why` is the message for its author. */
  | { readonly kind: 'failed'; readonly why: string };

/** The worker's answer to a script: JSON text, or an error. */
export type WorkerAnswer =
  | { readonly json: string }
  /** `spent`: the thread cannot run another script. */
  | { readonly error: string; readonly spent?: boolean };

export interface Limits {
  /** Most bytes of a script's heap. */
  readonly memory: number;
  /** Most bytes of a script's stack. */
  readonly stack: number;
  /** Most calls of the engine's interrupt handler, which it calls every 10,000 steps. */
  readonly interrupts: number;
  /** Most characters of the returned value as JSON. */
  readonly output: number;
}

export const LIMITS: Limits = { memory: 33_554_432, stack: 262_144, interrupts: 5000, output: 1_048_576 };
const WATCHDOG = seconds(3);
/** Longest start of a thread; generous, for a busy machine. */
const START = seconds(30);
const THREADS = 2;

interface Task {
  readonly script: Script;
  readonly resolve: (result: ScriptResult) => void;
  readonly reject: (error: Error) => void;
}

export class Sandbox {
  readonly #patience: Clock;
  readonly #limits: Limits;
  readonly #waiting: Task[] = [];
  #threads: Thread[] = [];
  #closed = false;

  /** @param patience real time, also in a simulation */
  constructor(patience: Clock, limits = LIMITS) {
    this.#patience = patience;
    this.#limits = limits;
  }

  /** Runs a script. Rejects only if no thread can be started or the sandbox is closed. */
  run(script: Script): Promise<ScriptResult> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Closed());
      this.#waiting.push({ script, resolve, reject });
      this.#next();
    });
  }

  /** Ends all threads; running and waiting scripts are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#waiting.splice(0)) task.reject(new Closed());
    await Promise.all(this.#threads.splice(0).map((thread) => thread.end(new Closed())));
  }

  /** Assigns waiting scripts to idle threads. */
  #next(): void {
    for (;;) {
      const at = this.#waiting.findIndex(({ script }) => this.#threads.every(({ owner }) => owner !== script.owner));
      const task = this.#waiting[at];
      const thread = task && (this.#threads.find(({ isIdle }) => isIdle) ?? this.#newThread());
      if (!thread) return;
      this.#waiting.splice(at, 1);
      void thread.perform(task).then((usable) => {
        if (!usable) this.#threads = this.#threads.filter((other) => other !== thread);
        this.#next();
      });
    }
  }

  #newThread(): Thread | undefined {
    if (this.#closed || this.#threads.length >= THREADS) return undefined;
    const thread = new Thread(this.#patience, this.#limits);
    this.#threads.push(thread);
    return thread;
  }
}

/** One worker, one script at a time. */
class Thread {
  readonly #patience: Clock;
  readonly #worker: Worker;
  readonly #started: Promise<unknown>;
  /** Settles the promise for the next message of the worker. */
  #pending: { readonly resolve: (message: unknown) => void; readonly reject: (error: Error) => void } | undefined;
  #owner: string | undefined;
  #usable = true;

  constructor(patience: Clock, limits: Limits) {
    this.#patience = patience;
    this.#worker = new Worker(new URL('./worker.mjs', import.meta.url), {
      workerData: limits,
      // No environment variables, which may hold secrets, and no module loaders.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 },
    });
    this.#worker.on('message', (message) => this.#pending?.resolve(message));
    this.#worker.on('error', (error) => this.#lost(error));
    this.#worker.on('exit', () => this.#lost(new Error('the thread has ended')));
    this.#started = this.#next(START);
  }

  /** Owner of the running script; undefined if there is none. */
  get owner(): string | undefined {
    return this.#owner;
  }

  /** Whether it can run a script now. A thread that a script has used up stays in the list for a moment. */
  get isIdle(): boolean {
    return this.#usable && this.#owner === undefined;
  }

  /** Settles the task; resolves with whether the thread can be used again. */
  async perform(task: Task): Promise<boolean> {
    this.#owner = task.script.owner;
    // An idle thread does not keep the process alive.
    this.#worker.ref();
    try {
      await this.#started;
      task.resolve(await this.#run(task.script));
    } catch (error) {
      task.reject(error instanceof Error ? error : new Error(String(error)));
    }
    if (this.#usable) this.#worker.unref();
    this.#owner = undefined;
    return this.#usable;
  }

  async end(why: Error): Promise<void> {
    this.#lost(why);
    await this.#worker.terminate();
  }

  async #run({ source, job, now, seed }: Script): Promise<ScriptResult> {
    try {
      const answer = this.#next(WATCHDOG);
      this.#worker.postMessage({ source, job: JSON.stringify(job), now, seed });
      // Because worker.mjs sends only this type in answer to a script.
      const received = (await answer) as WorkerAnswer;
      if ('error' in received && received.spent) await this.end(new Error('the thread is spent'));
      return resultOf(received);
    } catch (error) {
      if (error instanceof Closed) throw error;
      // Any failure of a thread while it runs a script is caused by the script.
      return { kind: 'failed', why: error instanceof TooLate ? TOO_LONG : TOO_MUCH };
    }
  }

  /** The next message of the worker. */
  #next(within: Millis): Promise<unknown> {
    let alarm: Alarm | undefined;
    const next = new Promise<unknown>((resolve, reject) => {
      this.#pending = { resolve, reject };
      alarm = this.#patience.after(within, 'a script', () => void this.end(new TooLate(TOO_LONG)));
    });
    return next.finally(() => alarm?.cancel());
  }

  #lost(error: Error): void {
    this.#usable = false;
    this.#pending?.reject(error);
  }
}

const TOO_LONG = 'the script took too long';
const TOO_MUCH = 'the script used too much memory, or nested too deeply';

/** The watchdog has ended the thread. */
class TooLate extends Error {}

class Closed extends Error {
  constructor() {
    super('the sandbox is closed');
  }
}

function resultOf(answer: WorkerAnswer): ScriptResult {
  if ('error' in answer) return { kind: 'failed', why: answer.error.slice(0, 500) };
  if (isTooDeep(answer.json)) return { kind: 'failed', why: TOO_DEEP };
  return { kind: 'value', value: JSON.parse(answer.json) };
}
