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

/** Numbers of a series in a bucket, and their places. */
const [MIN, MEAN, MAX, COUNT, FIELDS] = [0, 1, 2, 3, 4] as const;

/** Buckets of one length without a gap, as numbers in one block: a service may have thousands of spaces. */
class Tier {
  length: Millis;
  /** Index of the first bucket that is kept. */
  first = 0;
  /** Index after the last bucket. */
  end = 0;
  readonly #most: number;
  readonly #stride: number;
  readonly #numbers: Float32Array;

  constructor(length: Millis, most: number, series: number) {
    this.length = length;
    this.#most = most;
    this.#stride = series * FIELDS;
    this.#numbers = new Float32Array(most * this.#stride);
  }

  add(since: Millis, sample: readonly (number | undefined)[]): void {
    const index = Math.max(this.first, Math.floor(since / this.length));
    this.end = Math.max(this.end, index - this.#most);
    for (; this.end <= index; this.end++) this.#clear(this.end);
    this.first = Math.max(this.first, this.end - this.#most);
    sample.forEach((value, series) => {
      if (value !== undefined) this.#merge(this.#place(index, series), [value, value, value, 1]);
    });
  }

  /** Each two buckets become one of twice the length. Only without buckets that are no longer kept. */
  double(): void {
    const old = this.#numbers.slice();
    const used = this.end;
    this.#numbers.fill(0);
    this.length *= 2;
    this.end = Math.ceil(used / 2);
    for (let from = 0; from < used * this.#stride; from += FIELDS) {
      const [bucket, place] = [Math.floor(from / this.#stride), from % this.#stride];
      this.#merge(Math.floor(bucket / 2) * this.#stride + place, [...old.subarray(from, from + FIELDS)]);
    }
  }

  read(bucket: number, series: number, field: number): number | null {
    const place = this.#place(bucket, series);
    if (this.#numbers[place + COUNT] === 0) return null;
    // Numbers of 32 bits have seven digits.
    return Number((this.#numbers[place + field] ?? 0).toPrecision(7));
  }

  #place(bucket: number, series: number): number {
    return (bucket % this.#most) * this.#stride + series * FIELDS;
  }

  #clear(bucket: number): void {
    const place = this.#place(bucket, 0);
    this.#numbers.fill(0, place, place + this.#stride);
  }

  #merge(place: number, [min = 0, mean = 0, max = 0, count = 0]: readonly number[]): void {
    const numbers = this.#numbers;
    const known = numbers[place + COUNT] ?? 0;
    if (count === 0) return;
    numbers[place + MIN] = known === 0 ? min : Math.min(min, numbers[place + MIN] ?? min);
    numbers[place + MAX] = known === 0 ? max : Math.max(max, numbers[place + MAX] ?? max);
    numbers[place + MEAN] = ((numbers[place + MEAN] ?? 0) * known + mean * count) / (known + count);
    numbers[place + COUNT] = known + count;
  }
}
