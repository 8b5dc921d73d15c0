/**
 * Comma-separated values as a table in which every cell knows its line and column. Format: RFC 4180, read by csv-parse. Empty
 * lines and lines that begin with `#` are skipped. The first of the other lines names the columns. The separator is a comma, a
 * semicolon or a tab, whichever is most frequent in that line. Spaces around cells are removed.
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
}

export interface Table {
  readonly header: readonly Cell[];
  /** Each row has as many cells as the header. */
  readonly rows: readonly (readonly Cell[])[];
}

/**
 * Reads a table.
 * @returns undefined if a problem was noted, such as an unclosed quotation mark, a row with more or fewer cells than the
 * header, or a file without rows
 */
export function readCsv(text: string, file: string, problems: Problems): Table | undefined {
  const before = problems.list.length;
  const [header, ...rows] = recordsOf(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'), file, problems);
  for (const row of rows) {
    if (header === undefined || row.length === header.length) continue;
    const place = { file, line: row[0]?.line ?? 1, column: 1 };
    problems.add(place, `this line has ${count(row.length)}; the first line names ${count(header.length)}`);
  }
  if (problems.list.length === before && (header === undefined || rows.length === 0)) {
    const wanted = 'a line of column names and at least one line of values';
    problems.add({ file, line: 1, column: 1 }, `${quote(file)} has no rows; expected ${wanted}`);
  }
  return header && problems.list.length === before ? { header, rows } : undefined;
}

function recordsOf(source: string, file: string, problems: Problems): readonly (readonly Cell[])[] {
  const places = new CellPlaces(source);
  try {
    const records: unknown = parse(source, {
      delimiter: separatorOf(source.split('\n').find(isData) ?? ''),
      record_delimiter: '\n',
      comment: '#',
      comment_no_infix: true,
      skip_empty_lines: true,
      trim: true,
      // A quotation mark within an unquoted cell is a part of the text.
      relax_quotes: true,
      // readCsv reports rows of the wrong length, all together.
      relax_column_count: true,
      cast: (value, context) => ({ file, ...places.next(context), text: value.trim() }),
    });
    // The cast is safe because `cast` converts every text to a cell.
    return records as readonly (readonly Cell[])[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const unclosed = error.code === 'CSV_QUOTE_NOT_CLOSED';
    problems.add({ file, ...places.open() }, unclosed ? 'the quotation mark " is not closed' : error.message);
    return [];
  }
}

function isData(line: string): boolean {
  return line.trim() !== '' && !line.startsWith('#');
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
  #byte = 0;
  #index = 0;
  #line = 1;
  #lineStart = 0;

  constructor(source: string) {
    this.#source = source;
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
      const comment = char === '#' && this.#index === this.#lineStart;
      if (!comment && !/\s/.test(char)) return;
      if (comment) while (this.#index < this.#source.length && this.#source[this.#index] !== '\n') this.#step();
      this.#step();
    }
  }

  #step(): void {
    const code = this.#source.charCodeAt(this.#index++);
    // Length in UTF-8; each half of a surrogate pair counts as two of the four bytes.
    this.#byte += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
    if (code !== 0x0a) return;
    this.#line++;
    this.#lineStart = this.#index;
  }

  #place(): CellPlace {
    return { line: this.#line, column: this.#index - this.#lineStart + 1 };
  }
}

function count(cells: number): string {
  return cells === 1 ? '1 cell' : `${cells} cells`;
}
