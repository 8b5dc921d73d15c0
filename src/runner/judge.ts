/** Decides the exit code of a run, and the reason for it. */
import { EXIT, type ExitCode } from '../kernel/errors.js';
import type { Instant } from '../kernel/time.js';
import type { ExpectationResult, WorkerReport } from '../report/result.js';
import type { Expectation } from '../scenario/expect/expectation.js';
import type { End } from './world/end.js';

/** Exit codes that depend on measurements. If this process was too slow, the measurements are invalid, and so is the code. */
const AS_MEASURED: readonly ExitCode[] = [EXIT.fine, EXIT.expectation, EXIT.stuck];

/**
 * The most serious failure decides. The order is: an accounting mismatch; an end that depends on no measurement, such as an
 * interrupt; an invalid measurement; devices that do not come to rest, or an expectation that ended the run; a failed
 * expectation; a recording that could not be completed.
 * @param spoiled why the measurement is invalid; null if it is valid
 * @param lost why a recording could not be completed. Default: it was
 */
export function judge(
  end: End,
  expectations: readonly ExpectationResult[],
  contradictions: readonly string[],
  spoiled: string | null,
  lost: End = end,
): End {
  if (contradictions.length > 0) {
    return {
      exitCode: EXIT.internal,
      failure: `accounting mismatch (a bug in ghostfleet): ${contradictions.join('; ')}`,
    };
  }
  if (!AS_MEASURED.includes(end.exitCode)) return end;
  if (spoiled !== null) {
    const early = end.failure === null ? '' : `; ${end.failure}`;
    return { exitCode: EXIT.invalid, failure: `the run is invalid: ${spoiled}${early}` };
  }
  if (end.exitCode !== EXIT.fine) return end;
  return expectations.every(({ passed }) => passed) ? lost : { exitCode: EXIT.expectation, failure: null };
}

/** How a run ended before its planned end, as the beginning of a sentence; null if it did not, or if all its workers did. */
export function describeEarlyEnd(
  { exitCode, failure, busy }: End,
  workers: readonly WorkerReport[] = [],
): string | null {
  if (exitCode === EXIT.interrupted) return 'interrupted; until then';
  // The scenario has ended before devices can be not at rest.
  if (failure !== null && busy === undefined) return 'the run ended early; until then';
  return workers.some(({ lost }) => lost !== null) ? 'undecided, because a worker was lost' : null;
}

/**
 * Marks an outcome of a run that ended early as undecided if the rest of the run could have changed it. A violated rule stays
 * violated, and an expectation that ended the run stays failed.
 * @param how see {@link describeEarlyEnd}
 * @param expectation undefined for a rule of a target
 * @param at when the run ended
 */
export function cutShort(
  outcome: ExpectationResult,
  how: string,
  expectation: Expectation | undefined,
  at: Instant,
): ExpectationResult {
  const failed = !(outcome.passed || outcome.undecided);
  const isRule = expectation === undefined || 'invariant' in expectation;
  if (failed && (isRule || (expectation.abort !== undefined && expectation.abort <= at))) return outcome;
  return { ...outcome, passed: false, undecided: true, cutShort: true, sentence: `${how}: ${outcome.sentence}` };
}
