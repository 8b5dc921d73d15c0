/** Queues the reports of a part until the run reads them. */
import type { CommonRest } from './common-rest.js';
import { type Answer, errorOf, type Lines, type PartEnd, type Report } from './messages.js';

export class Reports {
  readonly #rest: CommonRest;
  readonly #answer: (answer: Answer) => void;
  /** Reports that `next` has not returned yet. */
  readonly #waiting: (Lines | PartEnd)[] = [];
  #failure: unknown;
  #wake = (): void => {};

  /** @param answer passes an answer to the part */
  constructor(rest: CommonRest, answer: (answer: Answer) => void) {
    this.#rest = rest;
    this.#answer = answer;
  }

  take(report: Exclude<Report, { readonly kind: 'log' }>): void {
    if (report.kind === 'rest') return this.#rest.ask(report.isAtRest, (all) => this.#answer({ kind: 'rest', all }));
    if (report.kind === 'end') this.#rest.leave();
    if (report.kind === 'failed') return this.fail(errorOf(report.error));
    this.#waiting.push(report.kind === 'window' ? report.lines : report);
    this.#wake();
  }

  /** Makes `next` fail as soon as it has returned all reports. The first failure counts. */
  fail(error: unknown): void {
    this.#failure ??= error;
    this.#wake();
  }

  /** The events of the next window, or the last events and the end. @throws GhostfleetError if the part cannot be set up */
  async next(): Promise<Lines | PartEnd> {
    for (;;) {
      const report = this.#waiting.shift();
      if (report !== undefined) return report;
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
