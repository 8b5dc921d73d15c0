/** The rules of docs/reference/, and the comments that cite them, such as (wire W-28). */
import { describe, expect, it } from 'vitest';
import { pathsIn, textOf } from '../architecture/sources.js';

const PAGES = { W: 'wire', T: 'timing', S: 'shell', B: 'behaviour', C: 'cloud' } as const;
type Letter = keyof typeof PAGES;

interface Rule {
  readonly id: string;
  readonly text: string;
  readonly source: string;
}

/** The rules of a page: the rows `| W-28 | rule | source |` of its tables. */
function rulesOf(letter: Letter): readonly Rule[] {
  const rows = textOf(`docs/reference/${PAGES[letter]}.md`).matchAll(/^\| ([A-Z]-\d+) \| (.*) \| ([^|]*) \|$/gm);
  return [...rows].map(([, id = '', text = '', source = '']) => ({ id, text, source }));
}

const RULES = (Object.keys(PAGES) as Letter[]).flatMap(rulesOf);
const IDS = new Set(RULES.map((rule) => rule.id));

/** The ids that a text cites: `W-28`, and all from `W-27` to `W-30` of "W-27 to W-30". */
function citedIn(text: string): readonly string[] {
  return [...text.matchAll(/\b([WTSBC])-(\d+)(?:\s+(?:\*\s+|\/\/\s+)?to\s+(?:\*\s+|\/\/\s+)?\1-(\d+))?/g)].flatMap(
    ([, letter, first, last = first]) =>
      Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => `${letter}-${Number(first) + i}`),
  );
}

const FILES = [
  ...pathsIn('src', '.ts'),
  ...pathsIn('test', '.ts').filter((path) => path !== 'test/docs/reference.test.ts'),
  ...pathsIn('scripts', '.ts'),
];

describe('the rules of docs/reference', () => {
  it('have a number of their own', () => {
    const ids = RULES.map((rule) => rule.id);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
    expect(ids.length).toBeGreaterThan(200);
  });

  it('name the file or document of the fact, or are ours', () => {
    expect(RULES.filter(({ source }) => source.trim() === '').map((rule) => rule.id)).toEqual([]);
  });

  it('exist, where a comment or a page cites one', () => {
    const pages = [...pathsIn('docs', '.md'), 'README.md', 'CONTRIBUTING.md'];
    const missing = [...FILES, ...pages].flatMap((path) =>
      citedIn(textOf(path))
        .filter((id) => !IDS.has(id))
        .map((id) => `${path}: ${id}`),
    );
    expect(missing, 'these comments cite a rule that no page of docs/reference has').toEqual([]);
  });

  it('are cited by a comment in src or test, or say why they are not implemented', () => {
    const cited = new Set(FILES.filter((path) => !path.startsWith('scripts')).flatMap((path) => citedIn(textOf(path))));
    const unused = RULES.filter(({ id, text }) => !cited.has(id) && !/not implemented, because/i.test(text));
    expect(
      unused.map((rule) => rule.id),
      'cite these rules where the code obeys them, or drop them',
    ).toEqual([]);
  });
});

it('a citation of a range cites each rule in it', () => {
  expect(citedIn('(wire W-27 to W-29, timing T-3; UTC-3, LTE-M)')).toEqual(['W-27', 'W-28', 'W-29', 'T-3']);
});
