/** How a run failed, so far that two runs can be said to fail in the same way. */
import type { ExpectationOutcome } from '../expect/evaluate.js';

interface Failed {
  readonly exitCode: number;
  readonly expectations: readonly ExpectationOutcome[];
}

/**
 * The same text, the same way: the exit code, and of every failed expectation its line and in which direction it missed.
 * `downlink.delivered == downlink.queued` with less on the left is another failure than with more.
 */
export function failureOf({ exitCode, expectations }: Failed): string {
  const missed = expectations
    .filter(({ passed }) => !passed)
    .map((outcome) => `${outcome.line} (${direction(outcome)})`);
  return [`exit ${exitCode}`, ...missed].join('\n');
}

function direction({ left, right }: ExpectationOutcome): string {
  if (left === null || right === null) return 'no data';
  return left < right ? 'too little' : left > right ? 'too much' : 'equal';
}

/** Lines that compare with a fixed number other than 0: fewer devices may miss it for another reason. */
export function fixedNumbers(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => /[=<>]\s*[1-9]\d*\s*$/.test(line));
}
