import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PAGES } from '../../scripts/pages/pages.js';

const { files }: { readonly files: readonly string[] } = JSON.parse(readFileSync('package.json', 'utf8'));
const links = [...readFileSync('README.md', 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path);

it('the package contains every file to which the README links', () => {
  expect(links.length).toBeGreaterThan(5);
  const packed = (path: string) => files.some((name) => path === name || path.startsWith(`${name}/`));
  expect(links.filter((path) => !packed(path))).toEqual([]);
});

it('llms.txt, which the package contains, names every page of docs/, and only pages that exist', () => {
  const named = [...readFileSync('llms.txt', 'utf8').matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
  const pages = readdirSync('docs').filter((name) => name.endsWith('.md'));
  expect(files).toContain('llms.txt');
  expect(pages.filter((name) => !named.includes(`docs/${name}`))).toEqual([]);
  expect(named.filter((path) => !existsSync(path) && !(path in PAGES))).toEqual([]);
});
