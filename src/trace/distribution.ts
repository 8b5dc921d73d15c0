/**
 * A distribution of durations: an HDR histogram with three significant digits, plus the exact minimum, maximum and sum.
 * Recording a duration costs about 30 ns. Durations are rounded to whole milliseconds, or to microseconds for API latencies.
 */
import { build, type Histogram } from 'hdr-histogram-js';
import type { Millis } from '../kernel/time.js';

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
  /** Steps per millisecond; durations are rounded to a step. */
  readonly #steps: number;
  // Created with the first value, because most distributions of a run stay empty.
  #histogram: Histogram | undefined;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  #sum = 0;

  /** @param steps per millisecond: 1000 for durations that are measured in microseconds */
  constructor(steps = 1) {
    this.#steps = steps;
  }

  /** One distribution of all values of `parts`. @throws RangeError when the steps differ */
  static merged(parts: Iterable<Distribution>): Distribution {
    let all: Distribution | undefined;
    for (const part of parts) {
      all ??= new Distribution(part.#steps);
      all.#add(part);
    }
    return all ?? new Distribution();
  }

  get count(): number {
    return this.#histogram?.totalCount ?? 0;
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
    this.#histogram ??= emptyHistogram();
    this.#histogram.recordValue(counted);
    const whole = counted / this.#steps;
    this.#sum += whole;
    if (whole < this.#min) this.#min = whole;
    if (whole > this.#max) this.#max = whole;
  }

  /** The value that `percent` (0 to 100) % of the values do not exceed, within 0.1 %. */
  percentile(percent: number): Millis | undefined {
    if (this.#histogram === undefined) return undefined;
    // The histogram returns the upper end of a bucket, which may exceed every recorded value.
    return Math.max(this.#min, Math.min(this.#max, this.#histogram.getValueAtPercentile(percent) / this.#steps));
  }

  /** undefined when nothing was recorded. */
  spread(): Spread | undefined {
    if (this.#histogram === undefined) return undefined;
    return {
      count: this.count,
      min: this.#min,
      mean: Math.round((this.#sum / this.count) * this.#steps) / this.#steps,
      p50: this.percentile(50) ?? 0,
      p95: this.percentile(95) ?? 0,
      p99: this.percentile(99) ?? 0,
      max: this.#max,
    };
  }

  #add(other: Distribution): void {
    if (other.#steps !== this.#steps) throw new RangeError('distributions of different steps cannot be merged');
    if (other.#histogram === undefined) return;
    this.#histogram ??= emptyHistogram();
    this.#histogram.add(other.#histogram);
    this.#sum += other.#sum;
    this.#min = Math.min(this.#min, other.#min);
    this.#max = Math.max(this.#max, other.#max);
  }
}

function emptyHistogram(): Histogram {
  return build({ numberOfSignificantValueDigits: 3, bitBucketSize: 32, autoResize: true, useWebAssembly: false });
}
