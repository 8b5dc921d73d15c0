/**
 * Values over time in buckets, each with minimum, mean and maximum: short ones for the latest time, longer ones for the time
 * before. Their number is limited, however long the whole time is.
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

interface Bucket {
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  readonly count: number;
}

type Values<Name extends string> = Partial<Readonly<Record<Name, number>>>;
type Buckets<Name extends string> = Partial<Readonly<Record<Name, Bucket>>>;

/** For each bucket a value; null without a sample. */
interface Drawn {
  readonly min: readonly (number | null)[];
  readonly mean: readonly (number | null)[];
  readonly max: readonly (number | null)[];
}

/** Buckets of one length, without a gap; the first one begins at a multiple of this length. */
interface Tier<Name extends string> {
  length: Millis;
  /** Number of earlier buckets that are no longer kept. */
  gone: number;
  buckets: Buckets<Name>[];
}

/** Series that share their buckets. */
export class SeriesSet<Name extends string> {
  readonly from: UnixMillis;
  readonly #names: readonly Name[];
  readonly #whole: Tier<Name>;
  readonly #latest: readonly { readonly tier: Tier<Name>; readonly most: number }[];

  /** @param length that of the shortest buckets */
  constructor(names: readonly Name[], from: UnixMillis, length: Millis) {
    this.from = from;
    this.#names = names;
    this.#whole = { length, gone: 0, buckets: [] };
    this.#latest = LATEST.map(({ times, most }) => ({ tier: { length: times * length, gone: 0, buckets: [] }, most }));
  }

  /** Adds a sample of each figure that has a value. A time before {@link from} counts as this time. */
  add(at: UnixMillis, values: Values<Name>): void {
    const since = Math.max(0, at - this.from);
    while (Math.floor(since / this.#whole.length) >= WHOLE) double(this.#whole);
    addTo(this.#whole, since, values);
    for (const { tier, most } of this.#latest) {
      const skipped = Math.floor(since / tier.length) - tier.gone - tier.buckets.length;
      if (skipped >= most) Object.assign(tier, { gone: tier.gone + tier.buckets.length + skipped, buckets: [] });
      addTo(tier, since, values);
      const over = Math.max(0, tier.buckets.length - most);
      tier.buckets.splice(0, over);
      tier.gone += over;
    }
  }

  /** The start of each bucket, in ms since {@link from}, and the values of each series. A bucket ends where the next begins. */
  read(): { readonly starts: readonly Millis[]; readonly series: Readonly<Record<Name, Drawn>> } {
    // Those that are as long as the buckets of the whole time, or longer, show nothing more.
    const finer = this.#latest.filter(({ tier }) => tier.length < this.#whole.length).map(({ tier }) => tier);
    const tiers = [this.#whole, ...finer];
    let begin = 0;
    const parts = tiers.flatMap((tier, n) => {
      const { length, gone, buckets } = tier;
      const next = tiers[n + 1];
      const last = next === undefined ? gone + buckets.length : Math.ceil((next.gone * next.length) / length);
      const first = begin / length;
      begin = last * length;
      return buckets
        .slice(Math.max(0, first - gone), last - gone)
        .map((bucket, index) => ({ start: (Math.max(first, gone) + index) * length, bucket }));
    });
    const draw = (name: Name, of: (bucket: Bucket) => number) =>
      parts.map(({ bucket: { [name]: bucket } }) => (bucket === undefined ? null : of(bucket)));
    const drawn = this.#names.map((name): [Name, Drawn] => [
      name,
      {
        min: draw(name, ({ min }) => min),
        mean: draw(name, ({ sum, count }) => sum / count),
        max: draw(name, ({ max }) => max),
      },
    ]);
    // The cast is safe because each name has an entry.
    return { starts: parts.map(({ start }) => start), series: Object.fromEntries(drawn) as Record<Name, Drawn> };
  }
}

function addTo<Name extends string>({ length, gone, buckets }: Tier<Name>, since: Millis, values: Values<Name>): void {
  const index = Math.max(0, Math.floor(since / length) - gone);
  while (buckets.length <= index) buckets.push({});
  const sample: Partial<Record<Name, Bucket>> = {};
  for (const name of Object.keys(values) as Name[]) {
    const value = values[name];
    if (value !== undefined) sample[name] = { min: value, max: value, sum: value, count: 1 };
  }
  buckets[index] = merged(buckets[index] ?? {}, sample);
}

function double<Name extends string>(tier: Tier<Name>): void {
  tier.length *= 2;
  tier.buckets = Array.from({ length: Math.ceil(tier.buckets.length / 2) }, (_, n) =>
    merged(tier.buckets[2 * n] ?? {}, tier.buckets[2 * n + 1] ?? {}),
  );
}

function merged<Name extends string>(a: Buckets<Name>, b: Buckets<Name>): Buckets<Name> {
  const both: Partial<Record<Name, Bucket>> = { ...a };
  for (const name of Object.keys(b) as Name[]) {
    const [one, other] = [a[name], b[name]];
    if (one === undefined || other === undefined) both[name] = one ?? other;
    else {
      both[name] = {
        min: Math.min(one.min, other.min),
        max: Math.max(one.max, other.max),
        sum: one.sum + other.sum,
        count: one.count + other.count,
      };
    }
  }
  return both;
}
