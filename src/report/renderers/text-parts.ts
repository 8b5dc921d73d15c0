/** Shared parts of the sections of the text report. */
import type { Ratio } from '../../kernel/ratio.js';
import { humanDuration } from '../../kernel/time.js';
import type { Spread } from '../../trace/distribution.js';
import { type Column, table } from '../table.js';

/** Width of the report in characters. */
export const WIDTH = 100;

/** A table with a title; the first cell of a row is its name. Columns with an empty title contain text, the others numbers. */
export function section(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const titles: readonly Column[] = columns.map((column) => ({
    title: column,
    align: column === '' ? 'left' : 'right',
  }));
  return table([{ title }, ...titles], rows.map(indented));
}

function indented(row: readonly string[]): readonly string[] {
  return [`  ${row[0] ?? ''}`, ...row.slice(1)];
}

export function spreadCells({ count, p50, p95, p99, max }: Spread): readonly string[] {
  return [String(count), ...[p50, p95, p99, max].map(humanDuration)];
}

/** Percent with one decimal; `<0.1%` for a share that would round to 0. */
export function percent(share: Ratio): string {
  return share > 0 && share < 0.0005 ? '<0.1%' : `${(share * 100).toFixed(1)}%`;
}
