/**
 * A recording: the values of one column of a CSV file, with the times of its column `time`.
 *
 *     time [min],temperature [°C],humidity [%]
 *     0,21.4,44
 *     10,21.6,43.5
 *
 * Times are numbers, with their unit in the heading, or calendar times; both count from the first row. Values are converted to
 * the unit of the quantity in the device type. In a cell that is empty, or that has the mark of a logger for a missing value,
 * the sensor did not answer.
 */
import type { Series } from '../../device/environment/series.js';
import { type Cell, readCsv } from '../../input/csv.js';
import type { Problems } from '../../input/document.js';
import { didYouMean, orList, quote } from '../../input/problems.js';
import type { NamedText } from '../../input/text-file.js';
import type { Millis } from '../../kernel/time.js';
import type { QuantitySpec } from '../../profile/profile.js';
import { contentFingerprint } from '../../protocol/hashes.js';
import {
  type ColumnReader,
  headingOf,
  limited,
  names,
  numberIn,
  rejectTwinColumns,
  timeColumn,
} from './csv-columns.js';

/** Values with times. A plan has their number and fingerprint: the step may be repeated for each device. */
export class Recording implements Series {
  readonly times: readonly Millis[];
  readonly values: readonly number[];

  constructor(times: readonly Millis[], values: readonly number[]) {
    this.times = times;
    this.values = values;
  }

  toJSON(): { readonly rows: number; readonly print: string } {
    const text = JSON.stringify([this.times, this.values]);
    return { rows: this.times.length, print: contentFingerprint(text) };
  }
}

interface ColumnWish {
  /** Accepted names of the column, in order of preference. */
  readonly names: readonly string[];
  /** The quantity in the device type; undefined if it is not known. */
  readonly quantity: QuantitySpec | undefined;
}

/** Reads a column. Problems are noted with their places in the file; the result is then undefined. */
export function readRecording({ file, text }: NamedText, wish: ColumnWish, problems: Problems): Recording | undefined {
  const before = problems.list.length;
  const times: Millis[] = [];
  const values: number[] = [];
  readCsv(text, file, problems, (header) => {
    rejectTwinColumns(header, problems);
    const time = timeColumn(header, problems);
    const value = valueColumn(header, wish, problems);
    if (time === undefined || value === undefined) return undefined;
    let first = 0;
    let ordered = true;
    return (row) => {
      const at = time.read(row);
      values.push(value(row));
      if (times.length === 0 && !Number.isNaN(at)) first = at;
      const since = Math.round(at - first);
      if (ordered && since <= (times.at(-1) ?? -1)) {
        const cell = time.cellOf(row);
        problems.add(cell, `${quote(cell.text)} is not later than the time of the row before`);
        ordered = false;
      }
      if (!Number.isNaN(since)) times.push(since);
    };
  });
  return problems.list.length === before ? new Recording(times, values) : undefined;
}

/** The column of a quantity; undefined if a problem was noted. */
function valueColumn(header: readonly Cell[], wish: ColumnWish, problems: Problems): ColumnReader | undefined {
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
    return undefined;
  }
  const { unit: wanted = '', min = Number.NEGATIVE_INFINITY } = wish.quantity ?? {};
  const { unit } = headingOf(cell);
  const turn = unit === '' || wanted === '' || unit === wanted ? SAME : TURNS[`${unit} ${wanted}`];
  if (turn === undefined) {
    problems.add(cell, `${quote(unit)} cannot be converted to ${quote(wanted)}`);
    return undefined;
  }
  return limited(problems, (row) => {
    const at = row[column] as Cell;
    if (at.text === '' || NO_VALUE.test(at.text)) return Number.NaN;
    const value = numberIn(at, problems);
    if (/^[-+]?\d+$/.test(at.text) && !Number.isSafeInteger(value))
      problems.add(at, `${quote(at.text)} cannot be kept exactly: whole numbers must be below 2^53`);
    const missing = Math.abs(value) >= OVERLOAD || (MISSING.has(value) && value < min);
    return missing ? Number.NaN : turn[0] * value + turn[1];
  });
}

/** What loggers and spreadsheets write for a missing value, and for one outside of the range of the instrument. */
const NO_VALUE = /^(?:nan|n\/?a|#n\/a|null|none|[-+]?inf(?:inity)?|ol|o\.l|ovld|overload|overrange|-{1,3}|\?)$/i;
/** From here on, SCPI instruments mean overload (9.9E37) or no number (9.91E37). */
const OVERLOAD = 9.9e37;
/** Numbers that loggers write for a missing value; a number that the quantity may have is taken as such. */
const MISSING: ReadonlySet<number> = new Set([-6999, -7999, -9999, -99_999, -999_999]);

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
