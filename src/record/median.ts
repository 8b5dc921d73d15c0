/**
 * Median; of two middle values the lower one, because outliers in recorded times are mostly too high. undefined without values.
 */
export function findMedian(values: readonly number[]): number | undefined {
  return [...values].sort((a, b) => a - b)[(values.length - 1) >> 1];
}
