/** Reads columns of the CSV files of a scenario: headings with units, numbers, and the column `time`. */
import type { Cell, Table } from '../../input/csv.js';
import type { Problems } from '../../input/document.js';
import { orList, quote } from '../../input/problems.js';
import { parseUtc } from '../../kernel/calendar.js';
import type { Millis } from '../../kernel/time.js';

/** Limit of problems reported for one column; a file with more of them is probably the wrong file. */
export const MOST_PROBLEMS = 10;

/** Limit of rows in a file: one value a minute for a year. */
const MOST_ROWS = 530_000;

/** Notes a problem if a file has too many rows. */
export function limitRows({ rows }: Table, file: string, problems: Problems): void {
  if (rows.length > MOST_ROWS) problems.add({ file, line: 1, column: 1 }, `more than ${MOST_ROWS} rows`);
}

interface TimeColumn {
  /** true: the column has calendar times; false: it has numbers with a unit. */
  readonly calendar: boolean;
  readonly rows: readonly { readonly cell: Cell; readonly time: Millis }[];
}

const TIME_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The column `time`, in the order of the file. Rows with an invalid time are left out.
 * @returns undefined if the file has no such column, or if its unit is unknown
 */
export function timeColumn({ header, rows }: Table, problems: Problems): TimeColumn | undefined {
  const column = header.findIndex((cell) => headingOf(cell).name.toLowerCase() === 'time');
  const cell = header[column];
  if (cell === undefined) {
    problems.add(header[0] as Cell, `no column is called "time"; the columns are ${names(header)}`);
    return undefined;
  }
  const { unit } = headingOf(cell);
  const scale = unit === '' ? undefined : TIME_UNITS[unit];
  if (unit !== '' && scale === undefined) {
    problems.add(cell, `${quote(unit)} is not a unit of time: ${orList(Object.keys(TIME_UNITS))}`);
    return undefined;
  }
  const before = problems.list.length;
  const found: { cell: Cell; time: Millis }[] = [];
  for (const row of rows) {
    const at = row[column] as Cell;
    const time = scale === undefined ? calendarTime(at, problems) : scale * numberIn(at, problems);
    if (!Number.isNaN(time)) found.push({ cell: at, time });
    if (problems.list.length >= before + MOST_PROBLEMS) break;
  }
  return { calendar: scale === undefined, rows: found };
}

/** `2026-03-02T06:00:00Z`, with or without fractions of a second; NaN for anything else. */
function calendarTime(cell: Cell, problems: Problems): number {
  const time = parseUtc(cell.text);
  if (time !== undefined) return time;
  const wanted = 'a time in UTC such as "2026-03-01T06:00:00Z"; numbers need a unit in the heading such as "time [s]"';
  problems.add(cell, `${quote(cell.text)} is not ${wanted}`);
  return Number.NaN;
}

/** `temperature [°C]` or `temperature (°C)`. */
export function headingOf({ text }: Cell): { readonly name: string; readonly unit: string } {
  const [, name = text, unit = ''] = /^(.*?)\s*[[(]([^\])]*)[\])]$/.exec(text) ?? [];
  return { name: name.trim(), unit: unit.trim() };
}

/** The number in a cell; NaN if a problem was noted. */
export function numberIn(cell: Cell, problems: Problems): number {
  const value = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(cell.text) ? Number(cell.text) : Number.NaN;
  if (Number.isFinite(value)) return value;
  problems.add(cell, `${quote(cell.text)} is not a number`);
  return Number.NaN;
}

/** The names of the columns of a file, for messages. */
export function names(header: readonly Cell[]): string {
  return header.map((cell) => quote(headingOf(cell).name)).join(', ');
}
