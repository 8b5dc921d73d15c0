/** What a metric is: a number or a spread of durations that is folded from the trace. One family of them a file. */
import type { Distribution } from '../distribution.js';

/** `count`: a number. `durations`: a distribution in milliseconds, whose `count` can be used like a number. */
type MetricShape = 'count' | 'durations';

/** For `ghostfleet list metrics`. */
export interface MetricInfo {
  readonly name: string;
  readonly shape: MetricShape;
  readonly about: string;
  /** What it can be read of apart from the rest: some devices, or a client's loads; null: nothing. */
  readonly of: 'devices' | 'clients' | null;
}

export type Measure =
  | { readonly kind: 'count'; readonly value: number }
  | { readonly kind: 'durations'; readonly distribution: Distribution };

/** The metrics of one subject: what they are called, and how they are read off a fold of type `F`. */
export type MetricTable<F> = Readonly<
  Record<string, { readonly about: string } & (CountReader<F> | DurationsReader<F>)>
>;

interface CountReader<F> {
  readonly count: (fold: F) => number;
}
interface DurationsReader<F> {
  readonly durations: (fold: F) => Distribution;
}

/** Reads the metric `name` of `table`; undefined when the table has none. */
export function readMetric<F>(table: MetricTable<F>, fold: F, name: string): Measure | undefined {
  const metric = Object.hasOwn(table, name) ? table[name] : undefined;
  if (metric === undefined) return undefined;
  return 'count' in metric
    ? { kind: 'count', value: metric.count(fold) }
    : { kind: 'durations', distribution: metric.durations(fold) };
}

/** What `table` holds, for listings. */
export function metricInfos<F>(table: MetricTable<F>, of: MetricInfo['of']): readonly MetricInfo[] {
  return Object.entries(table).map(([name, metric]) => ({
    name,
    shape: 'count' in metric ? 'count' : 'durations',
    about: metric.about,
    of,
  }));
}

/** A tally by name, in the order of first appearance. */
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

  /** Sorted by name, so that two runs that count the same print the same. */
  toRecord(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
