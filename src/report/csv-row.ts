/** CSV according to RFC 4180: line ends are CR LF; cells are quoted where necessary. */

type Cell = string | number | null | undefined;

/** A line of a table, with its line end. */
export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

function cellText(cell: Cell): string {
  const text = cell === null || cell === undefined ? '' : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
