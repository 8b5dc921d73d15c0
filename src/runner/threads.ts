/** Work that is done several times at once: in this thread, and in further ones that are started when they are needed. */
import { once } from 'node:events';
import { parentPort, Worker } from 'node:worker_threads';
import PQueue from 'p-queue';

type Thread = Pick<AnsweringThread<unknown, unknown>, 'hasEnded' | 'close'>;

/** Where the work is done: one piece at a time in each place. */
export class Places<Place> {
  readonly #open: () => Place & Thread;
  readonly #threads: (Place & Thread)[] = [];
  readonly #idle: Place[];
  readonly #queue: PQueue;

  /** @param here this thread @param open starts another one */
  constructor(atOnce: number, here: Place, open: () => Place & Thread) {
    this.#queue = new PQueue({ concurrency: atOnce });
    this.#idle = [here];
    this.#open = open;
  }

  /** Does the work in a place that is free; undefined if the signal was aborted before one was. */
  use<T>(signal: AbortSignal, work: (place: Place) => Promise<T>): Promise<T | undefined> {
    return this.#queue.add(async () => {
      if (signal.aborted) return undefined;
      const place = this.#idle.pop() ?? this.#start();
      try {
        return await work(place);
      } finally {
        if (!this.#threads.some((thread) => thread === place && thread.hasEnded)) this.#idle.push(place);
      }
    });
  }

  #start(): Place {
    const thread = this.#open();
    this.#threads.push(thread);
    return thread;
  }

  /** Ends the threads. Work that waits for a place is not done. */
  async close(): Promise<void> {
    this.#queue.clear();
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

/** The handle on a thread that calls {@link answerRequests}. */
export class AnsweringThread<Request, Answer> {
  readonly #worker: Worker;
  /** Rejects when the thread fails or ends. */
  readonly #ended: Promise<never>;
  #hasEnded = false;

  constructor(module: string, workerData?: unknown) {
    this.#worker = new Worker(module, { workerData });
    this.#ended = once(this.#worker, 'exit').then(() => {
      throw new Error('it has ended');
    });
    // Also a handler: without one, an end of the thread between two requests would be an unhandled rejection.
    this.#ended.catch(() => {
      this.#hasEnded = true;
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Wait for the answer before the next call.
   * @param signal interrupts the work on the request
   * @throws Error if the thread fails or ends
   */
  protected async ask(request: Request, signal: AbortSignal): Promise<Answer> {
    const interrupt = () => this.#worker.postMessage(null);
    signal.addEventListener('abort', interrupt);
    try {
      const answered = once(this.#worker, 'message');
      this.#worker.postMessage(request);
      if (signal.aborted) interrupt();
      const [answer] = await Promise.race([answered, this.#ended]);
      return answer;
    } finally {
      signal.removeEventListener('abort', interrupt);
    }
  }

  /** Ends the thread at once. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** The program of a thread that answers one request after another; null interrupts the work on one. */
export function answerRequests<Request, Answer>(
  answer: (request: Request, signal: AbortSignal) => Promise<Answer>,
): void {
  let running = new AbortController();
  parentPort?.on('message', async (request: Request | null) => {
    if (request === null) {
      running.abort();
      return;
    }
    running = new AbortController();
    parentPort?.postMessage(await answer(request, running.signal));
  });
}
