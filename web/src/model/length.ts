/**
 * Lengths of time on all pages, in the one form of explanations and reports: at most two units, as in `1h 05m`. Parts that are
 * zero are left out.
 */
import { humanDuration } from '../../../src/kernel/time.js';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

/** A measured length, or a moment since the start of a run: `840ms`, `12.4s`, `21m 05s`, `3h`. */
export function measuredText(ms: number): string {
  if (ms === 0) return '0s';
  if (ms >= MINUTE && ms < 2 * MINUTE && ms % MINUTE === 0) return '1m';
  return humanDuration(ms)
    .replace(/ 00[smh]$/, '')
    .replace(/\.0s$/, 's');
}

/** An age or an expectation, rounded: `45s`, `14m`, `1h 18m`, `2d 04h`. */
export function lengthText(ms: number): string {
  // Rounded first, so that the next unit begins at its whole number.
  const step = ms < 59_500 ? 1000 : MINUTE;
  const rounded = Math.round(ms / step) * step;
  if (ms > 0 && ms < 1000) return `${Math.round(ms)}ms`;
  if (rounded < MINUTE) return `${rounded / 1000}s`;
  if (rounded < HOUR) return `${rounded / MINUTE}m`;
  return measuredText(rounded < DAY ? rounded : Math.round(ms / HOUR) * HOUR);
}
