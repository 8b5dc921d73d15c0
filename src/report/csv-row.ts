/** CSV according to RFC 4180: line ends are CR LF; cells are quoted where necessary. */

import { printable } from '../kernel/printable.js';

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?%?$/i;

type Cell = string | number | null | undefined;

/** A line of a table, with its line end. */
export function writeCsvRow(cells: readonly Cell[]): string {
  return `${cells.map(formatCell).join(',')}\r\n`;
}

/** A cell's text. An apostrophe hides a formula from spreadsheets; numbers such as `-5` get none. */
function formatCell(cell: Cell): string {
  const given = cell === null || cell === undefined ? '' : printable(String(cell));
  const isFormula = typeof cell === 'string' && /^[=+\-@\t\r]/.test(given) && !NUMBER.test(given);
  const text = isFormula ? `'${given}` : given;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
