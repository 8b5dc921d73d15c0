/** The interface between a search and the runs at its levels. */
import type { Millis } from '../../kernel/time.js';
import type { Plan } from '../../scenario/model/plan.js';
import type { LevelRecord } from './judge-level.js';

/** Carries out runs at the levels of a search. */
export interface Levels {
  /** Number of runs at a time. */
  readonly atOnce: number;
  /**
   * Runs a plan.
   * @param signal ends the run early
   * @returns undefined if the signal has ended it
   * @throws GhostfleetError if the run cannot be made
   */
  measure(plan: Plan, signal: AbortSignal): Promise<Measurement | undefined>;
  close(): Promise<void>;
}

export interface Measurement {
  readonly record: LevelRecord;
  /** Time until the target answered as before; null if it did not. */
  readonly recovery: Millis | null;
}
