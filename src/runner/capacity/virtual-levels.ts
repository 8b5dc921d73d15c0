/** Carries out the runs of a search in virtual time: several at a time, each in a thread of its own. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import type { Plan } from '../../scenario/model/plan.js';
import { errorOf } from '../divided/messages.js';
import { packProfiles } from '../world/plan-profiles.js';
import type { LevelRecord } from './judge-level.js';
import type { LevelAnswer, LevelRequest } from './level-thread-main.js';
import type { Levels, Measurement } from './levels.js';
import { type LevelSettings, runLevel } from './run-level.js';

/** Runs in this thread and in further ones. The result of a run is the same in each of them. */
export class VirtualLevels implements Levels {
  readonly #settings: LevelSettings;
  readonly #idle: LevelPlace[];
  readonly #threads: LevelThread[] = [];
  readonly #queue: PQueue;
  readonly atOnce: number;

  constructor(settings: LevelSettings, atOnce: number) {
    this.#settings = settings;
    this.atOnce = atOnce;
    this.#queue = new PQueue({ concurrency: atOnce });
    this.#idle = [{ run: (plan, signal) => runLevel(plan, settings, signal) }];
  }

  measure(plan: Plan, signal: AbortSignal): Promise<Measurement | undefined> {
    return this.#queue.add(() => this.#measure(plan, signal));
  }

  async #measure(plan: Plan, signal: AbortSignal): Promise<Measurement | undefined> {
    if (signal.aborted) return undefined;
    const place = this.#idle.pop() ?? this.#start();
    try {
      const record = await place.run(plan, signal);
      return record && { record, recovery: 0 };
    } finally {
      this.#idle.push(place);
    }
  }

  #start(): LevelThread {
    const thread = new LevelThread(this.#settings);
    this.#threads.push(thread);
    return thread;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

interface LevelPlace {
  run(plan: Plan, signal: AbortSignal): Promise<LevelRecord | undefined>;
}

/** A thread that makes one run after another. */
class LevelThread implements LevelPlace {
  readonly #settings: LevelSettings;
  readonly #worker = new Worker(new URL('./level-thread.mjs', import.meta.url));
  /** Rejects when the thread fails or ends. */
  readonly #ended: Promise<never>;

  constructor(settings: LevelSettings) {
    this.#settings = settings;
    this.#ended = once(this.#worker, 'exit').then(() => {
      throw new Error('it has ended');
    });
    // Without a handler, an end of the thread between two runs would be an unhandled rejection.
    this.#ended.catch(() => {});
  }

  async run(plan: Plan, signal: AbortSignal): Promise<LevelRecord | undefined> {
    const { profiles, connectorHosts } = this.#settings;
    const interrupt = () => this.#send(null);
    signal.addEventListener('abort', interrupt);
    try {
      const answered = once(this.#worker, 'message');
      this.#send({ plan, profiles: packProfiles(plan, profiles), connectorHosts });
      if (signal.aborted) interrupt();
      return recordIn(await Promise.race([answered, this.#ended]));
    } finally {
      signal.removeEventListener('abort', interrupt);
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(request: LevelRequest): void {
    this.#worker.postMessage(request);
  }
}

/** @throws GhostfleetError if the run could not be made, or the thread has failed */
function recordIn([answer]: readonly LevelAnswer[]): LevelRecord | undefined {
  if (answer !== undefined && 'failure' in answer) throw errorOf(answer.failure);
  return answer?.record;
}
