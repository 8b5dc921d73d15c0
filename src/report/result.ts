/**
 * What a run has come to, as plain data: everything that any renderer shows. The runner fills it in; renderers are pure
 * functions of it.
 */
import type { ExitCode } from '../kernel/errors.js';
import type { Millis } from '../kernel/time.js';
import type { RunSummary } from '../trace/metrics/index.js';

export interface RunResult extends RunSummary {
  readonly scenario: string;
  readonly seed: number;
  /** SHA-256 over the trace, its first 16 hex digits: the same digest, the same course. */
  readonly digest: string;
  readonly planDigest: string;
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
  /** Events of the trace. */
  readonly events: number;
  readonly expectations: readonly ExpectationResult[];
  /** The command that takes the same course again. */
  readonly reproduce: string;
  /** What to try next, for people. */
  readonly next: readonly string[];
  /** Names of the devices that the report mentions, by serial number. */
  readonly names: Readonly<Record<string, string>>;
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
