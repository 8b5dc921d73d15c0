/**
 * Iterations of loads: carried-out chains of requests. planned = done + failed + open. A load whose iterations have one request
 * each has no events for them: its iterations are its requests.
 */
import type { Millis } from '../../kernel/time.js';
import { Distribution, type Spread } from '../distribution.js';
import type { MetricTable } from './metric.js';

/** The iterations of one load with chains. */
export class ChainCounts {
  planned = 0;
  done = 0;
  failed = 0;
  /** Failed ones that were due after the warm-up. */
  missing = 0;
  /** Due after the warm-up. */
  counted = 0;
  readonly time = new Distribution(1000);

  summarise(): IterationSummary {
    const { planned, done, failed, time } = this;
    return { planned, done, failed, open: planned - done - failed, time: time.spread() };
  }

  begin(isCounted: boolean): void {
    this.planned++;
    if (isCounted) this.counted++;
  }

  /** @param time undefined for an iteration that was due during the warm-up */
  end(ok: boolean, time: Millis | undefined): void {
    if (ok) this.done++;
    else this.failed++;
    if (time === undefined) return;
    if (ok) this.time.record(time);
    else this.missing++;
  }
}

/** The iterations of a load with chains, for a report. */
export interface IterationSummary {
  readonly planned: number;
  readonly done: number;
  readonly failed: number;
  /** Begun and not ended. */
  readonly open: number;
  /** Time from when an iteration was due to its end; undefined if none was done that was due after the warm-up. */
  readonly time: Spread | undefined;
}

/** What the metrics of iterations read. */
export interface IterationCounts {
  readonly planned: number;
  readonly done: number;
  readonly failed: number;
  readonly time: Distribution;
  readonly missing: { readonly failed: number; readonly open: number };
}

export function sumIterations(all: readonly IterationCounts[]): IterationCounts {
  const sum = (count: (one: IterationCounts) => number) => all.reduce((total, one) => total + count(one), 0);
  return {
    planned: sum(({ planned }) => planned),
    done: sum(({ done }) => done),
    failed: sum(({ failed }) => failed),
    time: Distribution.merge(all.map(({ time }) => time)),
    missing: { failed: sum(({ missing }) => missing.failed), open: sum(({ missing }) => missing.open) },
  };
}

export function countChains({ planned, done, failed, missing, counted, time }: ChainCounts): IterationCounts {
  const open = counted - missing - time.count;
  return { planned, done, failed, time, missing: { failed: missing, open } };
}

export const ITERATION_METRICS: MetricTable<{ readonly iterations: IterationCounts }> = {
  'iteration.planned': {
    about: 'iterations of loads (chains of requests, or single ones) that were due so far',
    count: ({ iterations }) => iterations.planned,
  },
  'iteration.done': {
    about: 'iterations of loads all of whose requests were answered as they should be',
    count: ({ iterations }) => iterations.done,
  },
  'iteration.failed': {
    about: 'iterations of loads that ended at a request that failed or was not sent',
    count: ({ iterations }) => iterations.failed,
  },
  'iteration.open': {
    about: 'iterations of loads that were due and have not ended',
    count: ({ iterations: { planned, done, failed } }) => planned - done - failed,
  },
  'iteration.time': {
    about: 'time from when an iteration was due to its end, in real time also with --speed, warm-up excluded',
    durations: ({ iterations }) => iterations.time,
    missing: ({ iterations }) => iterations.missing,
  },
};
