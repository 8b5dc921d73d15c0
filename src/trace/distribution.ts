/**
 * How durations are spread: an HDR histogram with three significant digits, plus what it would round away (least,
 * greatest, sum). Recording costs some 30 ns; durations are whole milliseconds.
 */
import { build, type Histogram } from 'hdr-histogram-js';
import type { Millis } from '../kernel/time.js';

/** What a report says about a distribution. */
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
  // Made with the first value: of the many stages and types of a run most stay empty.
  #histogram: Histogram | undefined;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  #sum = 0;

  /** All values of `parts` together. */
  static merged(parts: Iterable<Distribution>): Distribution {
    const all = new Distribution();
    for (const part of parts) all.#add(part);
    return all;
  }

  get count(): number {
    return this.#histogram?.totalCount ?? 0;
  }

  /** undefined when nothing was recorded; so are `max`, `mean` and every percentile. */
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

  /** Records a duration; a negative one counts as 0. */
  record(duration: Millis): void {
    const whole = Math.max(0, Math.round(duration));
    this.#histogram ??= emptyHistogram();
    this.#histogram.recordValue(whole);
    this.#sum += whole;
    if (whole < this.#min) this.#min = whole;
    if (whole > this.#max) this.#max = whole;
  }

  /** The value that `percent` % of the values do not exceed, within 0.1 %. `percent` from 0 to 100. */
  percentile(percent: number): Millis | undefined {
    if (this.#histogram === undefined) return undefined;
    // A bucket is named by its upper end, which may lie beyond every recorded value.
    return Math.max(this.#min, Math.min(this.#max, this.#histogram.getValueAtPercentile(percent)));
  }

  /** undefined when nothing was recorded. */
  spread(): Spread | undefined {
    if (this.#histogram === undefined) return undefined;
    return {
      count: this.count,
      min: this.#min,
      mean: Math.round(this.#sum / this.count),
      p50: this.percentile(50) ?? 0,
      p95: this.percentile(95) ?? 0,
      p99: this.percentile(99) ?? 0,
      max: this.#max,
    };
  }

  #add(other: Distribution): void {
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
