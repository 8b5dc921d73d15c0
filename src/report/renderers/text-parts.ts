/** Shared parts of the sections of the text report. */
import { type Column, fitTable, wrap, writeTable } from '../../kernel/table.js';

/** Default width of a report in characters, used if the width of the terminal is unknown. */
export const WIDTH = 100;

/**
 * A table with a title; the first cell of a row is its name. A column with an empty title contains text, the others numbers. If
 * the table is wider than `width`, the texts of its last column are on separate lines.
 */
export function writeSection(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const titles: readonly Column[] = [title, ...columns].map((column, i) => ({
    title: column,
    align: i === 0 || column === '' ? 'left' : 'right',
  }));
  const indented = rows.map(([name = '', ...cells]) => [`  ${name}`, ...cells]);
  if (columns.at(-1) !== '') return fitTable(titles, indented, width);
  const whole = writeTable(titles, indented);
  if (whole.every(({ length }) => length <= width)) return whole;
  const [head = '', ...lines] = writeTable(titles.slice(0, -1), indented);
  return [
    head,
    ...lines.flatMap((line, i) => [line, ...wrap(rows[i]?.at(-1) ?? '', width - 4).flatMap((part) => note(part))]),
  ];
}

function note(text: string): readonly string[] {
  return text === '' ? [] : [`    ${text}`];
}

/** An indented paragraph. The lines after the first are indented more. */
export function hangIndent(paragraph: string, width: number): readonly string[] {
  return wrap(paragraph, width - 4).map((line, i) => (i === 0 ? `  ${line}` : `    ${line}`));
}
