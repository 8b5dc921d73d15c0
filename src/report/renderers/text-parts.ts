/** Shared parts of the sections of the text report. */
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
