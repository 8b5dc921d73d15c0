/** Lines of written documents have at most 120 characters, except for tables, code and lines that cannot be broken. A row is a line. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PAGES } from '../../scripts/pages/pages.js';

const WIDTH = 120;
const FOLDERS = ['docs', 'docs/reference', 'docs/scenarios'];
const DOCUMENTS = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...FOLDERS.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
].filter((path) => !(path in PAGES));

/** The numbers of the lines of prose that are too long, from 1. */
function longLines(text: string): readonly number[] {
  let isCode = false;
  return text.split('\n').flatMap((line, i) => {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    if (isCode || line.startsWith('|') || line.length <= WIDTH) return [];
    // A link, a piece of code or a word that is longer than a line leaves at most its list mark on the line.
    const parts = line.trim().match(/`[^`]*`|\[[^\]]*\]\([^)]*\)\S*|\S+/g) ?? [];
    return parts.length <= 2 ? [] : [i + 1];
  });
}

it.each(DOCUMENTS)('prose of %s has at most 120 characters a line', (name) => {
  expect(longLines(readFileSync(name, 'utf8'))).toEqual([]);
});

it('a long line of prose is found, even in a list; tables, code and unbreakable lines are not reported', () => {
  const prose = 'word '.repeat(30);
  const text = [prose, `* ${prose}`, `| ${prose} |`, '```', prose, '```', `* \`${prose}\``].join('\n');
  expect(longLines(text)).toEqual([1, 2]);
});

/** The numbers of the lines in tables that are not a whole row, from 1. */
function brokenRows(text: string): readonly number[] {
  let isCode = false;
  let inTable = false;
  return text.split('\n').flatMap((line, i) => {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    inTable = !isCode && line !== '' && (inTable || line.startsWith('|'));
    return inTable && !/^\|.*\|$/.test(line) ? [i + 1] : [];
  });
}

it.each(DOCUMENTS)('each row of the tables in %s is one line', (name) => {
  expect(brokenRows(readFileSync(name, 'utf8'))).toEqual([]);
});

it('a row that continues on the next line is found', () => {
  expect(brokenRows('| a | b |\n|---|---|\n| 1 | two\nlines |\n| 3 | 4 |\n\nprose')).toEqual([3, 4]);
});
