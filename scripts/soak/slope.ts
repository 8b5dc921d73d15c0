/** The trend of a series, insensitive to single outliers such as a garbage collection. */

/** The median; 0 for an empty list. */
export function middle(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[half] ?? 0;
  return ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
}

/** Growth per hour of values taken once a minute, as a share of their median: the median of the slopes of all pairs. */
export function growthPerHour(perMinute: readonly number[]): number {
  const slopes: number[] = [];
  for (const [from, before] of perMinute.entries()) {
    for (let to = from + 1; to < perMinute.length; to++) slopes.push(((perMinute[to] ?? 0) - before) / (to - from));
  }
  return (middle(slopes) * 60) / middle(perMinute);
}
