/** The pages and schemas that the build makes: the package contains them, and the repository does not. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PAGES } from '../../scripts/pages/pages.js';

const { files }: { readonly files: readonly string[] } = JSON.parse(readFileSync('package.json', 'utf8'));
const ignored = readFileSync('.gitignore', 'utf8').split('\n');

describe.each(Object.entries(PAGES))('%s', (path, make) => {
  it('is in the package and not in the repository', () => {
    expect(files.some((name) => path.startsWith(`${name}/`))).toBe(true);
    expect(ignored.some((pattern) => `/${path}`.startsWith(pattern) && pattern !== '')).toBe(true);
  });

  it('has no empty or missing values', () => {
    expect(make()).not.toMatch(/[:|] (?:undefined|NaN)|\[object/);
    expect(make().length).toBeGreaterThan(1000);
  });
});

it('the schemas are JSON Schemas', () => {
  const schemas = Object.entries(PAGES).filter(([path]) => path.endsWith('.schema.json'));
  expect(schemas.map(([, make]) => JSON.parse(make()).$schema)).toEqual([
    'http://json-schema.org/draft-07/schema#',
    'http://json-schema.org/draft-07/schema#',
  ]);
});

it('the page of the coverage numbers its rows without gaps, and counts them', () => {
  const page = PAGES['docs/API-COVERAGE.md']?.() ?? '';
  const ids = [...page.matchAll(/^\| ([CGO])(\d+) \| /gm)].map(
    ([, part = '', number]) => [part, Number(number)] as const,
  );
  for (const part of ['C', 'G', 'O']) {
    const numbers = ids.flatMap(([letter, number]) => (letter === part ? [number] : []));
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  }
  expect(page).toContain(`${ids.length} rows in `);
});
