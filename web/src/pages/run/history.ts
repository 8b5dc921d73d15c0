/** Rates and latencies over the time of a run, derived from its states. Pure functions. */

/** A moment of the run. */
export interface Point {
  /** Time of the run in ms. */
  readonly at: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly latencies: Readonly<Record<string, { readonly p50_ms: number; readonly p95_ms: number }>>;
}

export interface Line {
  readonly name: string;
  /** A value for each point; null if it is not known. */
  readonly values: readonly (number | null)[];
}

/** Maximum number of points that are kept: those of ten minutes. */
const MOST = 1200;

/** Adds the present state to the points. After a step back in time, later points are dropped. */
export function withState(
  points: readonly Point[],
  { now_ms: at, counts, latencies }: Omit<Point, 'at'> & { readonly now_ms: number },
): readonly Point[] {
  if (points.at(-1)?.at === at) return points;
  return [...points.filter((point) => point.at < at), { at, counts, latencies }].slice(-MOST);
}

const RATES = [
  ['uplinks stored', 'uplink.stored'],
  ['downlinks delivered', 'downlink.delivered'],
  ['failed polls', 'poll.failed'],
] as const;

/** Events per minute of the run, from one point to the next. */
export function rateLines(points: readonly Point[]): readonly Line[] {
  return RATES.map(([name, metric]) => ({
    name,
    values: points.map(({ at, counts }, i) => {
      const before = points[i - 1];
      if (!before) return null;
      return (((counts[metric] ?? 0) - (before.counts[metric] ?? 0)) / (at - before.at)) * 60_000;
    }),
  }));
}

/** Percentiles of the delivery times so far, in ms. */
export function latencyLines(points: readonly Point[]): readonly Line[] {
  const line = (name: string, key: 'p50_ms' | 'p95_ms'): Line => ({
    name,
    values: points.map(({ latencies }) => latencies['downlink.delivered']?.[key] ?? null),
  });
  return [line('half within', 'p50_ms'), line('95 % within', 'p95_ms')];
}
