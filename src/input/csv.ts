/**
 * Comma-separated values as a table in which every cell knows its line and column. The first line names the columns. Commas,
 * semicolons or tabs, whichever the first line has most; cells may be quoted; empty lines and lines with `#` are skipped.
 */
import type { Problems } from './document.js';
import { quote } from './problems.js';

export interface Cell {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

export interface Table {
  readonly header: readonly Cell[];
  /** As long as the header, all of them. */
  readonly rows: readonly (readonly Cell[])[];
}

/** Reads a table; undefined when there is nothing in it, or rows do not have as many cells as the header. */
export function readCsv(text: string, file: string, problems: Problems): Table | undefined {
  const before = problems.list.length;
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const separator = separatorOf(lines.find(isData) ?? '');
  const rows: (readonly Cell[])[] = [];
  lines.forEach((line, index) => {
    if (!isData(line)) return;
    const cells = cellsOf(line, separator, file, index + 1);
    const wanted = rows[0]?.length ?? cells.length;
    if (cells.length === wanted) rows.push(cells);
    else {
      const place = { file, line: index + 1, column: 1 };
      problems.add(place, `this line has ${count(cells.length)}; the first line names ${count(wanted)}`);
    }
  });
  const [header, ...data] = rows;
  if (header === undefined || data.length === 0) {
    problems.add(
      { file, line: 1, column: 1 },
      `${quote(file)} has no rows: a line of names and one of values at least`,
    );
  }
  return header && problems.list.length === before ? { header, rows: data } : undefined;
}

function isData(line: string): boolean {
  return line.trim() !== '' && !line.startsWith('#');
}

function separatorOf(line: string): string {
  const bare = line.replace(/"[^"]*"/g, '');
  // At a tie the comma is the one that may just be part of a name.
  const counts = [';', '\t', ','].map((candidate) => [bare.split(candidate).length, candidate] as const);
  return counts.reduce((best, next) => (next[0] > best[0] ? next : best))[1];
}

function cellsOf(line: string, separator: string, file: string, number: number): readonly Cell[] {
  const cells: Cell[] = [];
  let from = 0;
  while (from <= line.length) {
    const quoted = /^\s*"((?:[^"]|"")*)"\s*/.exec(line.slice(from));
    const end = line.indexOf(separator, from + (quoted?.[0].length ?? 0));
    const to = end < 0 ? line.length : end;
    const raw = line.slice(from, to);
    const text = quoted ? (quoted[1] ?? '').replaceAll('""', '"') : raw.trim();
    cells.push({ file, line: number, column: from + 1 + (raw.length - raw.trimStart().length), text });
    from = to + 1;
  }
  return cells;
}

function count(cells: number): string {
  return cells === 1 ? '1 cell' : `${cells} cells`;
}
