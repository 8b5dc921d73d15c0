/**
 * Time travel: a run in virtual time is repeated from its seed up to a moment. If a user then changes something, the repeated
 * run becomes a fork, whose end can be compared with that of the original run.
 */
import type { History } from '../client/types.js';
import type { Millis } from '../kernel/time.js';
import type { RunState } from './run-state.js';

/** A run that was repeated up to a moment. */
export interface PastRun {
  readonly id: string;
  /** The moment, in ms since the start of the run. */
  readonly at_ms: Millis;
  /** The address of the console of this run; works once. Null: the run has ended. */
  readonly link: string | null;
  /** Whether it goes on for a comparison at present. */
  readonly comparing: boolean;
  /** Whether it has ended with a comparison. Otherwise, a run ends because too many are open. */
  readonly compared: boolean;
}

export interface RunEnd {
  /** False if an expectation fails, or the run failed; an undecided expectation may still hold. */
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
  /** Its faults as they happened. */
  readonly faults: RunState['faults'];
  /** The history of its space from the start on; null if the cloud was down at the end. */
  readonly history: History | null;
}

/** An event that only one of two runs has. */
interface OwnEvent {
  /** `cellar-0003 wakes up for a report` */
  readonly sentence: string;
  /** As JSON. */
  readonly text: string;
}

export interface RunComparison {
  /** Until when both runs were compared, in ms since their start. */
  readonly until_ms: Millis;
  readonly original: RunEnd;
  readonly fork: RunEnd;
  /** Number of events before the first difference. */
  readonly same: number;
  /** Null if both runs have the same events. */
  readonly difference: {
    /** In ms since the start of the run. */
    readonly at_ms: Millis;
    /** The event of each run; null at the end of its log. */
    readonly original: OwnEvent | null;
    readonly fork: OwnEvent | null;
  } | null;
}

export interface TimeTravel {
  /** All past runs: first those that have ended, then those that are open. */
  readonly all: readonly PastRun[];
  /**
   * Repeats the run up to a moment and pauses it there. Ends the oldest past run if too many are open.
   * @throws UsageError if the run has not reached the moment yet
   */
  back(at: Millis): Promise<PastRun>;
  /**
   * Lets a fork run on, and compares it with the same run without the changes: then the fork has ended. The comparison of a fork
   * that was compared before is the earlier one. Undefined for an unknown id.
   * @param lasts how long the fork runs on; undefined: to its end
   * @throws UsageError if it is being compared already
   */
  compare(id: string, lasts?: Millis): Promise<RunComparison | undefined>;
  close(): Promise<void>;
}
