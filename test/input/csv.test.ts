import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCsv } from '../../src/input/csv.js';
import { Problems } from '../../src/input/document.js';

function read(text: string) {
  const problems = new Problems();
  const table = readCsv(text, 'a.csv', problems);
  const texts = table && [table.header, ...table.rows].map((row) => row.map((cell) => cell.text));
  return { table, texts, problems: problems.list.map(({ line, column, message }) => `${line}:${column}: ${message}`) };
}

describe('a table', () => {
  it('is read with commas, semicolons or tabs, quotes, comments and empty lines', () => {
    const wanted = [
      ['time', 'a, b'],
      ['1', 'say "x"'],
    ];
    expect(read('time,"a, b"\n\n# no\n1,"say ""x"""\n').texts).toEqual(wanted);
    expect(read('time;a, b\r\n1;say "x"').texts).toEqual(wanted);
    expect(read('\uFEFFtime\ta, b\n1\tsay "x"\n').texts).toEqual(wanted);
  });

  it('has the line and column of each cell', () => {
    const { table } = read('# one\na, b\n 1 ,  "2"\n');
    expect(table?.rows[0]?.map(({ line, column }) => [line, column])).toEqual([
      [3, 2],
      [3, 7],
    ]);
  });

  it('keeps line breaks within quotation marks, and the places of later cells', () => {
    const { table, texts } = read('time,note\r\n1,"two\r\nlines"\r\n# no\r\n\r\n2, x\r\n');
    expect(texts?.slice(1)).toEqual([
      ['1', 'two\nlines'],
      ['2', 'x'],
    ]);
    expect(table?.rows.map((row) => row.map(({ line, column }) => `${line}:${column}`))).toEqual([
      ['2:1', '2:3'],
      ['6:1', '6:4'],
    ]);
  });

  it('counts columns in UTF-16 code units, not in bytes', () => {
    const { table } = read('ä,€,𝄞,d\n1,2,3,4\n');
    expect(table?.header.map(({ column }) => column)).toEqual([1, 3, 5, 8]);
  });

  it('is rejected when a quotation mark is not closed, with the place where it opens', () => {
    expect(read('a,b\n1, "2\n3,4\n').problems).toEqual(['2:4: the quotation mark " is not closed']);
  });

  it('is rejected without a line of values', () => {
    const message = '1:1: "a.csv" has no rows; expected a line of column names and at least one line of values';
    expect(read('a,b\n').problems).toEqual([message]);
    expect(read('').problems).toEqual([message]);
  });

  it('keeps empty cells', () => {
    expect(read('a,b,c\n1,,\n').texts?.[1]).toEqual(['1', '', '']);
  });

  it('is rejected with a problem for each line that has more or fewer cells than the header', () => {
    expect(read('a,b\n1\n1,2\n1,2,3\n').problems).toEqual([
      '2:1: this line has 1 cell; the first line names 2 cells',
      '4:1: this line has 3 cells; the first line names 2 cells',
    ]);
  });

  it('is read, or rejected with problems, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(',', ';', '\t', '"', '\n', '\r', '#', ' ', 'a', '1') }), (text) => {
        const { table, problems } = read(text);
        expect(table === undefined).toBe(problems.length > 0);
        for (const row of table?.rows ?? []) expect(row).toHaveLength(table?.header.length ?? 0);
      }),
    );
  });
});
