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

  it('knows where each cell stands', () => {
    const { table } = read('# one\na, b\n 1 ,  "2"\n');
    expect(table?.rows[0]?.map(({ line, column }) => [line, column])).toEqual([
      [3, 2],
      [3, 7],
    ]);
  });

  it('keeps empty cells', () => {
    expect(read('a,b,c\n1,,\n').texts?.[1]).toEqual(['1', '', '']);
  });

  it('is refused where a line has another number of cells, once for each such line', () => {
    expect(read('a,b\n1\n1,2\n1,2,3\n').problems).toEqual([
      '2:1: this line has 1 cell; the first line names 2 cells',
      '4:1: this line has 3 cells; the first line names 2 cells',
    ]);
  });

  it('is a table or a list of problems, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(',', ';', '\t', '"', '\n', '\r', '#', ' ', 'a', '1') }), (text) => {
        const { table, problems } = read(text);
        expect(table === undefined).toBe(problems.length > 0);
        for (const row of table?.rows ?? []) expect(row).toHaveLength(table?.header.length ?? 0);
      }),
    );
  });
});
