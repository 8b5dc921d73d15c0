/** How a run ends: what it is worth, and the exit status that says so. */
import { EXIT, type ExitCode, GhostfleetError } from '../kernel/errors.js';
import type { ExpectationResult, GeneratorReport } from '../report/result.js';

export interface End {
  readonly exitCode: ExitCode;
  /** Why the run ended early. */
  readonly failure: string | null;
}

/** Ends that are what they are because of what was measured. */
const AS_MEASURED: readonly ExitCode[] = [EXIT.fine, EXIT.expectation, EXIT.stuck];

/**
 * What went wrong first decides: books that do not balance, somebody who ended it, a spoiled measurement, a world that did not
 * come so far, an expectation.
 */
export function judge(
  end: End,
  expectations: readonly ExpectationResult[],
  contradictions: readonly string[],
  generator: GeneratorReport | null,
): End {
  if (contradictions.length > 0) {
    return { exitCode: EXIT.internal, failure: `the books do not balance: ${contradictions.join('; ')}` };
  }
  if (!AS_MEASURED.includes(end.exitCode)) return end;
  const spoiled = generator?.spoiled ?? null;
  if (spoiled !== null) {
    const early = end.failure === null ? '' : `; ${end.failure}`;
    return { exitCode: EXIT.invalid, failure: `the run is invalid: ${spoiled}${early}` };
  }
  if (end.exitCode !== EXIT.fine) return end;
  return expectations.every(({ passed }) => passed) ? end : { exitCode: EXIT.expectation, failure: null };
}

/** Waits for the course of a run. @throws what is not meant for its user */
export async function howItEnds(course: Promise<void>): Promise<End> {
  try {
    await course;
    return { exitCode: EXIT.fine, failure: null };
  } catch (error) {
    if (error instanceof GhostfleetError) return { exitCode: error.exit, failure: error.message };
    throw error;
  }
}
