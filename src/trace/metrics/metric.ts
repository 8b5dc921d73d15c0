/** Metrics are counts or distributions of durations, from the trace; each family is a file. */
import type { Instant, Millis } from '../../kernel/time.js';
import type { Distribution } from '../distribution.js';

/** `count`: a number. `durations`: a distribution in milliseconds; its `count` can be used as a number. */
type MetricShape = 'count' | 'durations';

/** Description of a metric, for `ghostfleet list metrics`. */
export interface MetricInfo {
  readonly name: string;
  readonly shape: MetricShape;
  readonly about: string;
  /** Scopes that have a value of the metric: parts of the fleet, or the loads of a client. null: only the whole run has one. */
  readonly of: 'devices' | 'clients' | null;
  /** Whether expectations can use `within`: the share of exchanges that completed within a duration ({@link Share}). */
  readonly within: boolean;
}

/** Value of a metric. */
export type Measure =
  | { readonly kind: 'count'; readonly value: number }
  | {
      readonly kind: 'durations';
      readonly distribution: Distribution;
      readonly missing: Missing;
      /** For exports, whose readers take a duration that changes for a restart; left out if no duration changes. */
      readonly lasting?: (() => Distribution) | undefined;
    };

/** Exchanges that began but have no duration, counted by state: `{ pending: 2, cancelled: 1 }`. */
export type Missing = Readonly<Record<string, number>>;

/** Number of exchanges that reached a stage within a duration. The others were late, never reached it, or are open. */
export interface Share {
  /** Number of requested exchanges: for example, all downlinks that were queued or rejected. */
  readonly total: number;
  readonly within: number;
  /**
   * Exchanges that have not reached the stage and can still reach it in time, because they began less than the duration ago.
   */
  readonly open: number;
  /** Number of exchanges in `total` that the API rejected, so that they never began; left out if 0. */
  readonly rejected?: number;
}

/** The metrics of one fold of type `F` by name, each with a description and a function that reads its value. */
export type MetricTable<F> = Readonly<
  Record<string, { readonly about: string } & (CountReader<F> | DurationsReader<F>) & Partial<ShareReader<F>>>
>;

interface CountReader<F> {
  readonly count: (fold: F) => number;
}
interface DurationsReader<F> {
  readonly durations: (fold: F) => Distribution;
  readonly missing: (fold: F) => Missing;
  /** Only durations that no longer change. Default: all. */
  readonly lasting?: (fold: F) => Distribution;
}
interface ShareReader<F> {
  /** @param now the end of the observation: exchanges that have not reached the stage by then are open or late */
  readonly within: (fold: F, limit: Millis, now: Instant) => Share;
}

/** Reads the metric `name` of `table`; undefined when the table has no metric of this name. */
export function readMetric<F>(table: MetricTable<F>, fold: F, name: string): Measure | undefined {
  const metric = Object.hasOwn(table, name) ? table[name] : undefined;
  if (metric === undefined) return undefined;
  if ('count' in metric) return { kind: 'count', value: metric.count(fold) };
  const { durations, missing, lasting } = metric;
  return {
    kind: 'durations',
    distribution: durations(fold),
    missing: missing(fold),
    ...(lasting && { lasting: () => lasting(fold) }),
  };
}

/** Reads the share of `name` within `limit`; undefined if the table has no such share. */
export function readShare<F>(
  table: MetricTable<F>,
  fold: F,
  name: string,
  limit: Millis,
  now: Instant,
): Share | undefined {
  return Object.hasOwn(table, name) ? table[name]?.within?.(fold, limit, now) : undefined;
}

export function listMetricInfos<F>(table: MetricTable<F>, of: MetricInfo['of']): readonly MetricInfo[] {
  return Object.entries(table).map(([name, metric]) => ({
    name,
    shape: 'count' in metric ? 'count' : 'durations',
    about: metric.about,
    of,
    within: metric.within !== undefined,
  }));
}

/** Counts by name. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }

  getCount(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  get total(): number {
    let total = 0;
    for (const count of this.#counts.values()) total += count;
    return total;
  }

  /** Counts sorted by name, so that runs with equal counts give equal texts. */
  makeRecord(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
