/** The result of a search for the capacity of a service, as plain data. The runner creates it; the views are functions of it. */
import type { ExitCode } from '../../kernel/errors.js';
import type { Millis } from '../../kernel/time.js';
import type { Spread } from '../../trace/distribution.js';
import type { ExpectationResult } from '../result.js';

/** Format version of `capacity.json`, raised by changes to which programs that read the file must adapt. */
export const CAPACITY_FORMAT = 1;

/** What a search looks for. */
export interface CapacityQuestion {
  readonly scenario: string;
  /** The value that is varied: `fleet.devices`, `load.latest-value.rate`, the name of a variable. */
  readonly key: string;
  /** The unit of all levels: `/s`; empty for a count. */
  readonly unit: string;
  /** Lowest and highest level of the search. */
  readonly from: number;
  readonly to: number;
  /** Largest distance between `holds` and `fails`, relative to `holds`. */
  readonly precision: number;
  readonly seed: number;
  readonly clock: 'virtual' | 'real';
  /** `embedded`, or the address of the cloud without secrets. */
  readonly target: string;
  /** The level that must be reached; null if there is none. */
  readonly atLeast: number | null;
}

/**
 * - `found`: the limit is between `holds` and `fails`.
 * - `no limit`: the highest level holds.
 * - `below range`: the lowest level fails already.
 * - `generator limit`: this machine could not offer the lowest level that does not hold.
 * - `target broken`: the target did not recover from a level.
 * - `unfinished`: the search was interrupted, or its time was over.
 */
export type CapacityOutcome = 'found' | 'no limit' | 'below range' | 'generator limit' | 'target broken' | 'unfinished';

export interface CapacityResult extends CapacityQuestion {
  readonly format: typeof CAPACITY_FORMAT;
  readonly outcome: CapacityOutcome;
  /** The largest level at which all expectations hold; null if there is none. */
  readonly holds: number | null;
  /** The smallest level that does not hold; null if there is none. */
  readonly fails: number | null;
  /** Whether both levels were confirmed by two more runs each. */
  readonly confirmed: boolean;
  /** Whether the capacity is at least {@link CapacityQuestion.atLeast}; null if this is unknown or was not asked. */
  readonly reached: boolean | null;
  /** The expectations that were not met at `fails`, in the order of the scenario. */
  readonly failed: readonly LevelExpectation[];
  /** The result in one sentence. */
  readonly sentence: string;
  /** What to do next: threads and workers to add, why the search ended. */
  readonly advice: string | null;
  /** Facts that put the result into question. */
  readonly notes: readonly string[];
  /** In ascending order. */
  readonly levels: readonly Level[];
  readonly exitCode: ExitCode;
  /** The command of the search. */
  readonly reproduce: string;
}

export interface Level {
  readonly value: number;
  readonly kind: LevelKind;
  /** In the order of their repetitions. */
  readonly runs: readonly LevelRun[];
  /** Of the run in which the least was done. */
  readonly throughput: Throughput | null;
  /** Each the longest of all runs. */
  readonly latency: LevelLatency | null;
}

export type LevelKind = 'holds' | 'fails' | 'generator limit';

/** One run at a level. */
export interface LevelRun {
  readonly value: number;
  /** 0 for the first run at this level. */
  readonly repetition: number;
  readonly seed: number;
  readonly kind: LevelKind;
  /** Why it does not hold; null if it holds. */
  readonly why: string | null;
  /** Time that the target needed to recover after the run; null if it did not. 0 for the embedded cloud, which is always new. */
  readonly recovery: Millis | null;
  readonly expectations: readonly LevelExpectation[];
  readonly throughput: Throughput | null;
  readonly latency: LevelLatency | null;
  /** Median time from the sending of a request to its answer; null without answers, and in virtual time. */
  readonly service: Millis | null;
  readonly digest: string;
  /** Digest of the plan with its seed, to recognise the run when a search is continued. */
  readonly plan: string;
}

export type LevelExpectation = Pick<
  ExpectationResult,
  'line' | 'passed' | 'undecided' | 'left' | 'right' | 'unit' | 'sentence'
>;

/** Requests of loads, or uplinks of devices if there are no loads, per second. */
export interface Throughput {
  readonly of: 'requests' | 'uplinks';
  /** Planned requests, or uplinks that devices made. */
  readonly offered: number;
  /** Answered requests, or stored uplinks. */
  readonly done: number;
}

/** Times to the answers of requests, or to the delivery of downlinks. */
export interface LevelLatency extends Pick<Spread, 'p50' | 'p95' | 'p99'> {
  readonly of: 'requests' | 'downlinks';
}
