/**
 * A worker thread of vitest that serves more than one run. Vitest starts a thread for every run. Mutation testing makes one run
 * for each mutant, in which loading the modules takes ten times as long as the tests. A global variable selects the mutant, so
 * the modules can stay loaded; vitest itself loads the files with the tests anew.
 *
 * Static mutants change what happens while a module loads. They get a thread of their own, like the first run without a
 * mutant.
 */
import { type PoolOptions, type PoolWorker, ThreadsPoolWorker, type WorkerRequest } from 'vitest/node';

export const KEPT_WORKERS = {
  name: 'kept',
  createPoolWorker: (options: PoolOptions): PoolWorker => {
    // The cast is needed because Stryker provides these two values, and the types of vitest do not have their names.
    const { mode, mutantActivation } = options.project.getProvidedContext() as unknown as Readonly<
      Record<string, string>
    >;
    const keeps = mode === 'mutant' && mutantActivation === 'runtime';
    return keeps ? new KeptWorker(options) : new ThreadsPoolWorker(options);
  },
};

type Listener = (value: unknown) => void;

/** The thread of this process. Stryker starts a process for each concurrent mutant, and vitest runs one file after another. */
let kept: ThreadsPoolWorker | undefined;

class KeptWorker implements PoolWorker {
  readonly name = KEPT_WORKERS.name;
  readonly #worker: ThreadsPoolWorker;
  readonly #isNew: boolean;
  readonly #listeners: [event: string, listener: Listener][] = [];
  /** Settings of this run, among them the names of its tests. The thread itself keeps the settings of its first run. */
  #config: object | undefined;

  constructor(options: PoolOptions) {
    this.#isNew = kept === undefined;
    kept ??= new ThreadsPoolWorker(options);
    this.#worker = kept;
  }

  async start(): Promise<void> {
    if (!this.#isNew) return;
    await this.#worker.start();
    this.#worker.on('exit', () => {
      if (kept === this.#worker) kept = undefined;
    });
  }

  on(event: string, listener: Listener): void {
    this.#listeners.push([event, listener]);
    this.#worker.on(event, listener);
  }

  off(event: string, listener: Listener): void {
    this.#worker.off(event, listener);
  }

  send(message: WorkerRequest): void {
    if (message.type === 'start') this.#config = message.context.config;
    if (message.type === 'start' && !this.#isNew) this.#answer('started');
    else if (message.type === 'stop') this.#answer('stopped');
    else if (message.type === 'run') {
      this.#worker.send({ ...message, context: { ...message.context, config: this.#config } } as WorkerRequest);
    } else this.#worker.send(message);
  }

  /** The thread keeps running, without the listeners of this run. */
  async stop(): Promise<void> {
    for (const [event, listener] of this.#listeners) this.#worker.off(event, listener);
  }

  deserialize(data: unknown): unknown {
    return data;
  }

  /** Answers in place of the thread, to which the beginning and the end of a run are not sent. */
  #answer(type: 'started' | 'stopped'): void {
    for (const [event, listener] of this.#listeners) {
      if (event === 'message') queueMicrotask(() => listener({ __vitest_worker_response__: true, type }));
    }
  }
}
