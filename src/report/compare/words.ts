/** The texts that a comparison has both in the terminal and on the HTML page. */
import { humanChange, humanValue } from '../../kernel/quantity.js';
import { changeOf, LEAST_CHANGE, type MetricDifference, type RunComparison } from './compare.js';

export const COLUMNS = ['A', 'B', 'change', 'interval'] as const;

/** The metric, the cells of {@link COLUMNS} and a note. */
export function cells(row: MetricDifference): readonly string[] {
  const { metric, unit, a, b, interval, verdict } = row;
  const change = changeOf(row);
  const range = interval === null ? '' : `${humanChange(interval[0] - 1)} … ${humanChange(interval[1] - 1)}`;
  const note = verdict === 'unknown' ? 'too little data' : verdict === 'different' ? '≠' : '';
  return [metric, humanValue(a, unit), humanValue(b, unit), change === null ? '' : humanChange(change), range, note];
}

/** The result in one sentence. */
export function verdict({ rows, different }: RunComparison): string {
  if (!different)
    return `no difference: no number changed by more than ${LEAST_CHANGE * 100}% and by more than chance explains`;
  const found = rows.filter((row) => row.verdict === 'different');
  return `different: ${found.map(difference).join('; ')}`;
}

function difference(row: MetricDifference): string {
  const { metric, unit, a, b } = row;
  const change = changeOf(row);
  const how = unit === 'ms' ? (b > a ? 'longer' : 'shorter') : b > a ? 'more' : 'fewer';
  return change === null || b === 0
    ? `${metric} ${humanValue(a, unit)} → ${humanValue(b, unit)}`
    : `${metric} ${humanChange(change)} (${how})`;
}
