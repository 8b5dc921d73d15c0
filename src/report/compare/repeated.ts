/**
 * Ratios of figures between two sides of several runs each. A percentile is that of all durations of a side together. Its
 * interval covers two: what remains of the ratio without each of the runs (jackknife), and the ratio of the percentiles that
 * the runs have on their own. Without the second, one or two odd runs that decide a high percentile would look like a
 * difference; without the first, the interval might not contain the ratio.
 *
 * Both are intervals of Student's t for the logarithm of the ratio. A bootstrap of ten runs would be too narrow: it draws from
 * the runs that are there, and so knows nothing about rarer ones.
 */
import type { SampledDurations } from '../../trace/metrics/samples.js';
import { FEWEST_BEYOND, LEAST_NEW_COUNT, type Ratio } from './bootstrap.js';
import { Sample, sumOf } from './sample.js';
import { exp, ln, studentQuantile } from './student.js';

/** A ratio whose interval depends on how likely it must be right. */
export interface UncertainRatio {
  readonly a: number;
  readonly b: number;
  /** How likely chance alone puts a count into all runs of one side and none of the other; undefined if it is not so. */
  readonly parted?: number;
  /** Of the logarithm of the ratio; the interval covers those of all. Empty if there is too little data. */
  readonly estimates: readonly Estimate[];
}

interface Estimate {
  readonly center: number;
  /** Standard error. */
  readonly error: number;
  /** Degrees of freedom of the error. */
  readonly freedom: number;
}

/**
 * The ratios of some percentiles.
 * @param a the durations of each run of side A @param isPaired whether the runs with the same index belong together
 */
export function computeUncertainRatios(
  a: readonly SampledDurations[],
  b: readonly SampledDurations[],
  percents: readonly number[],
  isPaired: boolean,
): readonly UncertainRatio[] {
  const [one, other] = [joinRuns(a), joinRuns(b)];
  const values = percents.map((percent) => [one.getPercentile(percent), other.getPercentile(percent)] as const);
  const [parts, others] = [one.listPercentiles(percents), other.listPercentiles(percents)];
  return values.map(([left, right], k) => {
    const beyond = 1 - (percents[k] ?? 0) / 100;
    const enough = [one, other].every(({ isWhole, total }) => isWhole && total * beyond >= FEWEST_BEYOND);
    const logs = (which: 'alone' | 'without', side: typeof parts) => side.map((part) => ln(part[which][k] ?? 0));
    const positive = [...parts, ...others].every(({ alone, without }) => (alone[k] ?? 0) > 0 && (without[k] ?? 0) > 0);
    if (!enough || !positive) return { a: left, b: right, estimates: [] };
    const [alone, otherAlone] = [logs('alone', parts), logs('alone', others)];
    const estimates = [
      { center: ln(right / left), ...errorOf(logs('without', parts), logs('without', others), jackknifed, isPaired) },
      { center: meanOf(otherAlone) - meanOf(alone), ...errorOf(alone, otherAlone, ofMean, isPaired) },
    ];
    return { a: left, b: right, estimates };
  });
}

/** The ratio of the counts per run. @param a the count of each run of side A */
export function uncertainCountRatio(a: readonly number[], b: readonly number[], isPaired: boolean): UncertainRatio {
  const [one, other] = [sumOf(a), sumOf(b)];
  const found = { a: one / a.length, b: other / b.length };
  if (one === 0 || other === 0) {
    const isParted = one + other >= LEAST_NEW_COUNT && (one === 0 ? b : a).every((count) => count > 0);
    return { ...found, ...(isParted && { parted: chanceOfParting(a.length, b.length) }), estimates: [] };
  }
  const without = (counts: readonly number[], sum: number) =>
    counts.map((count) => (sum - count) / (counts.length - 1));
  const [left, right] = [without(a, one), without(b, other)];
  // One run has all of them.
  if ([...left, ...right].includes(0)) return { ...found, estimates: [] };
  const { error, freedom } = errorOf(left.map(ln), right.map(ln), jackknifed, isPaired);
  // Counts are whole numbers: small ones of the runs may happen to be equal.
  const rounding = (mean: number, runs: number) => 1 / (12 * mean * mean * runs);
  const least = Math.sqrt(rounding(found.a, a.length) + rounding(found.b, b.length));
  const estimate = { center: ln(found.b / found.a), error: Math.max(error, least), freedom };
  return { ...found, estimates: [estimate] };
}

/** The probability that of all runs in any order, those of one side come first or last. */
function chanceOfParting(a: number, b: number): number {
  let chance = 2;
  for (let i = 1; i <= a; i++) chance *= i / (b + i);
  return chance;
}

/** @param probability that the interval does not contain the true ratio */
export function resolve({ a, b, parted = 1, estimates }: UncertainRatio, probability: number): Ratio {
  if (estimates.length === 0) return { a, b, emerged: parted <= probability, interval: null };
  const ends = estimates.map(({ center, error, freedom }) => {
    const reach = studentQuantile(freedom, probability) * error;
    return [exp(center - reach), exp(center + reach)] as const;
  });
  return {
    ...{ a, b },
    interval: [Math.min(...ends.map(([least]) => least)), Math.max(...ends.map(([, most]) => most))],
  };
}

/** The durations of several runs, one part for each. */
export function joinRuns(runs: readonly SampledDurations[]): Sample {
  return new Sample({
    steps: runs[0]?.steps ?? 1,
    min: Math.min(...runs.map(({ min }) => min)),
    max: Math.max(...runs.map(({ max }) => max)),
    batches: runs.map(({ batches }) => batches.flat()),
  });
}

/** The variance of an estimate, from the values of its parts. */
type Scale = (squares: number, parts: number) => number;

/** From the estimates without one part each. */
const jackknifed: Scale = (squares, parts) => (squares * (parts - 1)) / parts;
/** From independent estimates, whose mean is meant. */
const ofMean: Scale = (squares, parts) => squares / (parts * (parts - 1));

function errorOf(a: readonly number[], b: readonly number[], scale: Scale, isPaired: boolean) {
  const variance = (values: readonly number[]) => scale(squaresOf(values), values.length);
  if (isPaired) {
    const differences = b.map((value, i) => value - (a[i] ?? 0));
    return { error: Math.sqrt(variance(differences)), freedom: differences.length - 1 };
  }
  const [one, other] = [variance(a), variance(b)];
  // Welch and Satterthwaite: the sides may vary differently.
  const within = (one * one) / (a.length - 1) + (other * other) / (b.length - 1);
  const freedom = within === 0 ? a.length + b.length - 2 : ((one + other) * (one + other)) / within;
  return { error: Math.sqrt(one + other), freedom };
}

/** Sum of the squared distances from the mean. */
function squaresOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return sumOf(values.map((value) => (value - mean) * (value - mean)));
}

function meanOf(values: readonly number[]): number {
  return sumOf(values) / values.length;
}
