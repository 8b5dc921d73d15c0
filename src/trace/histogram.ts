/**
 * A histogram of whole numbers from 0 to 2^53 - 1. Every percentile of a run comes from such a histogram, so that the same
 * percentile has the same value wherever it is shown. For percentiles over several histograms, the histograms are added;
 * percentiles are never averaged.
 *
 * Resolution: numbers up to 2047 are exact. Above that, each octave (from one power of two to the next) has 1024 buckets of
 * equal width, so that the width of a bucket is less than 0.1 % of its numbers.
 *
 * Memory grows with the number of buckets that have values: their counts are in a hash table with open addressing, which takes
 * 8 to 16 bytes for each bucket (docs/adr/0015-one-histogram.md).
 */
const IN_OCTAVE = 1024;
/** Numbers below this have a bucket each. */
const EXACT = 2 * IN_OCTAVE;
/** Binary logarithm of {@link IN_OCTAVE}. */
const BITS = 10;
const WORD = 4_294_967_296;
/** There are fewer buckets. */
export const MOST_BUCKETS = 46_000;
/** Slots of the smallest table. The number of slots is a power of two, at most 2^16. */
const FEWEST_SLOTS = 8;

export class Histogram {
  /** For each slot the number of its bucket plus 1, or 0 if the slot is free. */
  #buckets = NO_BUCKETS;
  #counts = NO_COUNTS;
  /** Slots in use. */
  #used = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** @param value a whole number from 0 to 2^53 - 1 */
  record(value: number): void {
    this.#add(findBucket(value), 1);
  }

  /** Adds all counts of another histogram. */
  add(other: Histogram): void {
    other.#buckets.forEach((bucket, slot) => {
      if (bucket > 0) this.#add(bucket - 1, other.#counts[slot] ?? 0);
    });
  }

  /**
   * The values with these ranks, each rounded up to the largest number of its bucket.
   * @param ranks ascending; the smallest value has rank 1, the largest has rank `count`
   */
  findAtRanks(ranks: readonly number[]): readonly number[] {
    const values: number[] = [];
    let before = 0;
    for (const bucket of this.#sortBuckets()) {
      before += this.#counts[this.#findSlot(bucket)] ?? 0;
      while (before >= (ranks[values.length] ?? Number.POSITIVE_INFINITY)) values.push(findGreatest(bucket));
    }
    return values;
  }

  /** The buckets with values as `number, count, number, count, …`, ascending. Each number is the smallest one of its bucket. */
  listPairs(): readonly number[] {
    return Array.from(this.#sortBuckets()).flatMap((bucket) => [
      findLeast(bucket),
      this.#counts[this.#findSlot(bucket)] ?? 0,
    ]);
  }

  #sortBuckets(): Uint16Array {
    return this.#buckets
      .filter((bucket) => bucket > 0)
      .sort()
      .map((bucket) => bucket - 1);
  }

  #add(bucket: number, count: number): void {
    // At most three quarters of the slots are in use, so that a search in the table is short.
    if (4 * (this.#used + 1) > 3 * this.#buckets.length) this.#grow();
    const slot = this.#findSlot(bucket);
    if (this.#buckets[slot] === 0) {
      this.#buckets[slot] = bucket + 1;
      this.#used++;
    }
    this.#counts[slot] = (this.#counts[slot] ?? 0) + count;
    this.#count += count;
  }

  /** The slot of a bucket, or the free slot that it would get. */
  #findSlot(bucket: number): number {
    const buckets = this.#buckets;
    const mask = buckets.length - 1;
    // The multiplication spreads consecutive buckets over the table (Knuth, The Art of Computer Programming, vol. 3, section
    // 6.4).
    let slot = (Math.imul(bucket, 0x9e37_79b1) >>> 16) & mask;
    while (buckets[slot] !== 0 && buckets[slot] !== bucket + 1) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [buckets, counts] = [this.#buckets, this.#counts];
    const slots = Math.max(FEWEST_SLOTS, 2 * buckets.length);
    this.#buckets = new Uint16Array(slots);
    this.#counts = new Uint32Array(slots);
    buckets.forEach((bucket, old) => {
      if (bucket === 0) return;
      const slot = this.#findSlot(bucket - 1);
      this.#buckets[slot] = bucket;
      this.#counts[slot] = counts[old] ?? 0;
    });
  }
}

/** Shared by all empty histograms. */
const NO_BUCKETS = new Uint16Array(0);
const NO_COUNTS = new Uint32Array(0);

/**
 * The rank of a percentile among `count` values: the lowest rank such that at least `percent` % of the values have this rank or
 * a lower one. The tolerance absorbs rounding errors: in floating point, 7 % of 100 is a little more than 7.
 * @param percent 0 to 100
 */
export function findRank(percent: number, count: number): number {
  return Math.max(1, Math.ceil((percent / 100) * count - 1e-9));
}

/** The largest number in the bucket of `value`. */
export function roundUp(value: number): number {
  return findGreatest(findBucket(value));
}

function findBucket(value: number): number {
  if (value < EXACT) return value;
  const bits = value < WORD ? 32 - Math.clz32(value) : 64 - Math.clz32(Math.floor(value / WORD));
  const shift = bits - 1 - BITS;
  return shift * IN_OCTAVE + Math.floor(value / computePower(shift));
}

function findLeast(bucket: number): number {
  if (bucket < EXACT) return bucket;
  const shift = Math.floor(bucket / IN_OCTAVE) - 1;
  return (bucket - shift * IN_OCTAVE) * computePower(shift);
}

function findGreatest(bucket: number): number {
  return findLeast(bucket + 1) - 1;
}

/** @param exponent 0 to 43 */
function computePower(exponent: number): number {
  return exponent < 31 ? 1 << exponent : (1 << (exponent - 16)) * 65_536;
}
