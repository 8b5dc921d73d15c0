/** How much there is to read. Generated pages and the rules of docs/reference are not counted. */
import { expect, it } from 'vitest';
import { pathsIn, textOf } from '../architecture/sources.js';

/** Largest number of words of all pages. The goal is 75,000. Lower it when there are fewer; never raise it. */
const MOST = 95_000;

const OTHER = /^docs\/(?:reference|api)\/|^docs\/(?:API-COVERAGE|LICENCES)\.md$/;
const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'web/README.md'],
  ...pathsIn('docs', '.md').filter((path) => !OTHER.test(path)),
];

it('the pages have few words', async ({ annotate }) => {
  const words = PAGES.map((path) => [path, textOf(path).trim().split(/\s+/).length] as const);
  const all = words.reduce((sum, [, count]) => sum + count, 0);
  const longest = [...words].sort(([, a], [, b]) => b - a).slice(0, 12);
  await annotate(`${all} words: ${longest.map(([path, count]) => `${path} ${count}`).join(', ')}`);
  expect(all, 'shorten a page; docs/README.md says which page is for what').toBeLessThan(MOST);
});
