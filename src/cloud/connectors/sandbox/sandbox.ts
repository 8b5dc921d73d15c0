/**
 * Runs users' scripts: never in this thread, and never longer than allowed. worker.mjs is the other side.
 *
 * Two things end a script. QuickJS counts its steps, which depends on the script alone: an endless loop fails the same way on
 * every machine. But one call into the engine (sorting a million texts, a pattern that backtracks) counts as a single step; so
 * there is a watchdog here, in real time, that ends the whole thread and starts another.
 *
 * A script remembers nothing from call to call: each runs in a world of its own, with its own `Date` and `Math.random`, so
 * that the same job gives the same result. One connector keeps one thread busy at most, and the others for the rest.
 */
import { Worker } from 'node:worker_threads';
import type { Alarm, Clock } from '../../../kernel/clock.js';
import { isTooDeep, TOO_DEEP } from '../../../kernel/json-depth.js';
import { type Millis, seconds, type UnixMillis } from '../../../kernel/time.js';

export interface Script {
  /** Scripts of the same owner run one after another. */
  readonly owner: string;
  /** JavaScript, ES2020, with a function `main(job)`. */
  readonly source: string;
  /** A JSON value. */
  readonly job: unknown;
  /** What `Date` takes for the present. */
  readonly now: UnixMillis;
  /** Of `Math.random`; positive. */
  readonly seed: number;
}

export type ScriptResult =
  /** What `main` returned, as a JSON value; null also for undefined. */
  | { readonly kind: 'value'; readonly value: unknown }
  /** The script is at fault; `why` is for its author. */
  | { readonly kind: 'failed'; readonly why: string };

/** What the worker says of a script. */
export type Outcome =
  | { readonly json: string }
  /** `spent`: the thread is of no use any more. */
  | { readonly error: string; readonly spent?: boolean };

export interface Limits {
  /** Bytes that a script may allocate, and its stack. */
  readonly memory: number;
  readonly stack: number;
  /** The engine asks every 10,000 steps whether it should go on; that often it is told yes. */
  readonly interrupts: number;
  /** Characters of what `main` returns, as JSON. */
  readonly output: number;
}

const LIMITS: Limits = { memory: 33_554_432, stack: 262_144, interrupts: 5000, output: 1_048_576 };
const WATCHDOG = seconds(3);
/** How long a thread may take to start, on a machine that is busy. */
const START = seconds(30);
const THREADS = 2;

interface Task {
  readonly script: Script;
  readonly resolve: (result: ScriptResult) => void;
  readonly reject: (error: Error) => void;
}

export class Sandbox {
  readonly #patience: Clock;
  readonly #waiting: Task[] = [];
  #threads: Thread[] = [];
  #closed = false;

  /** @param patience real time, also in a simulation */
  constructor(patience: Clock) {
    this.#patience = patience;
  }

  /** Rejects only when no thread can be started, or the sandbox is closed. */
  run(script: Script): Promise<ScriptResult> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Closed());
      this.#waiting.push({ script, resolve, reject });
      this.#next();
    });
  }

  /** Ends all threads; what runs or waits is rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#waiting.splice(0)) task.reject(new Closed());
    await Promise.all(this.#threads.splice(0).map((thread) => thread.end(new Closed())));
  }

  /** Gives idle threads something to do. */
  #next(): void {
    for (;;) {
      const at = this.#waiting.findIndex(({ script }) => this.#threads.every(({ owner }) => owner !== script.owner));
      const task = this.#waiting[at];
      const thread = task && (this.#threads.find(({ owner }) => owner === undefined) ?? this.#newThread());
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
    const thread = new Thread(this.#patience);
    this.#threads.push(thread);
    return thread;
  }
}

/** One worker, one script at a time. */
class Thread {
  readonly #patience: Clock;
  readonly #worker: Worker;
  readonly #started: Promise<unknown>;
  /** Ends the wait for what the worker says next. */
  #heard: { readonly said: (message: unknown) => void; readonly gone: (error: Error) => void } | undefined;
  #owner: string | undefined;
  #usable = true;

  constructor(patience: Clock) {
    this.#patience = patience;
    this.#worker = new Worker(new URL('./worker.mjs', import.meta.url), {
      workerData: LIMITS,
      // Nothing of the environment, with its secrets, and no loaders.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 },
    });
    this.#worker.on('message', (message) => this.#heard?.said(message));
    this.#worker.on('error', (error) => this.#lost(error));
    this.#worker.on('exit', () => this.#lost(new Error('the thread has ended')));
    this.#started = this.#next(START);
  }

  /** Whose script is running. */
  get owner(): string | undefined {
    return this.#owner;
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
      // Because worker.mjs says nothing else.
      const outcome = (await answer) as Outcome;
      if ('error' in outcome && outcome.spent) await this.end(new Error('the thread is spent'));
      return resultOf(outcome);
    } catch (error) {
      if (error instanceof Closed) throw error;
      // Whatever has happened to a thread that ran a script, the script did it.
      return { kind: 'failed', why: error instanceof TooLate ? TOO_LONG : TOO_MUCH };
    }
  }

  /** What the worker says next. */
  #next(within: Millis): Promise<unknown> {
    let alarm: Alarm | undefined;
    const next = new Promise<unknown>((said, gone) => {
      this.#heard = { said, gone };
      alarm = this.#patience.after(within, 'a script', () => void this.end(new TooLate(TOO_LONG)));
    });
    return next.finally(() => alarm?.cancel());
  }

  #lost(error: Error): void {
    this.#usable = false;
    this.#heard?.gone(error);
  }
}

const TOO_LONG = 'the script took too long';
const TOO_MUCH = 'the script used too much memory, or nested too deeply';

/** The watchdog has barked. */
class TooLate extends Error {}

class Closed extends Error {
  constructor() {
    super('the sandbox is closed');
  }
}

function resultOf(outcome: Outcome): ScriptResult {
  if ('error' in outcome) return { kind: 'failed', why: outcome.error.slice(0, 500) };
  if (isTooDeep(outcome.json)) return { kind: 'failed', why: TOO_DEEP };
  return { kind: 'value', value: JSON.parse(outcome.json) };
}
