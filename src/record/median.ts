/** Median; of two middle values the lower one, because outliers of a history are mostly too long. undefined without values. */
export function median(values: readonly number[]): number | undefined {
  return [...values].sort((a, b) => a - b)[(values.length - 1) >> 1];
}
