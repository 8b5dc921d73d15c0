/** Reads columns of the CSV files of a scenario: headings with units, numbers, and the column `time`. */
import { type Cell, rejectTwins } from '../../input/csv.js';
import type { Problems } from '../../input/document.js';
import { orList, quote } from '../../input/problems.js';
import { parseTime, TIME_FORM } from '../../kernel/calendar.js';

/** Limit of problems reported for one column; a file with more of them is probably the wrong file. */
const MOST_PROBLEMS = 10;

/** A column, as a function that reads it from a row. The result is NaN if a problem was noted. */
export type ColumnReader = (row: readonly Cell[]) => number;

interface TimeColumn {
  /** true: the column has calendar times; false: it has numbers with a unit. */
  readonly calendar: boolean;
  readonly cellOf: (row: readonly Cell[]) => Cell;
  /** Time in milliseconds. */
  readonly read: ColumnReader;
}

const TIME_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** The column `time`; undefined if the file lacks it, or if its unit is unknown. */
export function timeColumn(header: readonly Cell[], problems: Problems): TimeColumn | undefined {
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
  const cellOf = (row: readonly Cell[]) => row[column] as Cell;
  const timeOf = (at: Cell) => (scale === undefined ? calendarTime(at, problems) : scale * numberIn(at, problems));
  return { calendar: scale === undefined, cellOf, read: limited(problems, (row) => timeOf(cellOf(row))) };
}

/** Stops reading a column after {@link MOST_PROBLEMS} values that are NaN. */
export function limited(problems: Problems, read: ColumnReader): ColumnReader {
  let noted = 0;
  return (row) => {
    if (noted >= MOST_PROBLEMS) return Number.NaN;
    const before = problems.list.length;
    const value = read(row);
    noted += problems.list.length - before;
    return value;
  };
}

/** The same name with another unit is the same column, and so is `time` in any case. */
export function rejectTwinColumns(header: readonly Cell[], problems: Problems): void {
  rejectTwins(
    header,
    problems,
    (cell) => headingOf(cell).name,
    (name) => (name.toLowerCase() === 'time' ? 'time' : name),
  );
}

/** `2026-03-02T06:00:00.25Z`; NaN for anything else. */
function calendarTime(cell: Cell, problems: Problems): number {
  const time = parseTime(cell.text, true);
  if (time !== undefined) return time;
  const wanted = `${TIME_FORM}; numbers need a unit in the heading such as "time [s]"`;
  problems.add(cell, `${quote(cell.text)} is not ${wanted}`);
  return Number.NaN;
}

/** `temperature [°C]` or `temperature (°C)`. */
export function headingOf({ text }: Cell): { readonly name: string; readonly unit: string } {
  const [, name = text, unit = ''] = /^(.*?)[[(]([^[\]()]*)[\])]$/.exec(text) ?? [];
  return { name: name.trim(), unit: unit.trim() };
}

/** The number in a cell; NaN if a problem was noted. */
export function numberIn(cell: Cell, problems: Problems): number {
  const value = /^[-+]?(\d+(?:\.\d*)?|\.\d+)([eE][-+]?\d+)?$/.test(cell.text) ? Number(cell.text) : Number.NaN;
  if (Number.isFinite(value)) return value;
  // The comma can stand before decimals or between thousands.
  const hint = /^[-+\d.,]*\d,\d[\d.,]*$/.test(cell.text) ? ': numbers have a decimal point, and no comma' : '';
  problems.add(cell, `${quote(cell.text)} is not a number${hint}`);
  return Number.NaN;
}

/** The names of the columns of a file, for messages. */
export function names(header: readonly Cell[]): string {
  return header.map((cell) => quote(headingOf(cell).name)).join(', ');
}
