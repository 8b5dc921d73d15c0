/**
 * Data for the requests of a load: a CSV file whose first line names the columns, or lines of JSON objects (NDJSON). Each
 * iteration has a row. The cells of a CSV file are texts; values of NDJSON keep their types.
 */
import { type Cell, MOST_ROWS, readCsv, rejectTwins } from '../../input/csv.js';
import type { Problems } from '../../input/document.js';
import { readJson } from '../../input/json.js';
import { InputError, quote } from '../../input/problems.js';
import type { NamedText } from '../../input/text-file.js';
import { isObject, parseJson } from '../../kernel/json-text.js';
import type { Random } from '../../kernel/random.js';
import { contentFingerprint } from '../../protocol/hashes.js';

export const DATA_ORDERS = ['cyclic', 'unique', 'random'] as const;

/** The rows of a file. A plan has their number and fingerprint. */
class DataRows {
  readonly columns: readonly string[];
  /** Each with a value for each column; undefined where a line of NDJSON lacks it. */
  readonly rows: readonly (readonly unknown[])[];
  #print: string | undefined;

  constructor(columns: readonly string[], rows: DataRows['rows']) {
    this.columns = columns;
    this.rows = rows;
  }

  toJSON(): { readonly columns: readonly string[]; readonly rows: number; readonly print: string } {
    // Many loads can have the same rows.
    this.#print ??= contentFingerprint(JSON.stringify(this.rows));
    return { columns: this.columns, rows: this.rows.length, print: this.#print };
  }
}

/** How a load uses the rows of a file. */
export interface LoadData {
  readonly file: string;
  /** `cyclic`: row by row, again from the first; `unique`: each row once, then the load ends; `random`: any row. */
  readonly order: (typeof DATA_ORDERS)[number];
  readonly rows: DataRows;
}

/** Number of iterations after which the data of a load are used up. */
export function countRows(data: LoadData | undefined): number {
  return data?.order === 'unique' ? data.rows.rows.length : Number.POSITIVE_INFINITY;
}

/** The row of iteration `k`. @param load name of the load @param random the generator of the run */
export function rowOf(
  { order, rows: { rows } }: LoadData,
  load: string,
  k: number,
  random: Random,
): readonly unknown[] {
  const index =
    order === 'random' ? Math.floor(random.fork(`load/${load}/row/${k}`).next() * rows.length) : k % rows.length;
  return rows[index] ?? [];
}

/** Reads a file, and notes problems with their places in it. Undefined if there are any. */
export function readRows({ file, text }: NamedText, problems: Problems): DataRows | undefined {
  const before = problems.list.length;
  if (/^\s*\[\s*[{\]]/.test(text)) {
    problems.add(
      { file, line: 1, column: 1 },
      `expected a JSON object in each line, not a list: jq -c ".[]" writes them`,
    );
    return undefined;
  }
  const isJson = /\.(ndjson|jsonl)$/i.test(file) || text.trimStart().startsWith('{');
  const read = isJson ? readLines(text, file, problems) : readCells(text, file, problems);
  return problems.list.length === before ? read : undefined;
}

function readCells(text: string, file: string, problems: Problems): DataRows {
  let columns: readonly string[] = [];
  const rows: (readonly string[])[] = [];
  const begin = (header: readonly Cell[]) => {
    columns = header.map((cell) => cell.text);
    rejectTwins(header, problems);
    return (row: readonly Cell[]) => void rows.push(row.map((cell) => cell.whole));
  };
  readCsv(text, file, problems, begin, false);
  return new DataRows(columns, rows);
}

/** Limit of rows times keys, which memory and fingerprint grow with. Rows with equal keys stay below it in a file of 64 MiB. */
const MOST_PLACES = 20_000_000;
/** A file with more problems is probably the wrong file. */
const MOST_PROBLEMS = 20;

function readLines(text: string, file: string, problems: Problems): DataRows {
  const columns = new Map<string, number>();
  const rows: unknown[][] = [];
  const before = problems.list.length;
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    if (line.trim() === '') continue;
    if (problems.list.length - before >= MOST_PROBLEMS) break;
    if (rows.length === MOST_ROWS) {
      problems.add({ file, line: index + 1, column: 1 }, `more than ${MOST_ROWS} rows, the limit of a file`);
      break;
    }
    const value = readLine(line, { file, line: index + 1 }, problems);
    if (value === undefined) continue;
    const row: unknown[] = [];
    for (const [name, cell] of Object.entries(value)) {
      if (!columns.has(name)) columns.set(name, columns.size);
      row[columns.get(name) ?? 0] = cell;
    }
    rows.push(row);
    if (rows.length * columns.size <= MOST_PLACES) continue;
    const size = `${rows.length} rows with ${columns.size} different keys`;
    const limit = `${MOST_PLACES} for rows times keys`;
    problems.add(
      { file, line: index + 1, column: 1 },
      `${size} are too many: the limit is ${limit}; give rows the same keys`,
    );
    break;
  }
  if (rows.length === 0 && problems.list.length === before)
    problems.add({ file, line: 1, column: 1 }, `${quote(file)} has no rows; expected a JSON object in each line`);
  return new DataRows([...columns.keys()], rows);
}

function readLine(
  text: string,
  place: { readonly file: string; readonly line: number },
  problems: Problems,
): Readonly<Record<string, unknown>> | undefined {
  const read = parseJson(text);
  if ('value' in read && isObject(read.value)) return read.value;
  const [fault] = 'faults' in read ? read.faults : [];
  const subject = fault?.code === 'inexact-number' ? '' : 'this line ';
  const { column, message } =
    fault === undefined ? findError(text) : { column: fault.at + 1, message: `${subject}${fault.message}` };
  problems.add({ ...place, column }, message);
  return undefined;
}

/** Where a line is not JSON. */
function findError(text: string): { readonly column: number; readonly message: string } {
  try {
    readJson(text, '');
  } catch (error) {
    const [problem] = error instanceof InputError ? error.problems : [];
    if (problem !== undefined) return { column: problem.column, message: problem.message };
  }
  return { column: 1, message: 'this line is not a JSON object' };
}

/** The first row without a value of a column, counted from 1; undefined if all have one. */
export function findGap({ columns, rows }: DataRows, name: string): number | undefined {
  const index = columns.indexOf(name);
  const row = rows.findIndex((cells) => cells[index] === undefined);
  return row < 0 ? undefined : row + 1;
}
