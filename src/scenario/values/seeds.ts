/** The seeds of several runs of one scenario. */
import { UsageError } from '../../kernel/errors.js';

/** The largest seed. */
export const LAST_SEED = Number.MAX_SAFE_INTEGER;

/**
 * A seed and the following ones, `count` in all.
 * @throws UsageError `bad-seed` if one of them would be too large
 */
export function seedsFrom(first: number, count: number): readonly number[] {
  const highest = LAST_SEED - count + 1;
  if (first <= highest) return Array.from({ length: count }, (_, i) => first + i);
  throw new UsageError(
    'bad-seed',
    `seed ${first} is too large for ${count} runs, each with the next seed: expected a seed from 0 to ${highest}`,
  );
}
