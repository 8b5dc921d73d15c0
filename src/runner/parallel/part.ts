/** A part of a run in a thread of its own, as the run controls it. */
import { Worker } from 'node:worker_threads';
import type { Log } from '../../kernel/log.js';
import type { CommonRest } from './common-rest.js';
import type { Answer, Lines, PartEnd, Report, Task } from './messages.js';
import { Reports } from './reports.js';

/**
 * Size of the heap for short-lived objects in each thread: four times the default. In a large fleet, the objects of a message
 * exchange survive several collections of a smaller heap, which costs time. With 100,000 devices, this size halves the time of
 * the collections, from 15 % of a run to 8 %.
 */
const YOUNG_GENERATION_MB = 192;

/** A part of a run. */
export interface Part {
  /** The events of the next window, or the last events and the end. @throws GhostfleetError if the part cannot be set up */
  next(): Promise<Lines | PartEnd>;
  /** Allows the part to finish one more window. */
  permit(): void;
  /** Ends the part at once. */
  close(): Promise<void>;
}

export class ThreadPart implements Part {
  readonly #worker: Worker;
  readonly #reports: Reports;

  constructor(task: Task, rest: CommonRest, log: Log) {
    this.#reports = new Reports(rest, (answer) => this.#answer(answer));
    this.#worker = new Worker(new URL('./thread.mjs', import.meta.url), {
      workerData: task,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker.on('message', (report: Report) => {
      if (report.kind === 'log') log[report.level](report.fields, report.message);
      else this.#reports.take(report);
    });
    this.#worker.on('error', (error) => this.#reports.fail(error));
    this.#worker.on('exit', () => this.#reports.fail(new Error('a thread of the run has ended before its part')));
  }

  next(): Promise<Lines | PartEnd> {
    return this.#reports.next();
  }

  permit(): void {
    this.#answer({ kind: 'permit' });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #answer(answer: Answer): void {
    this.#worker.postMessage(answer);
  }
}
