/** Workers in threads of this process. */
import { Worker } from 'node:worker_threads';
import { pathFrom } from '../../../kernel/program-files.js';
import { type Millis, seconds } from '../../../kernel/time.js';
import type { RunChannel } from '../channel.js';
import type { Crew } from '../crew.js';
import type { FromPart, PartTask, ToPart } from '../messages.js';
import { PortChannel, sharedNow } from './port-channel.js';
import type { ThreadTask } from './thread-main.js';

/**
 * Size of the heap for short-lived objects in each thread in virtual time: four times the default. In a large fleet, the objects
 * of a message exchange survive several collections of a smaller heap, which costs time. With 100,000 devices, this size halves
 * the time of the collections, from 15 % of a run to 8 %.
 */
const YOUNG_GENERATION_MB = 192;

export class ThreadCrew implements Crew {
  readonly lead = seconds(0.1);
  #threads: readonly Worker[] = [];

  sharedNow(): Promise<Millis> {
    return Promise.resolve(sharedNow());
  }

  engage(tasks: readonly PartTask[], apiKey: string): Promise<readonly RunChannel[]> {
    const started = tasks.map((task) => {
      const workerData: ThreadTask = { task, apiKey };
      const resourceLimits = task.clock === 'virtual' ? { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } : {};
      const thread = new Worker(pathFrom(import.meta.url, 'part-thread.mjs'), { workerData, resourceLimits });
      const channel = new PortChannel<ToPart, FromPart>(thread, () => {});
      thread.on('error', (error) => channel.lose(`its thread has failed: ${error.message}`));
      thread.on('exit', () => channel.lose('its thread has ended'));
      // In virtual time, a thread may work for long without a turn of its event loop, and a slow run is not a failed one.
      if (task.clock === 'real') channel.expectBeats();
      return { thread, channel };
    });
    this.#threads = started.map(({ thread }) => thread);
    return Promise.resolve(started.map(({ channel }) => channel));
  }

  /** Does nothing: every thread gets its part when it starts, so no part waits for a worker. */
  async giveUp(): Promise<void> {}

  /** Ends the thread, which may be in an endless loop. */
  async dismiss(number: number): Promise<void> {
    await this.#threads[number - 1]?.terminate();
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }
}
