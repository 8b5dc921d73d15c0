/**
 * A distribution of durations: a {@link Histogram}, plus the exact minimum, maximum and sum. Durations are rounded to whole
 * milliseconds; those of API latencies to whole microseconds. Percentiles are exact up to 2047 ms (or µs); above that, they are
 * at most 0.1 % above the recorded duration.
 */
import type { Millis } from '../kernel/time.js';
import { findRank, Histogram } from './histogram.js';

/** Summary of a distribution, as reports show it. */
export interface Spread {
  readonly count: number;
  readonly min: Millis;
  readonly mean: Millis;
  readonly p50: Millis;
  readonly p95: Millis;
  readonly p99: Millis;
  readonly max: Millis;
}

export class Distribution {
  /** Resolution, in steps per millisecond: durations are rounded to whole steps. */
  readonly #steps: number;
  readonly #histogram = new Histogram();
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  #sum = 0;

  /** @param steps steps per millisecond: 1000 for durations that are measured in microseconds */
  constructor(steps = 1) {
    this.#steps = steps;
  }

  /** One distribution of all values of `parts`. @throws RangeError when the steps differ */
  static merge(parts: Iterable<Distribution>): Distribution {
    let all: Distribution | undefined;
    for (const part of parts) {
      all ??= new Distribution(part.#steps);
      all.add(part);
    }
    return all ?? new Distribution();
  }

  get count(): number {
    return this.#histogram.count;
  }

  /** `min`, `max`, `mean` and percentiles are undefined when nothing was recorded. */
  get min(): Millis | undefined {
    return this.count === 0 ? undefined : this.#min;
  }

  get max(): Millis | undefined {
    return this.count === 0 ? undefined : this.#max;
  }

  get mean(): Millis | undefined {
    return this.count === 0 ? undefined : this.#sum / this.count;
  }

  get sum(): Millis {
    return this.#sum;
  }

  /** Records a duration; a negative duration counts as 0. */
  record(duration: Millis): void {
    const counted = Math.max(0, Math.round(duration * this.#steps));
    this.#histogram.record(counted);
    const whole = counted / this.#steps;
    this.#sum += whole;
    if (whole < this.#min) this.#min = whole;
    if (whole > this.#max) this.#max = whole;
  }

  /** Adds the values of another distribution. @throws RangeError when the steps differ */
  add(other: Distribution): void {
    if (other.#steps !== this.#steps) throw new RangeError('distributions of different steps cannot be merged');
    this.#histogram.add(other.#histogram);
    this.#sum += other.#sum;
    this.#min = Math.min(this.#min, other.#min);
    this.#max = Math.max(this.#max, other.#max);
  }

  /** The smallest value that at least `percent` % of the values do not exceed. @param percent 0 to 100 */
  findPercentile(percent: number): Millis | undefined {
    return this.findPercentiles([percent])[0];
  }

  /** Several percentiles, faster than one at a time; empty when nothing was recorded. @param percents ascending */
  findPercentiles(percents: readonly number[]): readonly Millis[] {
    return this.#findAtRanks(percents.map((percent) => findRank(percent, this.count)));
  }

  /** The value with this rank, from 1 to `count`. @throws RangeError for any other rank. */
  findAtRank(rank: number): Millis {
    const [value] = this.#findAtRanks([rank]);
    if (value === undefined)
      throw new RangeError(`a distribution of ${this.count} values has no value of rank ${rank}`);
    return value;
  }

  /** The histogram as pairs: a duration in steps, and its count ({@link Histogram.listPairs}). */
  listPairs(): readonly number[] {
    return this.#histogram.listPairs();
  }

  /**
   * The number of values in each bucket: up to the first bound, above it and up to the second, and so on, and at last above all.
   * @param bounds ascending
   */
  countBuckets(bounds: readonly Millis[]): readonly number[] {
    const counts = new Array<number>(bounds.length + 1).fill(0);
    const pairs = this.listPairs();
    let bucket = 0;
    for (let i = 0; i < pairs.length; i += 2) {
      while (bucket < bounds.length && (pairs[i] ?? 0) / this.#steps > (bounds[bucket] ?? 0)) bucket++;
      counts[bucket] = (counts[bucket] ?? 0) + (pairs[i + 1] ?? 0);
    }
    return counts;
  }

  /** undefined when nothing was recorded. */
  spread(): Spread | undefined {
    const [p50, p95, p99] = this.findPercentiles([50, 95, 99]);
    if (p50 === undefined || p95 === undefined || p99 === undefined) return undefined;
    return {
      count: this.count,
      min: this.#min,
      mean: Math.round((this.#sum / this.count) * this.#steps) / this.#steps,
      p50,
      p95,
      p99,
      max: this.#max,
    };
  }

  #findAtRanks(ranks: readonly number[]): readonly Millis[] {
    return this.#histogram
      .findAtRanks(ranks)
      .map((value) => clampPercentile(value / this.#steps, this.#min, this.#max));
  }
}

/** Limits a percentile to the range of the recorded values, because it is rounded up to the end of its bucket. */
export function clampPercentile(value: Millis, min: Millis, max: Millis): Millis {
  return Math.max(min, Math.min(max, value));
}
