/** A part of a run in a thread of its own, seen from the run. */
import { Worker } from 'node:worker_threads';
import type { Log } from '../../kernel/log.js';
import type { CommonRest } from './common-rest.js';
import { type Answer, errorOf, type Report, type Task } from './messages.js';

export type PartEnd = Extract<Report, { readonly kind: 'end' }>;

export class Part {
  readonly #worker: Worker;
  readonly #rest: CommonRest;
  /** Reports that `next` has not returned yet. */
  readonly #reports: (string | PartEnd)[] = [];
  #failure: unknown;
  #wake = (): void => {};

  constructor(task: Task, rest: CommonRest, log: Log) {
    this.#rest = rest;
    this.#worker = new Worker(new URL('./thread.mjs', import.meta.url), { workerData: task });
    this.#worker.on('message', (report: Report) => this.#take(report, log));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('a thread of the run has ended before its part')));
  }

  /** The events of the next window, or the last events and the end. @throws GhostfleetError if the world cannot be built */
  async next(): Promise<string | PartEnd> {
    for (;;) {
      const report = this.#reports.shift();
      if (report !== undefined) return report;
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Allows the thread to finish one more window. */
  permit(): void {
    this.#answer({ kind: 'permit' });
  }

  /** Ends the thread at once. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #answer(answer: Answer): void {
    this.#worker.postMessage(answer);
  }

  #take(report: Report, log: Log): void {
    if (report.kind === 'rest') return this.#rest.ask(report.isAtRest, (all) => this.#answer({ kind: 'rest', all }));
    if (report.kind === 'end') this.#rest.leave();
    if (report.kind === 'log') return log[report.level](report.fields, report.message);
    if (report.kind === 'failed') return this.#fail(errorOf(report.error));
    this.#reports.push(report.kind === 'window' ? report.lines : report);
    this.#wake();
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#wake();
  }
}
