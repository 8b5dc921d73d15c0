import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const { files }: { readonly files: readonly string[] } = JSON.parse(readFileSync('package.json', 'utf8'));
const links = [...readFileSync('README.md', 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path);

it('the package contains every file to which the README links', () => {
  expect(links.length).toBeGreaterThan(5);
  const packed = (path: string) => files.some((name) => path === name || path.startsWith(`${name}/`));
  expect(links.filter((path) => !packed(path))).toEqual([]);
});
