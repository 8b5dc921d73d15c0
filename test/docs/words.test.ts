/** How much there is to read. Pages that the build makes, the list of exports, and comments are not counted. */
import { expect, it } from 'vitest';
import { PAGES } from '../../scripts/pages/pages.js';
import { pathsIn, textOf } from '../architecture/sources.js';

const REFERENCE = pathsIn('docs/reference', '.md');
const NOT_COUNTED = new Set([...REFERENCE, ...pathsIn('docs/api', '.md'), ...Object.keys(PAGES)]);
const GUIDES = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'web/README.md'],
  ...pathsIn('docs', '.md').filter((path) => !NOT_COUNTED.has(path)),
];

it.each([
  { what: 'pages', paths: GUIDES, most: 75_000 },
  { what: 'rules of the reference', paths: REFERENCE, most: 30_000 },
])('the $what have less than $most words', async ({ what, paths, most }) => {
  const words = paths.map((path) => [path, countWords(textOf(path))] as const);
  const all = words.reduce((sum, [, count]) => sum + count, 0);
  const longest = [...words].sort(([, a], [, b]) => b - a).slice(0, 8);
  console.log(`${what}: ${all} words; ${longest.map(([path, count]) => `${path} ${count}`).join(', ')}`);
  expect(all, 'shorten a page; docs/README.md says which page is for what').toBeLessThan(most);
});

function countWords(page: string): number {
  return page
    .replace(/<!--[\s\S]*?-->/g, '')
    .trim()
    .split(/\s+/).length;
}
