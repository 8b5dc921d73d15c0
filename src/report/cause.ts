/** Why an expectation was not met, as far as the results of runs say it. */
import { type Diagnosed, findRedCause } from '../trace/metrics/red-cause.js';
import type { ExpectationResult, RunResult } from './result.js';

type Ended = Diagnosed & Pick<RunResult, 'explanations'>;

/** The likely cause, for runs that have ended. */
export function findCause({ line }: Pick<ExpectationResult, 'line'>, runs: readonly Ended[]): string | undefined {
  const slowest = () => runs.flatMap(({ explanations = [] }) => explanations).toSorted((a, b) => b.took - a.took)[0];
  return findRedCause(line, runs, slowest);
}

/** The result of an expectation that was not met, with its likely cause. */
export function explainFailure(expectation: ExpectationResult, run: Ended): string {
  const cause = findCause(expectation, [run]);
  return cause === undefined ? expectation.sentence : `${expectation.sentence}. ${cause}`;
}
