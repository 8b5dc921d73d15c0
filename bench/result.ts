/** What a benchmark comes to. */
export interface BenchResult {
  readonly what: string;
  /** Measured against a peer or a limit in the same run. */
  readonly ratio: number;
  /** The ratio must be at least this. */
  readonly limit: number;
  /** The figures behind it, for people. */
  readonly detail: string;
}

export interface Bench {
  readonly name: string;
  run(): Promise<readonly BenchResult[]>;
}
