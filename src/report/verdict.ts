/** The verdict on a run in a word or two, the same in every report. */
import { EXIT } from '../kernel/errors.js';
import { valueBeside } from '../kernel/quantity.js';
import type { RunResult } from './result.js';

interface Verdict {
  readonly word: 'passed' | 'FAILED' | 'INVALID' | 'interrupted' | 'NOT FINISHED';
  /** `open`: the run does not decide whether the expectations are met. */
  readonly look: 'good' | 'bad' | 'open';
}

interface Judged extends Pick<RunResult, 'passed' | 'failure'> {
  /** A summary may be of another author. */
  readonly exitCode: unknown;
}

export function getVerdict({ passed, exitCode, failure }: Judged): Verdict {
  if (exitCode === EXIT.interrupted) return { word: 'interrupted', look: 'open' };
  if (exitCode === EXIT.invalid) return { word: 'INVALID', look: 'bad' };
  if (passed) return { word: 'passed', look: 'good' };
  return { word: failure === null ? 'FAILED' : 'NOT FINISHED', look: 'bad' };
}

/** The value of an expectation that was met; also that of its right side if it was measured and differs: `2m 10s, and 17m 45s` */
export function describeValue({ left, right, unit, compared }: RunResult['expectations'][number]): string {
  if (left === null) return '';
  const value = valueBeside(left, right, unit);
  return compared && right !== null && right !== left ? `${value} and ${valueBeside(right, left, unit)}` : value;
}

/** The mark of an expectation: `?` if the run did not have the data for a verdict. */
export function getMark({ passed, undecided }: RunResult['expectations'][number]): {
  readonly mark: '✓' | '✗' | '?';
  readonly look: Verdict['look'];
  readonly word: string;
} {
  if (passed) return { mark: '✓', look: 'good', word: 'met' };
  return undecided ? { mark: '?', look: 'open', word: 'not decided' } : { mark: '✗', look: 'bad', word: 'not met' };
}
