/** What the plots of percentiles of durations have in common. */
import type { Millis } from '../../kernel/time.js';
import { makeDurations, makeFarDurations, type Scale } from './scale.js';

/** Lines in drawing order, wide ones first: they stay visible below one that coincides. */
export const PERCENTILES = [
  { key: 'p99', look: 'c5 broad', name: 'p99' },
  { key: 'p95', look: 'c2 dashed', name: 'p95' },
  { key: 'p50', look: 'c1', name: 'p50, the median' },
] as const;

/** Values that differ by more than this factor need a logarithmic axis. */
const FAR = 50;

/** A scale for these durations. `far`: it is logarithmic. */
export function fitDurations(values: readonly Millis[]): { readonly scale: Scale; readonly far: boolean } {
  const greatest = values.reduce((a, b) => Math.max(a, b), 0);
  const least = values.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), greatest);
  const far = least > 0 && greatest / least > FAR;
  return { scale: far ? makeFarDurations(least, greatest) : makeDurations(greatest), far };
}
