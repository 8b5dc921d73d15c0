/**
 * Runs users' scripts in worker threads (worker.mjs), with limits on time and memory.
 *
 * Two limits end a script. QuickJS counts its steps; the count depends only on the script, so that an endless loop fails the
 * same way on every machine. But one call into the engine (sorting a million strings, a regular expression that backtracks)
 * counts as a single step. So a watchdog in real time ends the whole thread, and a new one replaces it.
 *
 * A script keeps no state between calls: each call gets a new JavaScript runtime with its own `Date` and `Math.random`, so that
 * the same job gives the same result. Every space has engines of its own, so that a script that breaks out of its runtime finds
 * no data of another space.
 *
 * Threads are shared fairly (store/fair-queue.ts): a tenant whose scripts are slow uses at most one thread.
 */
import type { Clock } from '../../../kernel/clock.js';
import type { Millis } from '../../../kernel/time.js';
import { FairQueue } from '../../store/fair-queue.js';
import { LIMITS, type Script, type ScriptResult, TOO_MUCH } from './script.js';
import { Closed, type ScriptThread, Thread } from './thread.js';

const THREADS = 2;
/** A tenant whose scripts take longer than this on average uses one thread, and so does one that has run no script yet. */
const SLOW: Millis = 50;

interface Task {
  readonly script: Script;
  readonly resolve: (result: ScriptResult) => void;
  readonly reject: (error: unknown) => void;
}

export class Sandbox {
  readonly #patience: Clock;
  readonly #newThread: () => ScriptThread;
  readonly #queue = new FairQueue<Task>({
    all: THREADS,
    tenant: (mean) => (mean === undefined || mean > SLOW ? 1 : THREADS),
    part: 1,
  });
  /** Idle threads, with the space whose script they have run last. */
  readonly #idle = new Map<ScriptThread, string>();
  readonly #busy = new Set<ScriptThread>();
  #closed = false;

  /**
   * @param patience clock of the time limits: real time, also in a simulation
   * @param newThread default: a worker thread with the limits of the service
   */
  constructor(patience: Clock, newThread: () => ScriptThread = () => new Thread(patience, LIMITS)) {
    this.#patience = patience;
    this.#newThread = newThread;
  }

  /** Runs a script. Rejects only if no thread can be started or the sandbox is closed. */
  run(script: Script): Promise<ScriptResult> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Closed());
      this.#queue.add(script.owner, { script, resolve, reject });
      this.#next();
    });
  }

  /** Ends all threads; running and waiting scripts are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#queue.clear()) task.reject(new Closed());
    const threads = [...this.#idle.keys(), ...this.#busy];
    this.#idle.clear();
    await Promise.all(threads.map((thread) => thread.close()));
  }

  /** Starts the scripts whose turn it is. */
  #next(): void {
    for (let turn = this.#queue.start(); turn; turn = this.#queue.start()) {
      const { task, end } = turn;
      const began = this.#patience.now;
      void this.#perform(task.script)
        .then(task.resolve, task.reject)
        .finally(() => {
          end(this.#patience.now - began);
          this.#next();
        });
    }
  }

  async #perform(script: Script): Promise<ScriptResult> {
    const result = await this.#runOn(this.#takeThread(script), script);
    // An earlier script may have damaged the thread, so the script runs again in a new thread.
    const again = result.kind === 'died' ? await this.#runOn(this.#newThread(), script) : result;
    return again.kind === 'died' ? { kind: 'failed', why: TOO_MUCH } : again;
  }

  async #runOn(thread: ScriptThread, script: Script) {
    if (this.#closed) {
      await thread.close();
      throw new Closed();
    }
    this.#busy.add(thread);
    try {
      return await thread.run(script);
    } finally {
      this.#busy.delete(thread);
      if (thread.usable && !this.#closed) this.#idle.set(thread, script.spaceId);
    }
  }

  /** An idle thread, preferably one that has an engine of the script's space, or a new one. */
  #takeThread({ spaceId }: Script): ScriptThread {
    for (const thread of this.#idle.keys()) if (!thread.usable) this.#idle.delete(thread);
    const idle = [...this.#idle];
    const [thread] = idle.find(([, last]) => last === spaceId) ?? idle[0] ?? [this.#newThread()];
    this.#idle.delete(thread);
    return thread;
  }
}
