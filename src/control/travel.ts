/**
 * Time travel: a run in virtual time is repeated from its seed up to a moment. If a user then changes something, the repeated
 * run becomes a fork, whose end can be compared with that of the original run.
 */
import type { Millis } from '../kernel/time.js';

/** A run that was repeated up to a moment. */
export interface PastRun {
  readonly id: string;
  /** The moment, in ms since the start of the run. */
  readonly at_ms: Millis;
  /** The address of the console of this run; works once. Null: the run has ended, because too many were open. */
  readonly link: string | null;
}

export interface RunEnd {
  readonly passed: boolean;
  readonly failure: string | null;
  readonly digest: string;
  readonly events: number;
  readonly expectations: readonly {
    readonly line: string;
    readonly passed: boolean;
    readonly undecided: boolean;
    readonly sentence: string;
  }[];
}

export interface RunComparison {
  readonly original: RunEnd;
  readonly fork: RunEnd;
  /** Number of events before the first difference. */
  readonly same: number;
  /** Null if both runs have the same events. */
  readonly difference: {
    /** In ms since the start of the run. */
    readonly at_ms: Millis;
    /** The event of each run as JSON; null at the end of its log. */
    readonly original: string | null;
    readonly fork: string | null;
  } | null;
}

export interface TimeTravel {
  /** All past runs: first those that have ended because too many were open, then those that are open. */
  readonly all: readonly PastRun[];
  /**
   * Repeats the run up to a moment and pauses it there. Ends the oldest past run if too many are open.
   * @throws UsageError if the run has not reached the moment yet
   */
  back(at: Millis): Promise<PastRun>;
  /** Lets a fork run to its end, and compares it with the same run without the changes. Undefined for an unknown id. */
  compare(id: string): Promise<RunComparison | undefined>;
  close(): Promise<void>;
}
