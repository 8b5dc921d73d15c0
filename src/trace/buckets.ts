/**
 * A small histogram: buckets that are at most 3 % wide, in one typed array. For where there are many of them (one for each
 * stretch of time, one for each batch of devices) and a {@link Distribution} with its 0.1 % would be too large.
 *
 * Values are whole numbers from 0 to 2^32 - 1; up to 63 they are exact, beyond that an octave has 32 buckets.
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

  /** Adds a value, rounded to a whole number; what is out of range counts as the nearest that is not. */
  record(value: number): void {
    const index = bucketOf(Math.max(0, Math.min(LARGEST, Math.round(value))));
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#count++;
  }

  add(other: Buckets): void {
    for (let i = 0; i < BUCKETS; i++) this.#counts[i] = (this.#counts[i] ?? 0) + (other.#counts[i] ?? 0);
    this.#count += other.#count;
  }

  /** The value that `percent` % of the values do not exceed; undefined when there are none. */
  percentile(percent: number): number | undefined {
    if (this.#count === 0) return undefined;
    return percentileOf(this.#counts, this.#count, percent);
  }

  /** Bucket, count, bucket, count, …: only those that are not empty. */
  toPairs(): readonly number[] {
    const pairs: number[] = [];
    this.#counts.forEach((count, index) => {
      if (count > 0) pairs.push(index, count);
    });
    return pairs;
  }
}

/** Which bucket a whole number falls into. */
function bucketOf(value: number): number {
  if (value < 2 * IN_OCTAVE) return value;
  const shift = 31 - Math.clz32(value) - BITS;
  return shift * IN_OCTAVE + (value >>> shift);
}

/** The least value of a bucket, and how many there are in it. */
function bucketRange(index: number): { readonly least: number; readonly width: number } {
  if (index < 2 * IN_OCTAVE) return { least: index, width: 1 };
  const shift = Math.floor(index / IN_OCTAVE) - 1;
  const width = 1 << shift;
  return { least: (index - shift * IN_OCTAVE) * width, width };
}

/** Within a bucket values are taken to lie evenly. `total` is the sum of `counts`, which are listed by bucket. */
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
