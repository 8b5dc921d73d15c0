/**
 * Bootstrap interval for the ratio of a number between two runs. The batches of each run are resampled with replacement, a
 * thousand times; the interval spans the resulting ratios. Batches are resampled instead of single values, because values of
 * one device or one minute are correlated: with single values the interval would be too narrow.
 *
 * Because the interval spans all thousand ratios, its confidence level is about 99.8 %. The usual 95 % would be too low: a
 * comparison checks two dozen numbers at once, and one in twenty would be "different" by chance.
 */
import { type Draws, seededRandom } from '../../kernel/random.js';
import type { SampledDurations } from '../../trace/metrics/samples.js';
import { drawWithReplacement, Sample, sumOf } from './sample.js';
import { exp } from './student.js';

const RESAMPLES = 1000;
/** Minimum number of non-empty batches. With fewer, their variation is unknown. */
const FEWEST_BATCHES = 8;
/** Half the width of the interval in standard deviations, for small counts, which mainly vary by chance. */
const SIGMAS = 3.1;

/** A number in runs A and B, and the interval of the ratio B/A. A ratio of 1.2 means that the number of B is a fifth higher. */
export interface Ratio {
  readonly a: number;
  readonly b: number;
  /** Lowest and highest ratio; null if there is too little data. */
  readonly interval: readonly [number, number] | null;
  /** Whether the number is 0 on one side, or in one run only, and too large on the other for chance. */
  readonly emerged?: boolean;
}

/** The ratios of some percentiles of durations. @param percents each from 0 to 100 */
export function computeRatios(a: SampledDurations, b: SampledDurations, percents: readonly number[]): readonly Ratio[] {
  const [one, other] = [new Sample(a), new Sample(b)];
  const [first, second] = makeGenerators();
  const found = percents.map((percent) => ({ a: one.getPercentile(percent), b: other.getPercentile(percent) }));
  const enough = percents.map((percent) =>
    [one, other].every(({ total, filled }) => filled >= FEWEST_BATCHES && total * (1 - percent / 100) >= FEWEST_BEYOND),
  );
  if (!enough.includes(true)) return found.map((ratio) => ({ ...ratio, interval: null }));
  const spans = percents.map(() => new Span());
  for (let i = 0; i < RESAMPLES; i++) {
    one.resample(first);
    other.resample(second);
    percents.forEach((percent, k) => {
      spans[k]?.include(one.getPercentile(percent), other.getPercentile(percent));
    });
  }
  return found.map((ratio, k) => ({ ...ratio, interval: enough[k] ? (spans[k]?.interval ?? null) : null }));
}

/** Minimum number of values above a percentile. With fewer, the percentile is too uncertain. */
export const FEWEST_BEYOND = 10;

/** A count that is 0 on one side has no ratio. It is different if it is at least this number on the other side. */
export const LEAST_NEW_COUNT = 20;

/** The ratio of the sums of counts. */
export function countRatio(a: readonly number[], b: readonly number[]): Ratio {
  const found = { a: sumOf(a), b: sumOf(b) };
  const [least, most] = found.a < found.b ? [found.a, found.b] : [found.b, found.a];
  if (least === 0) return { ...found, emerged: most >= LEAST_NEW_COUNT, interval: null };
  const filled = (counts: readonly number[]) => counts.filter((count) => count > 0).length;
  if (Math.max(filled(a), filled(b)) < FEWEST_BATCHES) return { ...found, interval: null };
  const [first, second] = makeGenerators();
  const span = new Span();
  for (let i = 0; i < RESAMPLES; i++)
    span.include(sumOf(drawWithReplacement(a, first)), sumOf(drawWithReplacement(b, second)));
  const drawn = span.interval;
  if (drawn === null) return { ...found, interval: null };
  // Small counts vary by chance, even if the batches happen to be equal. So the interval is widened by this variation.
  const ratio = found.b / found.a;
  // The square root is about the standard deviation of the logarithm of the ratio. With the logarithm, the ends of the interval
  // stay above 0.
  const chance = exp(SIGMAS * Math.sqrt(1 / found.a + 1 / found.b));
  return { ...found, interval: [Math.min(drawn[0], ratio / chance), Math.max(drawn[1], ratio * chance)] };
}

/** Fixed seeds, so that the same two runs always get the same verdict. */
function makeGenerators(): readonly [Draws, Draws] {
  const random = seededRandom('compare');
  return [random.fork('a'), random.fork('b')];
}

/** The lowest and the highest ratio of pairs of numbers. */
class Span {
  #least = Number.POSITIVE_INFINITY;
  #most = 0;
  #divided = true;

  include(below: number, above: number): void {
    if (below <= 0) this.#divided = false;
    this.#least = Math.min(this.#least, above / below);
    this.#most = Math.max(this.#most, above / below);
  }

  /** null if one of the ratios was a division by zero. */
  get interval(): readonly [number, number] | null {
    return this.#divided ? [this.#least, this.#most] : null;
  }
}
