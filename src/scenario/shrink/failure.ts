/** Decides whether two runs fail in the same way. */
import type { ExpectationOutcome } from '../expect/evaluate.js';

interface Failed {
  readonly exitCode: number;
  readonly expectations: readonly ExpectationOutcome[];
}

/**
 * A text that is equal for runs that fail in the same way: the exit code, and for every failed expectation its line and the
 * direction of the difference. `downlink.delivered == downlink.queued` fails differently with a lower left side than with a
 * higher one.
 */
export function failureOf({ exitCode, expectations }: Failed): string {
  const missed = expectations
    .filter(({ passed }) => !passed)
    .map((outcome) => `${outcome.line} (${direction(outcome)})`);
  return [`exit ${exitCode}`, ...missed].join('\n');
}

function direction({ undecided, left, right }: ExpectationOutcome): string {
  if (left === null || right === null) return 'no data';
  if (undecided) return 'not decidable';
  return left < right ? 'too little' : left > right ? 'too much' : 'equal';
}

/** The lines that compare with a whole number other than 0. With fewer devices, such a line can fail for another reason. */
export function fixedNumbers(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => /[=<>]\s*[1-9]\d*\s*$/.test(line));
}

/**
 * How far a run is from meeting the expectations in `lines`: 0 if the run passes, otherwise above 0. Each failed line adds the
 * difference between its sides divided by the larger side, or 1 if a side has no data or both sides are equal.
 */
export function shortfallOf(result: Failed & { readonly passed: boolean }, lines: readonly string[]): number {
  if (result.passed) return 0;
  const missed = result.expectations.filter(({ line, passed }) => !passed && lines.includes(line));
  const sum = missed.reduce((total, { left, right }) => {
    if (left === null || right === null || left === right) return total + 1;
    return total + Math.abs(left - right) / Math.max(Math.abs(left), Math.abs(right));
  }, 0);
  // If none of these lines failed, the run fails in another way, and counts as far from passing.
  return sum > 0 ? sum : Math.max(1, lines.length);
}
