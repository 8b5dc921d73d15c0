/**
 * Values over time in at most {@link MOST} buckets, each with minimum, mean and maximum. When there are no free buckets,
 * each two become one, so that the whole history always fits, and its size does not grow.
 */
import type { Millis, UnixMillis } from '../../kernel/time.js';

export const MOST = 600;

interface Bucket {
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  readonly count: number;
}

/** For each bucket a value; null without a sample. */
interface Drawn {
  readonly min: readonly (number | null)[];
  readonly mean: readonly (number | null)[];
  readonly max: readonly (number | null)[];
}

/** Series that share their buckets. */
export class SeriesSet<Name extends string> {
  readonly from: UnixMillis;
  readonly #names: readonly Name[];
  readonly #buckets: Map<Name, (Bucket | undefined)[]>;
  #length: Millis;
  /** Number of buckets until the latest sample. */
  #used = 0;

  /** @param length first length of a bucket */
  constructor(names: readonly Name[], from: UnixMillis, length: Millis) {
    this.from = from;
    this.#names = names;
    this.#buckets = new Map(names.map((name) => [name, []]));
    this.#length = length;
  }

  /** Length of a bucket. */
  get length(): Millis {
    return this.#length;
  }

  /** Adds a sample of each figure that has a value. A time before {@link from} counts as this time. */
  add(at: UnixMillis, values: Partial<Readonly<Record<Name, number>>>): void {
    const place = () => Math.max(0, Math.floor((at - this.from) / this.#length));
    while (place() >= MOST) this.#double();
    const index = place();
    this.#used = Math.max(this.#used, index + 1);
    for (const name of this.#names) {
      const value = values[name];
      const buckets = this.#buckets.get(name);
      if (value === undefined || buckets === undefined) continue;
      buckets[index] = merged(buckets[index], { min: value, max: value, sum: value, count: 1 });
    }
  }

  read(name: Name): Drawn {
    const buckets = this.#buckets.get(name) ?? [];
    const column = (of: (bucket: Bucket) => number) =>
      Array.from({ length: this.#used }, (_, n) => {
        const bucket = buckets[n];
        return bucket === undefined ? null : of(bucket);
      });
    return {
      min: column(({ min }) => min),
      mean: column(({ sum, count }) => sum / count),
      max: column(({ max }) => max),
    };
  }

  #double(): void {
    this.#length *= 2;
    this.#used = Math.ceil(this.#used / 2);
    for (const [name, buckets] of this.#buckets) {
      const half: (Bucket | undefined)[] = [];
      for (let n = 0; n < this.#used; n++) half[n] = merged(buckets[2 * n], buckets[2 * n + 1]);
      this.#buckets.set(name, half);
    }
  }
}

function merged(a: Bucket | undefined, b: Bucket | undefined): Bucket | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    sum: a.sum + b.sum,
    count: a.count + b.count,
  };
}
