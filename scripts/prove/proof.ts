/** What a proof is: a check by experiment that takes minutes, too long for a test. */

export interface Verdict {
  /** The statement that is checked. */
  readonly what: string;
  readonly held: boolean;
  /** The measured figures. */
  readonly detail: string;
}

export interface Proof {
  readonly name: string;
  run(): Promise<readonly Verdict[]>;
}
