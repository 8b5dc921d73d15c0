/**
 * Values over time in at most {@link MOST} buckets, each with minimum, mean and maximum. When there are no free buckets,
 * each two become one, so that the whole history always fits, and its size does not grow. Or the oldest ones are forgotten.
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
  readonly #names: readonly Name[];
  /** Number of buckets of which the oldest are forgotten; undefined if each two become one. */
  readonly #kept: number | undefined;
  readonly #buckets: Map<Name, (Bucket | undefined)[]>;
  #from: UnixMillis;
  #length: Millis;
  /** Number of buckets until the latest sample. */
  #used = 0;

  /** @param length first length of a bucket @param kept number of buckets of which the oldest are forgotten; default: none is */
  constructor(names: readonly Name[], from: UnixMillis, length: Millis, kept?: number) {
    this.#from = from;
    this.#kept = kept;
    this.#names = names;
    this.#buckets = new Map(names.map((name) => [name, []]));
    this.#length = length;
  }

  /** Start of the first bucket. */
  get from(): UnixMillis {
    return this.#from;
  }

  /** Length of a bucket. */
  get length(): Millis {
    return this.#length;
  }

  /** Adds a sample of each figure that has a value. A time before {@link from} counts as this time. */
  add(at: UnixMillis, values: Partial<Readonly<Record<Name, number>>>): void {
    const place = () => Math.max(0, Math.floor((at - this.#from) / this.#length));
    if (this.#kept === undefined) while (place() >= MOST) this.#double();
    else this.#forget(place() - this.#kept + 1);
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

  /** @param count number of buckets, if above 0 */
  #forget(count: number): void {
    if (count <= 0) return;
    this.#from += count * this.#length;
    this.#used = Math.max(0, this.#used - count);
    for (const buckets of this.#buckets.values()) buckets.splice(0, count);
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
