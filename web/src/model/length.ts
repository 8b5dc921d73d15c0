/** Ages and expectations, in the form of measured lengths ({@link humanDuration}). */
import { humanDuration } from '../../../src/kernel/time.js';

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

/** An age or an expectation, rounded: `45s`, `14m`, `1h 18m`, `2d 04h`. */
export function lengthText(ms: number): string {
  // So that the next unit begins at its whole number.
  const large = ms < DAY - MINUTE / 2 ? MINUTE : HOUR;
  const step = ms > 0 && ms < SECOND ? 1 : ms < 59_500 ? SECOND : large;
  return humanDuration(Math.round(ms / step) * step);
}

/** The time that a run has reached, rounded down like that of a clock, because a user cannot go back to a later moment. */
export function reachedText(ms: number): string {
  const step = ms < HOUR ? SECOND : MINUTE;
  return humanDuration(Math.floor(ms / step) * step);
}
