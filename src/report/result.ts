/**
 * What a run has come to, as plain data: everything that any renderer shows. The runner fills it in; renderers are pure
 * functions of it.
 */

import type { ExitCode } from '../kernel/errors.js';
import type { Ratio } from '../kernel/ratio.js';
import type { Instant, Millis } from '../kernel/time.js';
import type { Spread } from '../trace/distribution.js';
import type { RunSummary } from '../trace/metrics/index.js';

/** Of `summary.json`; another number when a program that reads it would have to change. */
export const SUMMARY_FORMAT = 1;

export interface RunResult extends RunSummary {
  readonly format: typeof SUMMARY_FORMAT;
  readonly scenario: string;
  readonly seed: number;
  /** SHA-256 over the trace, its first 16 hex digits: the same digest, the same course. */
  readonly digest: string;
  readonly planDigest: string;
  /** Of the program that ran; left out where nobody said. */
  readonly version?: string;
  /** Every expectation holds, and the world came to rest. */
  readonly passed: boolean;
  readonly exitCode: ExitCode;
  /** Why the run ended early, in a sentence; null when it did not. */
  readonly failure: string | null;
  readonly clock: 'virtual' | 'real';
  /** Simulated milliseconds in a real one; null in virtual time, which has no speed of its own. */
  readonly speed: number | null;
  /** `embedded`, or the address of the cloud that the fleet talked to. */
  readonly target: string;
  readonly transport: string;
  /** Where the run left its files; null when it left none. */
  readonly out: string | null;
  readonly simulatedMs: Millis;
  readonly wallMs: Millis;
  /** How the process kept up; null in virtual time, which waits for it. */
  readonly generator: GeneratorReport | null;
  /** Events of the trace. */
  readonly events: number;
  readonly expectations: readonly ExpectationResult[];
  readonly planned: PlannedCourse;
  /** The command that takes the same course again; a comment behind it says so when the run was touched from a console. */
  readonly reproduce: string;
  /** What to try next, for people. */
  readonly next: readonly string[];
  /** Names of the devices that the report mentions, by serial number. */
  readonly names: Readonly<Record<string, string>>;
}

/** What the scenario was going to do. */
interface PlannedCourse {
  readonly duration: Millis;
  readonly warmUp: Millis;
  readonly marks: readonly PlannedMark[];
  /** 16 hex digits: two runs with the same were to do the same, whatever their seeds. */
  readonly situation: string;
}

export interface PlannedMark {
  readonly kind: 'fault' | 'step' | 'load';
  /** `loss 10%`, `commands: info show`. */
  readonly what: string;
  /** Empty: everybody. */
  readonly whom: string;
  readonly from: Instant;
  /** null: until the very end. */
  readonly until: Instant | null;
}

export interface GeneratorReport {
  /** How much later than their time things were done, in real time; undefined when there was nothing to do. */
  readonly lateness: Spread | undefined;
  /** 99 % of the event loop's turns were delayed by no more. */
  readonly eventLoopDelay: Millis;
  /** Share of the time in which the event loop was busy, 0 to 1. */
  readonly busy: Ratio;
  /** Cores in use on average. */
  readonly cpu: number;
  /** Share of the time spent on collecting garbage, 0 to 1. */
  readonly gc: Ratio;
  /** Why the run says nothing about the service; null when it does. */
  readonly spoiled: string | null;
}

export interface ExpectationResult {
  /** As the user wrote it. */
  readonly line: string;
  readonly passed: boolean;
  /** Milliseconds when `unit` is ms; null when there was nothing to measure. */
  readonly left: number | null;
  readonly right: number | null;
  readonly unit: 'count' | 'ms';
  /** What was found. */
  readonly sentence: string;
}
