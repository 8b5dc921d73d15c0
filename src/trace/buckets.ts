/**
 * A small histogram: 896 buckets, each at most 3 % wide, in one typed array of 3.5 kB. It is used where a run needs many
 * histograms (one per time bin, one per batch of devices) and a {@link Distribution}, with 0.1 %, would be too large.
 *
 * Values are whole numbers from 0 to 2^32 - 1. Values up to 63 are exact; above that, each octave has 32 buckets.
 */
const IN_OCTAVE = 32;
const BITS = 5;
const BUCKETS = 28 * IN_OCTAVE;
const LARGEST = 4_294_967_295;

export class Buckets {
  readonly #counts = new Uint32Array(BUCKETS);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Adds a value, rounded to a whole number and clamped to the range 0 to 2^32 - 1. */
  record(value: number): void {
    const index = bucketOf(Math.max(0, Math.min(LARGEST, Math.round(value))));
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#count++;
  }

  add(other: Buckets): void {
    for (let i = 0; i < BUCKETS; i++) this.#counts[i] = (this.#counts[i] ?? 0) + (other.#counts[i] ?? 0);
    this.#count += other.#count;
  }

  /** The value that `percent` % of the recorded values do not exceed; undefined when nothing was recorded. */
  percentile(percent: number): number | undefined {
    if (this.#count === 0) return undefined;
    return percentileOf(this.#counts, this.#count, percent);
  }

  /** The non-empty buckets as index, count, index, count, … */
  toPairs(): readonly number[] {
    const pairs: number[] = [];
    this.#counts.forEach((count, index) => {
      if (count > 0) pairs.push(index, count);
    });
    return pairs;
  }
}

/** Index of the bucket that a whole number falls into. */
function bucketOf(value: number): number {
  if (value < 2 * IN_OCTAVE) return value;
  const shift = 31 - Math.clz32(value) - BITS;
  return shift * IN_OCTAVE + (value >>> shift);
}

/** The least value of a bucket, and the number of values that it spans. */
function bucketRange(index: number): { readonly least: number; readonly width: number } {
  if (index < 2 * IN_OCTAVE) return { least: index, width: 1 };
  const shift = Math.floor(index / IN_OCTAVE) - 1;
  const width = 1 << shift;
  return { least: (index - shift * IN_OCTAVE) * width, width };
}

/**
 * Percentile of a histogram, interpolated as if values were spread evenly within a bucket.
 * @param counts by bucket index
 * @param total sum of `counts`
 * @param percent 0 to 100
 */
export function percentileOf(counts: ArrayLike<number>, total: number, percent: number): number {
  const rank = (percent / 100) * total;
  let before = 0;
  let last = 0;
  for (let index = 0; index < counts.length; index++) {
    const count = counts[index] ?? 0;
    if (count === 0) continue;
    const { least, width } = bucketRange(index);
    if (before + count >= rank) return least + (width - 1) * Math.max(0, (rank - before) / count);
    before += count;
    last = least + width - 1;
  }
  return last;
}
