/** A recorded series, played back to a sensor: interpolated linearly; counters and switches keep a row's value. */
import { bisect } from '../../kernel/bisect.js';
import type { Millis } from '../../kernel/time.js';

/** Times ascend strictly, from 0 at the first row. A value is NaN if the sensor did not answer. */
export interface Series {
  readonly times: readonly Millis[];
  readonly values: readonly number[];
}

/** The value at a time since the first row. Before the first row it is the first value, after the last row the last one. */
export function seriesValue({ times, values }: Series, at: Millis, stepped: boolean): number {
  const row = rowAt(times, at);
  const from = values[row] ?? Number.NaN;
  const next = times[row + 1];
  const to = values[row + 1];
  const began = times[row];
  // Values are not interpolated next to a row without a value.
  if (stepped || next === undefined || to === undefined || Number.isNaN(to)) return from;
  if (began === undefined || at <= began) return from;
  return from + ((to - from) * (at - began)) / (next - began);
}

/** The time of the first row after `at`; Infinity after the last row. */
export function seriesChange({ times }: Series, at: Millis): Millis {
  if (at < (times[0] ?? 0)) return times[0] ?? Number.POSITIVE_INFINITY;
  return times[rowAt(times, at) + 1] ?? Number.POSITIVE_INFINITY;
}

/** The last row that is not after `at`; 0 before the first. */
function rowAt(times: readonly Millis[], at: Millis): number {
  return Math.max(0, bisect(times.length, (row) => (times[row] ?? Number.POSITIVE_INFINITY) > at) - 1);
}
