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
  /** If all runs of one side have more than all of the other, and the ratio has no interval. */
  readonly parted?: Parted;
  /** Of the logarithm of the ratio; the interval covers those of all. Empty if there is too little data. */
  readonly estimates: readonly Estimate[];
}

interface Parted {
  /** How likely chance alone puts a count into all runs of one side and none of the other; 1 if the other has it. */
  readonly chance: number;
  /** Of the logarithm of the ratio of the larger side to the smaller one, which is at least this. */
  readonly least: Estimate;
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
  const [left, right] = [leaveOutEach(a), leaveOutEach(b)];
  // One run has all of them, or none has any.
  if ([...left, ...right].includes(0)) {
    const parted = one < other ? partCounts(a, b) : partCounts(b, a);
    return { ...found, ...(parted && { parted }), estimates: [] };
  }
  const { error, freedom } = errorOf(left.map(ln), right.map(ln), jackknifed, isPaired);
  // Counts are whole numbers: small ones of the runs may happen to be equal.
  const rounding = (mean: number, runs: number) => 1 / (12 * mean * mean * runs);
  const least = Math.sqrt(rounding(found.a, a.length) + rounding(found.b, b.length));
  const estimate = { center: ln(found.b / found.a), error: Math.max(error, least), freedom };
  return { ...found, estimates: [estimate] };
}

/** The mean of the counts but one, for each. */
function leaveOutEach(counts: readonly number[]): readonly number[] {
  const sum = sumOf(counts);
  return counts.map((count) => (sum - count) / (counts.length - 1));
}

/** Undefined if the sides overlap, or if there are too few. */
function partCounts(fewer: readonly number[], more: readonly number[]): Parted | undefined {
  if (sumOf(more) < LEAST_NEW_COUNT || Math.min(...more) <= Math.max(...fewer)) return undefined;
  // A logarithm needs a count in each run: with 1 instead of 0, the ratio is smaller than the true one.
  const sides = [fewer.map((count) => Math.max(count, 1)), more];
  const known = sides.map((counts) => jackknifed(squaresOf(leaveOutEach(counts).map(ln)), counts.length));
  // Counts that happen to be equal vary by chance (Poisson).
  const variance = sumOf(sides.map((counts, i) => Math.max(known[i] ?? 0, 1 / sumOf(counts))));
  const within = sumOf(known.map((each, i) => (each * each) / ((sides[i]?.length ?? 0) - 1)));
  const most = fewer.length + more.length - 2;
  const freedom = within === 0 ? most : Math.min(most, (variance * variance) / within);
  const [small = 0, large = 0] = sides.map((counts) => ln(meanOf(counts)));
  const least = { center: large - small, error: Math.sqrt(variance), freedom };
  return { chance: sumOf(fewer) === 0 ? chanceOfParting(fewer.length, more.length) : 1, least };
}

/**
 * At most this is the probability that all runs of one side have a count and none of the other, if the runs of both have it
 * equally often.
 */
function chanceOfParting(a: number, b: number): number {
  let chance = 2;
  for (let i = 0; i < a; i++) chance *= a / (a + b);
  for (let i = 0; i < b; i++) chance *= b / (a + b);
  return chance;
}

/** @param probability that the interval does not contain the true ratio */
export function resolve({ a, b, parted, estimates }: UncertainRatio, probability: number): Ratio {
  if (estimates.length === 0) return { a, b, emerged: isBeyondChance(parted, probability), interval: null };
  const ends = estimates.map(({ center, error, freedom }) => {
    const reach = studentQuantile(freedom, probability) * error;
    return [exp(center - reach), exp(center + reach)] as const;
  });
  return {
    ...{ a, b },
    interval: [Math.min(...ends.map(([least]) => least)), Math.max(...ends.map(([, most]) => most))],
  };
}

function isBeyondChance(parted: Parted | undefined, probability: number): boolean {
  if (parted === undefined) return false;
  const { center, error, freedom } = parted.least;
  return parted.chance <= probability || center > studentQuantile(freedom, probability) * error;
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
