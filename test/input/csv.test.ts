import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cell, readCsv } from '../../src/input/csv.js';
import { Problems } from '../../src/input/document.js';

function read(text: string) {
  const problems = new Problems();
  const all: (readonly Cell[])[] = [];
  readCsv(text, 'a.csv', problems, (header) => {
    all.push(header);
    return (row) => all.push(row);
  });
  const [header, ...rows] = all;
  const texts = all.map((row) => row.map((cell) => cell.text));
  return {
    header,
    rows,
    texts,
    problems: problems.list.map(({ line, column, message }) => `${line}:${column}: ${message}`),
  };
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
    const { rows } = read('# one\na, b\n 1 ,  "2"\n');
    expect(rows[0]?.map(({ line, column }) => [line, column])).toEqual([
      [3, 2],
      [3, 7],
    ]);
  });

  it('keeps line breaks within quotation marks, and the places of later cells', () => {
    const { rows, texts } = read('time,note\r\n1,"two\r\nlines"\r\n# no\r\n\r\n2, x\r\n');
    expect(texts.slice(1)).toEqual([
      ['1', 'two\r\nlines'],
      ['2', 'x'],
    ]);
    expect(rows.map((row) => row.map(({ line, column }) => `${line}:${column}`))).toEqual([
      ['2:1', '2:3'],
      ['6:1', '6:4'],
    ]);
  });

  it('may have lines that end with CR', () => {
    const { rows, texts } = read('time,a\r0,1\r\r# no\r1,2');
    expect(texts).toEqual([
      ['time', 'a'],
      ['0', '1'],
      ['1', '2'],
    ]);
    expect(rows[1]?.map(({ line, column }) => `${line}:${column}`)).toEqual(['5:1', '5:3']);
  });

  it('with too many rows is rejected before any row is read', () => {
    const { texts, problems } = read(`time\n${'0\n'.repeat(530_001)}`);
    expect(problems).toEqual(['530002:1: more than 530000 rows, the limit of a file']);
    expect(texts).toEqual([]);
  });

  it('with a row of endless length is rejected', () => {
    expect(read(`a,b\n1,2\n${'1,'.repeat(60_000)}\n`).problems).toEqual([
      '3:1: the line is longer than 100000 characters',
    ]);
  });

  it('with many wrong rows gives up after fifty', () => {
    expect(read(`a,b\n${'1\n'.repeat(1000)}`).problems).toHaveLength(50);
  });

  it('counts columns in UTF-16 code units, not in bytes', () => {
    const { header } = read('ä,€,𝄞,d\n1,2,3,4\n');
    expect(header?.map(({ column }) => column)).toEqual([1, 3, 5, 8]);
  });

  it('is rejected when a quotation mark is not closed, with the place where it opens', () => {
    expect(read('a,b\n1, "2\n3,4\n').problems).toEqual(['2:4: the quotation mark " is not closed']);
  });

  it('is rejected with more than spaces after a quoted cell', () => {
    expect(read('a,b\r\n1,"2\r\n" 3\r\n').problems).toEqual([
      '2:3: after the closing quotation mark " of this cell comes more than spaces',
    ]);
  });

  it.each([';', ',', '\t'])('may begin with the line for Excel that names the separator %j', (separator) => {
    const { texts, problems } = read(`sep=${separator}\r\na${separator}b\r\n1${separator}2\r\n`);
    expect(problems).toEqual([]);
    expect(texts).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
  });

  it('is rejected without a line of values', () => {
    const message = '1:1: "a.csv" has no rows; expected a line of column names and at least one line of values';
    expect(read('a,b\n').problems).toEqual([message]);
    expect(read('').problems).toEqual([message]);
  });

  it('keeps empty cells', () => {
    expect(read('a,b,c\n1,,\n').texts[1]).toEqual(['1', '', '']);
  });

  it('is rejected with a problem for each line that has more or fewer cells than the header', () => {
    expect(read('a,b\n1\n1,2\n1,2,3\n').problems).toEqual([
      '2:1: this line has 1 cell; the first line names 2 cells',
      '4:1: this line has 3 cells; the first line names 2 cells',
    ]);
  });

  it('has the same cells, places and problems with each line end, which stays as it is within quotation marks', () => {
    const text = fc.string({ unit: fc.constantFrom(',', ';', '"', '\n', '#', ' ', 'a', '1') });
    fc.assert(
      fc.property(text, fc.constantFrom('\r\n', '\r'), (table, lineEnd) => {
        const [one, other] = [read(table), read(table.replaceAll('\n', lineEnd))];
        const changed = (cell: Cell) => ({
          ...cell,
          text: cell.text.replaceAll('\n', lineEnd),
          whole: cell.whole.replaceAll('\n', lineEnd),
        });
        expect(other.problems).toEqual(one.problems);
        expect(other.rows).toEqual(one.rows.map((row) => row.map(changed)));
      }),
    );
  });

  it('is read, or rejected with problems, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(',', ';', '\t', '"', '\n', '\r', '#', ' ', 'a', '1') }), (text) => {
        const { header, rows, problems } = read(text);
        expect(problems.length > 0 || rows.length > 0).toBe(true);
        for (const row of rows) expect(row).toHaveLength(header?.length ?? 0);
      }),
    );
  });
});
