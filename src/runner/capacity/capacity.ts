/** A search for the capacity of a service, from its question to its result. */
import type { ExitCode } from '../../kernel/errors.js';
import type { CapacityResult, LevelRun } from '../../report/capacity/result.js';
import { conclude } from './conclude.js';
import { findBorder } from './find.js';
import type { Levels } from './levels.js';
import type { Question } from './question.js';

interface SearchOptions {
  readonly question: Question;
  readonly levels: Levels;
  /** Runs of an earlier search that this one continues. */
  readonly known: readonly LevelRun[];
  /** Ends the search with what is known. */
  readonly signal: AbortSignal;
  /** Why the signal has ended the search; undefined while it has not. */
  readonly ended: () => { readonly why: string; readonly exitCode: ExitCode } | undefined;
  /** What to add if the generator is the limit, as a sentence. */
  readonly more: string;
  /** The command of the search. */
  readonly reproduce: string;
  /** Called after each run with what is known so far. */
  readonly onRun: (run: LevelRun, soFar: CapacityResult) => void;
}

/**
 * Searches the largest level at which all expectations hold. Closes the levels.
 * @throws GhostfleetError if a run cannot be made, and for expectations that have nothing to do with the level
 */
export async function searchCapacity(options: SearchOptions): Promise<CapacityResult> {
  const { question, levels, known, signal, ended, more, reproduce, onRun } = options;
  const resultOf = (runs: readonly LevelRun[], end?: { holds: number | null; fails: number | null }) =>
    conclude({ runs, end }, { question: question.asked, about: question.notes, reproduce, ended: ended(), more });
  try {
    const found = await findBorder({
      ...question,
      levels,
      known,
      signal,
      onRun: (runs) => {
        const run = runs.at(-1);
        if (run !== undefined) onRun(run, resultOf(runs));
      },
    });
    return resultOf(found.runs, found.end);
  } finally {
    await levels.close();
  }
}
