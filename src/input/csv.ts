/**
 * Comma-separated values, read row by row; every cell knows its line and column. Format: RFC 4180, read by csv-parse. Lines end
 * with LF, CR LF or CR; within quotation marks, these stay. Empty lines and lines that begin with `#` are skipped. The first
 * of the other lines names the columns. The separator is a comma, a semicolon or a tab, whichever is most frequent in that line.
 * Spaces around cells are removed.
 */
import { type CastingContext, CsvError, parse } from 'csv-parse/sync';
import type { Problems } from './document.js';
import { quote } from './problems.js';

export interface Cell {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
  readonly text: string;
  /** The text with the spaces inside its quotation marks. */
  readonly whole: string;
}

/** Receives each row; it has as many cells as the header. */
type RowReader = (row: readonly Cell[]) => void;

/** Limit of rows in a file: one value a minute for a year. */
export const MOST_ROWS = 530_000;
/** Limit of characters in a line. */
const LONGEST_ROW = 100_000;
/** A file with more problems is probably the wrong file. */
const MOST_PROBLEMS = 50;

/**
 * Notes a problem for each column with the name of an earlier one. Columns without a name may be several.
 * @param nameOf default: the whole heading @param keyOf what equal names have in common. Default: the name
 */
export function rejectTwins(
  header: readonly Cell[],
  problems: Problems,
  nameOf = ({ text }: Cell): string => text,
  keyOf = (name: string): string => name,
): void {
  const seen = new Set<string>();
  for (const cell of header) {
    const name = nameOf(cell);
    const key = keyOf(name);
    if (key !== '' && seen.has(key)) problems.add(cell, `a column before this one is called ${quote(name)}, too`);
    seen.add(key);
  }
}

/**
 * Reads a file. Notes a problem for an unclosed quotation mark, a row with more or fewer cells than the header, a file without
 * rows, and, before it reads any row, for a file with too many rows.
 * @param begin receives the header; undefined if it noted problems, so that the rows need not be read
 * @param remarks whether lines that begin with `#` are skipped after the header, too: without numbers, they may be rows
 */
export function readCsv(
  text: string,
  file: string,
  problems: Problems,
  begin: (header: readonly Cell[]) => RowReader | undefined,
  remarks = true,
): void {
  const source = text.replace(/^\uFEFF/, '');
  const excess = excessOf(source);
  if (excess !== undefined) {
    problems.add({ file, line: excess.line, column: 1 }, excess.message);
    return;
  }
  const before = problems.list.length;
  let header: readonly Cell[] | undefined;
  let read: RowReader | undefined;
  let rows = 0;
  parseRows(source, file, problems, remarks, (row) => {
    if (header === undefined && (row[0]?.text.startsWith('#') || isSeparatorLine(row))) return true;
    rows++;
    if (header === undefined) {
      header = row;
      read = begin(row);
    } else if (row.length === header.length) {
      read?.(row);
    } else {
      const place = { file, line: row[0]?.line ?? 1, column: 1 };
      problems.add(place, `this line has ${count(row.length)}; the first line names ${count(header.length)}`);
    }
    return read !== undefined && problems.list.length < before + MOST_PROBLEMS;
  });
  if (rows < 2 && problems.list.length === before) {
    const wanted = 'a line of column names and at least one line of values';
    problems.add({ file, line: 1, column: 1 }, `${quote(file)} has no rows; expected ${wanted}`);
  }
}

/** Whether this is the line `sep=;`, which programs write for Excel. */
function isSeparatorLine([first, second, ...more]: readonly Cell[]): boolean {
  return first?.text.toLowerCase() === 'sep=' && second?.text === '' && more.length === 0;
}

/** Why a file is too large. Lines are counted, which is fast: even quoted ones make it too large. */
function excessOf(source: string): { readonly line: number; readonly message: string } | undefined {
  // The header is not a row of values.
  let rows = -1;
  let line = 0;
  for (const { at, end } of linesIn(source)) {
    line++;
    if (end - at > LONGEST_ROW) return { line, message: `the line is longer than ${LONGEST_ROW} characters` };
    if (end > at && source[at] !== '#') rows++;
    if (rows > MOST_ROWS) return { line, message: `more than ${MOST_ROWS} rows, the limit of a file` };
  }
  return undefined;
}

/** Where each line begins and ends, without its line end. */
function* linesIn(source: string): Generator<{ readonly at: number; readonly end: number }> {
  let at = 0;
  for (const { index, 0: ending } of source.matchAll(/\r\n|\n|\r/g)) {
    yield { at, end: index };
    at = index + ending.length;
  }
  if (at < source.length) yield { at, end: source.length };
}

/** Thrown to stop csv-parse. */
const STOP = new Error('the rest of the file is not needed');

/** @param take returns false if the rest of the file is not needed */
function parseRows(
  source: string,
  file: string,
  problems: Problems,
  remarks: boolean,
  take: (row: readonly Cell[]) => boolean,
): void {
  const places = new CellPlaces(source, remarks);
  try {
    parse(source, {
      delimiter: separatorOf(firstRow(source)),
      record_delimiter: ['\r\n', '\n', '\r'],
      ...(remarks && { comment: '#', comment_no_infix: true }),
      skip_empty_lines: true,
      trim: true,
      // A quotation mark within an unquoted cell is a part of the text.
      relax_quotes: true,
      // readCsv reports rows of the wrong length, all together.
      relax_column_count: true,
      cast: (value, context) => {
        const text = value.trim();
        return { file, ...places.next(context), text, whole: context.quoting ? value : text };
      },
      // csv-parse keeps only what this function returns: nothing.
      on_record: (row: unknown) => {
        if (!take(row as readonly Cell[])) throw STOP;
      },
    });
  } catch (error) {
    if (error === STOP) return;
    if (!(error instanceof CsvError)) throw error;
    problems.add({ file, ...places.open() }, FAULTS[error.code] ?? error.message);
  }
}

const FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'the quotation mark " is not closed',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'after the closing quotation mark " of this cell comes more than spaces',
};

/** The first line with data. */
function firstRow(source: string): string {
  for (const { at, end } of linesIn(source)) {
    const line = source.slice(at, end);
    if (line.trim() !== '' && !line.startsWith('#')) return line;
  }
  return '';
}

function separatorOf(line: string): string {
  const bare = line.replace(/"[^"]*"/g, '');
  // If a comma is as frequent as another separator, the other one wins: a comma is more likely to be a part of a name.
  const counts = [';', '\t', ','].map((candidate) => [bare.split(candidate).length, candidate] as const);
  return counts.reduce((best, next) => (next[0] > best[0] ? next : best))[1];
}

interface CellPlace {
  readonly line: number;
  readonly column: number;
}

/** Finds the beginning of each cell: csv-parse reports only the byte at which a cell ends. */
class CellPlaces {
  readonly #source: string;
  readonly #remarks: boolean;
  #byte = 0;
  #index = 0;
  #line = 1;
  #lineStart = 0;

  /** @param remarks whether lines that begin with `#` have no cells */
  constructor(source: string, remarks: boolean) {
    this.#source = source;
    this.#remarks = remarks;
  }

  /** The beginning of the cell that was just read. To be called once for each cell, in order. */
  next({ index, bytes: end }: Pick<CastingContext, 'index' | 'bytes'>): CellPlace {
    if (index > 0) this.#step();
    this.#skipTo(end);
    const place = this.#place();
    while (this.#byte < end && this.#index < this.#source.length) this.#step();
    return place;
  }

  /** The beginning of the quoted cell that is not closed. */
  open(): CellPlace {
    while (this.#index < this.#source.length && this.#source[this.#index] !== '"') this.#step();
    return this.#place();
  }

  /** Skips spaces, empty lines and comments, at most up to the byte `end`. */
  #skipTo(end: number): void {
    while (this.#byte < end) {
      const char = this.#source[this.#index] ?? '';
      const comment = this.#remarks && char === '#' && this.#index === this.#lineStart;
      if (!comment && !/\s/.test(char)) return;
      if (comment) while (this.#index < this.#source.length && !this.#isAtLineEnd()) this.#step();
      this.#step();
    }
  }

  #step(): void {
    const isLineEnd = this.#isAtLineEnd();
    const code = this.#source.charCodeAt(this.#index++);
    // Length in UTF-8; each half of a surrogate pair counts as two of the four bytes.
    this.#byte += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
    if (!isLineEnd) return;
    this.#line++;
    this.#lineStart = this.#index;
  }

  /** Of CR LF, the end is LF. */
  #isAtLineEnd(): boolean {
    const char = this.#source[this.#index];
    return char === '\n' || (char === '\r' && this.#source[this.#index + 1] !== '\n');
  }

  #place(): CellPlace {
    return { line: this.#line, column: this.#index - this.#lineStart + 1 };
  }
}

function count(cells: number): string {
  return cells === 1 ? '1 cell' : `${cells} cells`;
}
