import type { GoalName } from './goals.js';

/** Result of a benchmark. */
export interface BenchResult {
  readonly what: string;
  /** The measured figure relative to a peer measured in the same run, or to a fixed limit. */
  readonly ratio: number;
  /** Least ratio with which the benchmark passes. */
  readonly limit: number;
  /** The measured figures, as text. */
  readonly detail: string;
  /** Measured figures that have a goal, in its unit. */
  readonly goals?: Readonly<Partial<Record<GoalName, number>>>;
}

export interface Bench {
  readonly name: string;
  run(): Promise<readonly BenchResult[]>;
}
