/** What a proof is: something that is shown by doing it, in minutes rather than in a test. */

export interface Verdict {
  /** A sentence that is true or not. */
  readonly what: string;
  readonly held: boolean;
  /** The figures behind it. */
  readonly detail: string;
}

export interface Proof {
  readonly name: string;
  run(): Promise<readonly Verdict[]>;
}
