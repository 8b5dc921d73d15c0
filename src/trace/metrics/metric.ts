/** What a metric is: a count or a distribution of durations, folded from the trace. Each family of metrics is a file. */
import type { Distribution } from '../distribution.js';

/** `count`: a number. `durations`: a distribution in milliseconds; its `count` can be used as a number. */
type MetricShape = 'count' | 'durations';

/** Description of a metric, for `ghostfleet list metrics`. */
export interface MetricInfo {
  readonly name: string;
  readonly shape: MetricShape;
  readonly about: string;
  /** Scopes of which it can be read: some devices, or the loads of a client. null: only of the whole run. */
  readonly of: 'devices' | 'clients' | null;
}

/** Value of a metric. */
export type Measure =
  | { readonly kind: 'count'; readonly value: number }
  | { readonly kind: 'durations'; readonly distribution: Distribution };

/** The metrics of one fold of type `F` by name, with their description and how to read them. */
export type MetricTable<F> = Readonly<
  Record<string, { readonly about: string } & (CountReader<F> | DurationsReader<F>)>
>;

interface CountReader<F> {
  readonly count: (fold: F) => number;
}
interface DurationsReader<F> {
  readonly durations: (fold: F) => Distribution;
}

/** Reads the metric `name` of `table`; undefined when the table has no metric of this name. */
export function readMetric<F>(table: MetricTable<F>, fold: F, name: string): Measure | undefined {
  const metric = Object.hasOwn(table, name) ? table[name] : undefined;
  if (metric === undefined) return undefined;
  return 'count' in metric
    ? { kind: 'count', value: metric.count(fold) }
    : { kind: 'durations', distribution: metric.durations(fold) };
}

/** Descriptions of the metrics in `table`. */
export function metricInfos<F>(table: MetricTable<F>, of: MetricInfo['of']): readonly MetricInfo[] {
  return Object.entries(table).map(([name, metric]) => ({
    name,
    shape: 'count' in metric ? 'count' : 'durations',
    about: metric.about,
    of,
  }));
}

/** Counts by name. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  get total(): number {
    let total = 0;
    for (const count of this.#counts.values()) total += count;
    return total;
  }

  /** Counts sorted by name, so that runs with equal counts give equal texts. */
  toRecord(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
