/** Why an expectation was not met, as far as the results of runs say it. */
import { type Diagnosed, findRedCause } from '../trace/metrics/red-cause.js';
import type { ExpectationResult, RunResult } from './result.js';

type Ended = Diagnosed & Pick<RunResult, 'explanations'>;

/** The likely cause, for runs that have ended. */
export function findCause({ line }: Pick<ExpectationResult, 'line'>, runs: readonly Ended[]): string | undefined {
  return findRedCause(line, runs, (selector) =>
    runs
      .flatMap(({ explanations = [] }) => explanations)
      .filter(({ device }) => selector === undefined || isOf(selector, device))
      .toSorted((a, b) => b.took - a.took)
      .at(0),
  );
}

/** Whether a selector certainly selects a device: a result has its name only, so the selector is a group or one device of it. */
function isOf(selector: string, device: string): boolean {
  const [, group, number] = /^(.+)-0*(\d+)$/.exec(device) ?? [];
  return selector === group || selector === `${group}/${number}` || selector === device;
}

/** The result of an expectation that was not met, with its likely cause. */
export function explainFailure(expectation: ExpectationResult, run: Ended): string {
  const cause = findCause(expectation, [run]);
  return cause === undefined ? expectation.sentence : `${expectation.sentence}. ${cause}`;
}
