/**
 * A recording: the values of one column of a CSV file, with the times of its column `time`.
 *
 *     time [min],temperature [°C],humidity [%]
 *     0,21.4,44
 *     10,21.6,43.5
 *
 * Times are numbers, with their unit in the heading, or calendar times in UTC; both count from the first row. Values are
 * converted to the unit of the quantity in the device type. An empty cell means that the sensor did not answer.
 */
import { createHash } from 'node:crypto';
import type { Series } from '../../device/environment/series.js';
import { type Cell, readCsv, type Table } from '../../input/csv.js';
import type { Problems } from '../../input/document.js';
import { didYouMean, orList, quote } from '../../input/problems.js';
import type { NamedText } from '../../input/text-file.js';
import type { Millis } from '../../kernel/time.js';
import { headingOf, limitRows, MOST_PROBLEMS, names, numberIn, timeColumn } from './csv-columns.js';

/**
 * Values with their times. A plan contains only the number of rows and a fingerprint, because a plan may repeat the step for
 * each device.
 */
export class Recording implements Series {
  readonly times: readonly Millis[];
  readonly values: readonly number[];

  constructor(times: readonly Millis[], values: readonly number[]) {
    this.times = times;
    this.values = values;
  }

  toJSON(): { readonly rows: number; readonly print: string } {
    const text = JSON.stringify([this.times, this.values]);
    return { rows: this.times.length, print: createHash('sha256').update(text).digest('hex').slice(0, 16) };
  }
}

interface ColumnWish {
  /** Accepted names of the column, in order of preference. */
  readonly names: readonly string[];
  /** Unit of the quantity in the device type; empty for no conversion. */
  readonly unit: string;
}

/** Reads a column. Problems are noted with their places in the file; the result is then undefined. */
export function readRecording({ file, text }: NamedText, wish: ColumnWish, problems: Problems): Recording | undefined {
  const before = problems.list.length;
  const table = readCsv(text, file, problems);
  if (table === undefined) return undefined;
  limitRows(table, file, problems);
  const times = readTimes(table, problems);
  const values = readValues(table, wish, problems);
  return problems.list.length === before ? new Recording(times, values) : undefined;
}

function readTimes(table: Table, problems: Problems): readonly Millis[] {
  const rows = timeColumn(table, problems)?.rows ?? [];
  const first = rows[0]?.time ?? 0;
  const times: Millis[] = [];
  for (const { cell, time } of rows) {
    const since = Math.round(time - first);
    if (since <= (times.at(-1) ?? -1)) {
      problems.add(cell, `${quote(cell.text)} is not later than the time of the row before`);
      return times;
    }
    times.push(since);
  }
  return times;
}

function readValues({ header, rows }: Table, wish: ColumnWish, problems: Problems): readonly number[] {
  const found = wish.names.map((name) => header.findIndex((cell) => headingOf(cell).name === name));
  const column = found.find((index) => index >= 0) ?? -1;
  const cell = header[column];
  if (cell === undefined) {
    const known = header.map((candidate) => headingOf(candidate).name);
    const [best = ''] = wish.names;
    problems.add(
      header[0] as Cell,
      `no column is called ${orList(wish.names.map((name) => quote(name)))}${didYouMean(best, known)}; the columns are ${names(header)}`,
    );
    return [];
  }
  const { unit } = headingOf(cell);
  const turn = unit === '' || wish.unit === '' || unit === wish.unit ? SAME : TURNS[`${unit} ${wish.unit}`];
  if (turn === undefined) {
    problems.add(cell, `${quote(unit)} cannot be converted to ${quote(wish.unit)}`);
    return [];
  }
  const before = problems.list.length;
  const values: number[] = [];
  for (const row of rows) {
    const at = row[column] as Cell;
    values.push(at.text === '' ? Number.NaN : turn[0] * numberIn(at, problems) + turn[1]);
    if (problems.list.length >= before + MOST_PROBLEMS) break;
  }
  return values;
}

const SAME = [1, 0] as const;
/** Factor and offset of conversions, by the unit in the file and the unit in the device type. */
const TURNS: Readonly<Record<string, readonly [number, number]>> = {
  '°F °C': [5 / 9, -160 / 9],
  'K °C': [1, -273.15],
  'hPa Pa': [100, 0],
  'mbar Pa': [100, 0],
  'kPa Pa': [1000, 0],
  'bar Pa': [100_000, 0],
  'mV V': [0.001, 0],
  'V mV': [1000, 0],
  'A mA': [1000, 0],
  'km/h m/s': [1 / 3.6, 0],
  'cm m': [0.01, 0],
  'mm m': [0.001, 0],
};
