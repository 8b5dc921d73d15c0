import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PAGES } from '../../scripts/pages/pages.js';

const { files }: { readonly files: readonly string[] } = JSON.parse(readFileSync('package.json', 'utf8'));
const readme = readFileSync('README.md', 'utf8');
const links = [...readme.matchAll(/(?<!!\[[^\]]*)\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path);

it('the package contains every file to which the README links', () => {
  expect(links.length).toBeGreaterThan(5);
  const packed = (path: string) => files.some((name) => path === name || path.startsWith(`${name}/`));
  expect(links.filter((path) => !packed(path))).toEqual([]);
});

it('the pictures are small, shown in the documents, and not in the package', () => {
  const pictures = readdirSync('docs/pictures');
  expect(files).toContain('!docs/pictures');
  expect(pictures.length).toBeLessThanOrEqual(6);
  const shown = readdirSync('docs').filter((name) => name.endsWith('.md'));
  const texts = [
    readme.replaceAll('docs/pictures', 'pictures'),
    ...shown.map((name) => readFileSync(`docs/${name}`, 'utf8')),
  ];
  for (const name of pictures) {
    expect([name, statSync(`docs/pictures/${name}`).size <= 60_000]).toEqual([name, true]);
    expect([name, texts.some((text) => text.includes(`](pictures/${name})`))]).toEqual([name, true]);
  }
});

it('llms.txt, which the package contains, names every page of docs/, and only pages that exist', () => {
  const named = [...readFileSync('llms.txt', 'utf8').matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
  const pages = readdirSync('docs').filter((name) => name.endsWith('.md'));
  expect(files).toContain('llms.txt');
  expect(pages.filter((name) => !named.includes(`docs/${name}`))).toEqual([]);
  expect(named.filter((path) => !existsSync(path) && !(path in PAGES))).toEqual([]);
});
