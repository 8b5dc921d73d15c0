/** Decides whether two runs fail in the same way. */
import { exactDuration } from '../../kernel/time.js';
import { type ExpectationOutcome, judgeMetrics, type MetricSource } from '../expect/evaluate.js';
import type { Plan } from '../model/plan.js';
import { findFailedWait } from '../plan/wait-failure.js';

interface Failed {
  readonly exitCode: number;
  readonly expectations: readonly ExpectationOutcome[];
  readonly unmet: UnmetWait | null;
}

/** The wait of a step (`after`) that made a run fail. */
export interface UnmetWait {
  /** The condition, evaluated at the end of the run. */
  readonly condition: ExpectationOutcome;
  /** The limit reached, `within` or the scenario's end, with its length: a shorter one proves nothing. */
  readonly limit: string;
}

/**
 * The wait that made a run fail; null if the run passed or failed otherwise.
 * @param failure the failure of the run
 * @param metrics the metrics at the end of the run
 */
export function unmetWait(plan: Plan, failure: string | null, metrics: MetricSource): UnmetWait | null {
  const failed = failure === null ? undefined : findFailedWait(plan, failure);
  if (failed === undefined) return null;
  const { condition, within } = failed;
  const limit =
    within === null ? `the end of the scenario at ${exactDuration(plan.duration)}` : `within ${exactDuration(within)}`;
  return { condition: judgeMetrics(condition, metrics), limit };
}

/** Equal for runs that fail alike: exit code, failed lines with the direction of their difference, limits of unmet waits. */
export function failureOf({ exitCode, expectations, unmet }: Failed): string {
  const missed = missedOf(expectations).map((outcome) => `${outcome.line} (${direction(outcome)})`);
  const waited =
    unmet === null ? [] : [`after ${unmet.condition.line} (${direction(unmet.condition)}), ${unmet.limit}`];
  return [`exit ${exitCode}`, ...waited, ...missed].join('\n');
}

/** The expectations that a run failed or could not decide. Those that it did not reach are left out: any early end leaves them. */
export function missedOf<T extends Pick<ExpectationOutcome, 'passed' | 'cutShort'>>(
  expectations: readonly T[],
): readonly T[] {
  return expectations.filter(({ passed, cutShort }) => !(passed || cutShort));
}

function direction({ passed, undecided, left, right }: ExpectationOutcome): string {
  // The condition of a wait that was met too late.
  if (passed) return 'met';
  if (left === null || right === null) return 'no data';
  if (undecided) return 'not decidable';
  return left < right ? 'too little' : left > right ? 'too much' : 'equal';
}

/** Failed lines that compare with a number other than 0: with fewer devices, they may fail for it, unless too high. */
export function fixedNumbers({ expectations, unmet }: Pick<Failed, 'expectations' | 'unmet'>): readonly string[] {
  return missedOf([...(unmet === null ? [] : [unmet.condition]), ...expectations])
    .filter((outcome) => direction(outcome) !== 'too much')
    .map(({ line }) => line)
    .filter((line) => /[=<>]\s*[1-9]\d*\s*$/.test(line));
}

/**
 * How far a run is from meeting the expectations in `lines`: 0 if the run passes, otherwise above 0. Each failed line adds the
 * difference between its sides divided by the larger side, or 1 if a side has no data or both sides are equal.
 */
export function shortfallOf(
  result: Pick<Failed, 'expectations'> & { readonly passed: boolean },
  lines: readonly string[],
): number {
  if (result.passed) return 0;
  const missed = missedOf(result.expectations).filter(({ line }) => lines.includes(line));
  const sum = missed.reduce((total, { left, right }) => {
    if (left === null || right === null || left === right) return total + 1;
    return total + Math.abs(left - right) / Math.max(Math.abs(left), Math.abs(right));
  }, 0);
  // If none of these lines failed, the run fails in another way, and counts as far from passing.
  return sum > 0 ? sum : Math.max(1, lines.length);
}
