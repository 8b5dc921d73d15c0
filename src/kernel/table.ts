/** Tables in plain text. Columns are as wide as their widest cell, with two spaces between them. */

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** One line for the titles, then one line per row. */
export function writeTable(columns: readonly Column[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = columns.map((column, i) => Math.max(column.title.length, ...rows.map((row) => (row[i] ?? '').length)));
  const line = (cells: readonly string[]) => {
    const padded = columns.map((column, i) => {
      const cell = cells[i] ?? '';
      const width = widths[i] ?? 0;
      return column.align === 'right' ? cell.padStart(width) : cell.padEnd(width);
    });
    return padded.join('  ').trimEnd();
  };
  return [line(columns.map((column) => column.title)), ...rows.map(line)];
}

/** Like {@link writeTable}. If wider than `width`, several tables, each with the first column. */
export function fitTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const widths = columns.map((column, i) => Math.max(column.title.length, ...rows.map((row) => (row[i] ?? '').length)));
  const blocks: number[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (let i = 1; i < columns.length; i++) {
    const needed = 2 + (widths[i] ?? 0);
    if (used + needed > width) {
      blocks.push([0]);
      used = widths[0] ?? 0;
    }
    blocks.at(-1)?.push(i);
    used += needed;
  }
  return blocks.flatMap((indices, block) => [
    ...(block === 0 ? [] : ['']),
    ...writeTable(
      indices.flatMap((i) => columns[i] ?? []),
      rows.map((row) => indices.map((i) => row[i] ?? '')),
    ),
  ]);
}

/** Marks the spaces in `part`, so that {@link wrap} does not break there. */
export function keepUnbroken(part: string): string {
  return part.replaceAll(' ', UNBROKEN);
}

const UNBROKEN = '\u00a0';

/** Breaks a text at spaces into lines of at most `width` characters; a longer word is not broken. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else {
      current = current === '' ? word : `${current} ${word}`;
    }
  }
  return [...lines, current].map((line) => line.replaceAll(UNBROKEN, ' '));
}
