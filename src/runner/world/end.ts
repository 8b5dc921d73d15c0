/** How the course of a plan ended, and why. */
import { EXIT, type ExitCode, GhostfleetError } from '../../kernel/errors.js';
import { NotAtRest } from './not-at-rest.js';

export interface End {
  readonly exitCode: ExitCode;
  /** Why the run failed or ended early; null if it ended as planned. */
  readonly failure: string | null;
  /** What did not come to rest, as clauses such as `clime-0001 with its session`; missing if the run ended otherwise. */
  readonly busy?: readonly string[];
}

/** Waits for the end of a part of the course. @throws every error that is not a GhostfleetError */
export async function awaitEnd(course: () => Promise<void>): Promise<End> {
  try {
    await course();
    return { exitCode: EXIT.fine, failure: null };
  } catch (error) {
    if (error instanceof NotAtRest) return { exitCode: error.exit, failure: error.message, busy: error.busy };
    if (error instanceof GhostfleetError) return { exitCode: error.exit, failure: error.message };
    throw error;
  }
}
