/** The comments of src: how many there are, for the code says most; and the names in them. */
import { expect, it } from 'vitest';
import { pathsIn, textOf } from './sources.js';

/** Largest share of lines that have only a comment. Lower it when there are fewer; never raise it. */
const LARGEST = 0.142;

/** Number of lines, and of those that have only a comment. */
function counted(text: string): { readonly lines: number; readonly comments: number } {
  const lines = text.trimEnd().split('\n');
  let isOpen = false;
  const comments = lines.filter((line) => {
    const words = line.trim();
    const isComment = isOpen || words.startsWith('//') || words.startsWith('/*');
    if (words.startsWith('/*')) isOpen = true;
    if (words.includes('*/')) isOpen = false;
    return isComment;
  });
  return { lines: lines.length, comments: comments.length };
}

it('comments are at most about 14 % of the lines of src', async ({ annotate }) => {
  const files = pathsIn('src', '.ts').map((path) => counted(textOf(path)));
  const sum = (of: 'lines' | 'comments') => files.reduce((total, file) => total + file[of], 0);
  const share = sum('comments') / sum('lines');
  await annotate(`${(100 * share).toFixed(1)} % of ${sum('lines')} lines are comments`);
  expect(share, 'shorten comments that repeat the code; keep the reasons').toBeLessThan(LARGEST);
});

/** A comment of its own lines; the formatter leaves only these forms. */
const COMMENT = /^ *(?:\/\*[\s\S]*?\*\/|\/\/.*)$/gm;
/** A name of the code in a comment: in a link, or in backquotes. */
const NAME = /\{@link (?:\w+\.)?#?(\w+)\}|`#?([a-z]+(?:[A-Z][a-z]+)+)(?:\(\))?`/g;

it('comments name only functions, constants and types that the code has', () => {
  const texts = [...pathsIn('src', '.ts'), ...pathsIn('src', '.mjs')].map((path) => ({ path, text: textOf(path) }));
  const code = new Set(texts.flatMap(({ text }) => text.replace(COMMENT, '').match(/\w+/g) ?? []));
  const missing = texts.flatMap(({ path, text }) => {
    const comments = (text.match(COMMENT) ?? []).join('\n');
    const names = [...comments.matchAll(NAME)].map(([, linked, quoted]) => linked ?? quoted ?? '');
    return names.filter((name) => !code.has(name)).map((name) => `${path}: ${name}`);
  });
  expect(missing).toEqual([]);
});

it('lines with only a comment are counted, of either form', () => {
  const text = ['/** One line. */', 'a; // beside', '/**', ' * Two', ' */', '// Three', 'b;'].join('\n');
  expect(counted(text)).toEqual({ lines: 7, comments: 5 });
});
