/** How a run ends: what it is worth, and the exit status that says so. */
import { EXIT, type ExitCode, GhostfleetError } from '../kernel/errors.js';
import type { ExpectationResult, GeneratorReport } from '../report/result.js';

export interface End {
  readonly exitCode: ExitCode;
  /** Why the run ended early. */
  readonly failure: string | null;
}

/** What went wrong first decides: books that do not balance, an early end, a spoiled measurement, an expectation. */
export function judge(
  end: End,
  expectations: readonly ExpectationResult[],
  contradictions: readonly string[],
  generator: GeneratorReport | null,
): End {
  if (contradictions.length > 0) {
    return { exitCode: EXIT.internal, failure: `the books do not balance: ${contradictions.join('; ')}` };
  }
  if (end.exitCode !== EXIT.fine) return end;
  const spoiled = generator?.spoiled ?? null;
  if (spoiled !== null) return { exitCode: EXIT.invalid, failure: `the run is invalid: ${spoiled}` };
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
