/** Converts shares to whole numbers of devices. */
import type { Ratio } from '../../kernel/ratio.js';

/** Divides `total` by shares that add up to 1, by the method of largest remainders; of equal ones, the first wins. */
export function apportion(total: number, shares: readonly Ratio[]): readonly number[] {
  const exact = shares.map((share) => total * share);
  // A rounding error must not change a count: (0.1 + 0.7) * 10 is 7.999999999999999, and counts as 8.
  const counts = exact.map((value) => Math.floor(value + ROUNDING));
  const order = exact
    .map((value, index) => ({ index, rest: Math.round((value - Math.floor(value + ROUNDING)) / ROUNDING) }))
    .sort((a, b) => b.rest - a.rest || a.index - b.index);
  let left = total - counts.reduce((sum, count) => sum + count, 0);
  for (const { index } of order) {
    if (left-- <= 0) break;
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
}

const ROUNDING = 1e-9;
