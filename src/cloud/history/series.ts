/**
 * Values over time in buckets, each with minimum, mean and maximum: short ones for the latest time, longer ones for the time
 * before. Their number and memory are limited, however long the whole time is.
 */
import type { Millis, UnixMillis } from '../../kernel/time.js';

/** Most buckets of the whole time. When all are used, each two become one. */
const WHOLE = 600;
/**
 * How many buckets the latest time has, and how many times as long as the shortest ones they are: a power of two, so that
 * longer ones begin where shorter ones do. With 10 s, these are the last 24 hours and the last hour.
 */
const LATEST = [
  { times: 32, most: 270 },
  { times: 1, most: 360 },
] as const;
/** Most buckets of a series. */
export const MOST = LATEST.reduce((sum, { most }) => sum + most, WHOLE);

type Values<Name extends string> = Partial<Readonly<Record<Name, number>>>;

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
  readonly #whole: Tier;
  readonly #latest: readonly Tier[];

  /** @param length that of the shortest buckets */
  constructor(names: readonly Name[], from: UnixMillis, length: Millis) {
    this.from = from;
    this.#names = names;
    this.#whole = new Tier(length, WHOLE, names.length);
    this.#latest = LATEST.map(({ times, most }) => new Tier(times * length, most, names.length));
  }

  /** Adds a sample of each figure that has a value. A time before {@link from} counts as this time. */
  add(at: UnixMillis, values: Values<Name>): void {
    const since = Math.max(0, at - this.from);
    const sample = this.#names.map((name) => values[name]);
    while (since >= this.#whole.length * WHOLE) this.#whole.double();
    for (const tier of [this.#whole, ...this.#latest]) tier.add(since, sample);
  }

  /** The start of each bucket, in ms since {@link from}, and the values of each series. A bucket ends where the next begins. */
  read(): { readonly starts: readonly Millis[]; readonly series: Readonly<Record<Name, Drawn>> } {
    // Those that are as long as the buckets of the whole time, or longer, show nothing more.
    const tiers = [this.#whole, ...this.#latest.filter(({ length }) => length < this.#whole.length)];
    let begin = 0;
    const places = tiers.flatMap((tier, n) => {
      const next = tiers[n + 1];
      const end = next === undefined ? tier.end : Math.ceil((next.first * next.length) / tier.length);
      const first = Math.max(begin / tier.length, tier.first);
      begin = end * tier.length;
      return Array.from({ length: Math.max(0, Math.min(end, tier.end) - first) }, (_, index) => ({
        tier,
        bucket: first + index,
      }));
    });
    const drawn = this.#names.map((name, series): [Name, Drawn] => {
      const column = (field: number) => places.map(({ tier, bucket }) => tier.read(bucket, series, field));
      return [name, { min: column(MIN), mean: column(MEAN), max: column(MAX) }];
    });
    const starts = places.map(({ tier, bucket }) => bucket * tier.length);
    // The cast is safe because each name has an entry.
    return { starts, series: Object.fromEntries(drawn) as Record<Name, Drawn> };
  }
}

/** Buckets of one length without a gap. */
class Tier {
  length: Millis;
  /** Index of the first bucket that is kept. */
  first = 0;
  /** Index after the last bucket. */
  end = 0;
  readonly #most: number;
  readonly #columns: readonly Column[];

  constructor(length: Millis, most: number, series: number) {
    this.length = length;
    this.#most = most;
    this.#columns = Array.from({ length: series }, () => new Column(most));
  }

  add(since: Millis, sample: readonly (number | undefined)[]): void {
    const index = Math.max(this.first, Math.floor(since / this.length));
    this.end = Math.max(this.end, index - this.#most);
    for (; this.end <= index; this.end++) for (const column of this.#columns) column.clear(this.end % this.#most);
    this.first = Math.max(this.first, this.end - this.#most);
    this.#columns.forEach((column, series) => {
      const value = sample[series];
      if (value !== undefined) column.add(index % this.#most, value);
    });
  }

  /** Each two buckets become one of twice the length. Only without buckets that are no longer kept. */
  double(): void {
    this.length *= 2;
    this.end = Math.ceil(this.end / 2);
    for (const column of this.#columns) column.double();
  }

  read(bucket: number, series: number, field: number): number | null {
    return this.#columns[series]?.read(bucket % this.#most, field) ?? null;
  }
}

/** Numbers of a bucket, and their places. */
const [MIN, MEAN, MAX, FIELDS] = [0, 1, 2, 3] as const;
const MOST_COUNTED = 0xffff;
const NO_COUNTS = new Uint16Array(0);

/**
 * A series in the buckets of a tier. It takes memory only for places up to its last one with a value, and for numbers only from
 * the second different value on: a service may have thousands of spaces in which little happens.
 */
class Column {
  readonly #most: number;
  /** Number of values in each bucket, at most {@link MOST_COUNTED}: the weight of its mean. */
  #counts = NO_COUNTS;
  /** Undefined as long as all values are {@link #same}. */
  #numbers: Float32Array | undefined;
  #same: number | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  add(place: number, value: number): void {
    if (place >= this.#counts.length) this.#grow(place + 1);
    this.#same ??= Math.fround(value);
    if (Math.fround(value) !== this.#same) {
      this.#numbers ??= new Float32Array(this.#counts.length * FIELDS).fill(this.#same);
    }
    this.#merge(place, value, value, value, 1);
  }

  clear(place: number): void {
    // A place outside of the array stays free.
    this.#counts[place] = 0;
  }

  double(): void {
    const counts = this.#counts;
    for (let place = 0; place < counts.length; place++) {
      const count = counts[place] ?? 0;
      const [min, mean, max] = [this.#get(place, MIN), this.#get(place, MEAN), this.#get(place, MAX)];
      counts[place] = 0;
      if (count > 0) this.#merge(place >>> 1, min, mean, max, count);
    }
  }

  read(place: number, field: number): number | null {
    if (!this.#counts[place]) return null;
    // Numbers of 32 bits have seven digits.
    return Number(this.#get(place, field).toPrecision(7));
  }

  #get(place: number, field: number): number {
    return (this.#numbers ? this.#numbers[place * FIELDS + field] : this.#same) ?? 0;
  }

  #merge(place: number, min: number, mean: number, max: number, count: number): void {
    const known = this.#counts[place] ?? 0;
    this.#counts[place] = Math.min(MOST_COUNTED, known + count);
    const numbers = this.#numbers;
    if (!numbers) return;
    const begin = place * FIELDS;
    numbers[begin + MIN] = known === 0 ? min : Math.min(min, numbers[begin + MIN] ?? min);
    numbers[begin + MAX] = known === 0 ? max : Math.max(max, numbers[begin + MAX] ?? max);
    numbers[begin + MEAN] = ((numbers[begin + MEAN] ?? 0) * known + mean * count) / (known + count);
  }

  #grow(least: number): void {
    const length = Math.min(this.#most, Math.max(least, 2 * this.#counts.length));
    const [counts, numbers] = [this.#counts, this.#numbers];
    this.#counts = new Uint16Array(length);
    this.#counts.set(counts);
    if (!numbers) return;
    this.#numbers = new Float32Array(length * FIELDS);
    this.#numbers.set(numbers);
  }
}
