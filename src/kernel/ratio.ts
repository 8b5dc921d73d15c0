/** Probabilities and shares, written "0.05", "5%" or "1/20". */
import type { Flavoured } from './units.js';

/** A number from 0 to 1. */
export type Ratio = Flavoured<'ratio'>;

/** For messages: the form of a ratio. */
export const RATIO_FORM = 'a ratio from 0 to 1 such as "0.05", "5%" or "1/20"';

/** Reads "0.05", "5%" or "1/20". Returns undefined for any other text and for a value outside 0..1 ("21/20"). */
export function parseRatio(text: string): Ratio | undefined {
  const trimmed = text.trim();
  const percent = /^(\d+(?:\.\d+)?)\s*%$/.exec(trimmed);
  if (percent) return inRange(Number(percent[1]) / 100);
  const fraction = /^(\d+)\s*\/\s*(\d+)$/.exec(trimmed);
  if (fraction) return Number(fraction[2]) === 0 ? undefined : inRange(Number(fraction[1]) / Number(fraction[2]));
  return /^(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(trimmed) ? inRange(Number(trimmed)) : undefined;
}

/** Writes a ratio as a percentage with at most two decimals: 0.05 becomes "5%". */
export function formatRatio(ratio: Ratio): string {
  return `${Number((ratio * 100).toFixed(2))}%`;
}

function inRange(value: number): Ratio | undefined {
  return value >= 0 && value <= 1 ? value : undefined;
}
