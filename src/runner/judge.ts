/** Decides the exit code of a run, and the reason for it. */
import { EXIT, type ExitCode } from '../kernel/errors.js';
import type { ExpectationResult } from '../report/result.js';
import type { End } from './world/end.js';

/** Exit codes that depend on measurements. If this process was too slow, the measurements are invalid, and so is the code. */
const AS_MEASURED: readonly ExitCode[] = [EXIT.fine, EXIT.expectation, EXIT.stuck];

/**
 * The most serious failure decides. The order is: an accounting mismatch; an end that depends on no measurement, such as an
 * interrupt; an invalid measurement; devices that do not come to rest, or an expectation that ended the run; a failed
 * expectation.
 * @param spoiled why the measurement is invalid; null if it is valid
 */
export function judge(
  end: End,
  expectations: readonly ExpectationResult[],
  contradictions: readonly string[],
  spoiled: string | null,
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
  return expectations.every(({ passed }) => passed) ? end : { exitCode: EXIT.expectation, failure: null };
}

/** Marks an expectation of an interrupted run as undecided: the rest of the scenario could have changed its outcome. */
export function undecided(expectation: ExpectationResult): ExpectationResult {
  const { sentence } = expectation;
  return { ...expectation, passed: false, undecided: true, sentence: `interrupted; until then: ${sentence}` };
}
