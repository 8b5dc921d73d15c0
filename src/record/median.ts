/** The middle one, the lower of two: what is out of line in a history took too long. Undefined of none. */
export function median(values: readonly number[]): number | undefined {
  return [...values].sort((a, b) => a - b)[(values.length - 1) >> 1];
}
