/** The texts that a comparison has both in the terminal and on the HTML page. */
import { humanChange, humanValue } from '../../kernel/quantity.js';
import { findLeastShown, type MetricDifference, measureChange, type RunComparison } from './compare.js';

/** The last one has the smallest changes that would have shown. */
export const COLUMNS = ['A', 'B', 'change', 'interval', 'would show'] as const;

/** The metric, the cells of {@link COLUMNS} and a note. */
export function listCells(row: MetricDifference): readonly string[] {
  const { metric, unit, a, b, interval, verdict } = row;
  const change = measureChange(row);
  const range = interval === null ? '' : `${humanChange(interval[0] - 1)} … ${humanChange(interval[1] - 1)}`;
  const note = verdict === 'unknown' ? 'too little data' : verdict === 'different' ? '≠' : '';
  const values = [humanValue(a, unit), humanValue(b, unit), change === null ? '' : humanChange(change)];
  return [metric, ...values, range, verdict === 'undetected' ? describeShownFrom(row) : '', note];
}

/** `-12.0% or +14.5%` */
function describeShownFrom(row: MetricDifference): string {
  const shown = findLeastShown(row);
  if (shown === null) return '';
  const { decrease, increase } = shown;
  return Number.isFinite(increase) ? `${humanChange(decrease)} or ${humanChange(increase)}` : humanChange(decrease);
}

/** The result in a few words. */
export function writeHeadline({ different }: Pick<RunComparison, 'different'>): string {
  return different ? 'different' : 'no difference found';
}

/** The result in one sentence. */
export function writeVerdict({ rows, different }: RunComparison): string {
  const words = writeHeadline({ different });
  if (!different) return `${words}${writeResolution(rows)}`;
  const found = rows.filter((row) => row.verdict === 'different');
  return `${words}: ${found.map(writeDifference).join('; ')}`;
}

/** The smallest changes that would have shown, so that a comparison of little data does not read like a proof of equality. */
function writeResolution(rows: readonly MetricDifference[]): string {
  const sizes = rows
    .flatMap((row) => {
      const shown = findLeastShown(row);
      return shown === null ? [] : [{ metric: row.metric, size: Math.max(-shown.decrease, shown.increase) }];
    })
    .filter(({ size }) => Number.isFinite(size))
    .sort((one, other) => one.size - other.size);
  const [finest, coarsest] = [sizes[0], sizes.at(-1)];
  if (finest === undefined || coarsest === undefined) return ', but no number has enough data to show one';
  const words = ({ metric, size }: typeof finest) => `${(size * 100).toFixed(1)}% (${metric})`;
  const range = finest === coarsest ? words(finest) : `from ${words(finest)} to ${words(coarsest)}`;
  return `; the smallest change that would have shown: ${range}`;
}

function writeDifference(row: MetricDifference): string {
  const { metric, unit, a, b } = row;
  const change = measureChange(row);
  const how = unit === 'ms' ? (b > a ? 'longer' : 'shorter') : b > a ? 'more' : 'fewer';
  return change === null || b === 0
    ? `${metric} ${humanValue(a, unit)} → ${humanValue(b, unit)}`
    : `${metric} ${humanChange(change)} (${how})`;
}
