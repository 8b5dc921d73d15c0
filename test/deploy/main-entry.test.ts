/** dist/main.js under versions of Node.js that cannot read the program. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MAIN_ENTRY } from '../../scripts/build/main-entry.js';

/** Runs the text under a version. `import` is replaced, so that the program itself is not loaded. */
function started(version: string, more: Readonly<Record<string, string>> = {}) {
  const seen = { loaded: [] as string[], err: '', exitCode: 0 };
  const system = {
    versions: { node: version, ...more },
    stderr: {
      write: (text: string) => {
        seen.err += text;
      },
    },
    set exitCode(code: number) {
      seen.exitCode = code;
    },
  };
  const text = MAIN_ENTRY.replace(/^#!.*\n/, '').replace('import(', 'load(');
  new Function('process', 'load', text)(system, (path: string) => void seen.loaded.push(path));
  return seen;
}

it.each(['10.24.1', '12.22.9', '18.20.8', '20.9.0', '20.18.3', '21.7.3'])('Node.js %s gets one sentence', (version) => {
  expect(started(version)).toEqual({
    loaded: [],
    err: `ghostfleet: Node.js 20.19, or 22 or newer, is required; this is Node.js ${version}\n`,
    exitCode: 2,
  });
});

it.each(['24.3.0', '26.3.0'])('Bun, which calls itself Node.js %s, gets one sentence', (version) => {
  expect(started(version, { bun: '1.4.5' })).toEqual({
    loaded: [],
    err: 'ghostfleet: Node.js 20.19, or 22 or newer, is required; this is Bun 1.4.5: use npx in place of bunx\n',
    exitCode: 2,
  });
});

it('Deno loads the program', () => {
  expect(started('24.2.0', { deno: '2.9.6' })).toMatchObject({ loaded: ['./program/main.mjs'], err: '' });
});

it.each(['20.19.0', '20.20.2', '22.0.0', '24.1.0', '100.0.0'])('Node.js %s loads the program', (version) => {
  expect(started(version)).toMatchObject({ loaded: ['./program/main.mjs'], err: '' });
});

it('the file has no syntax that an old Node.js rejects, and package.json permits the same versions', () => {
  expect(MAIN_ENTRY).not.toMatch(/^import\b|\bawait\b|\?\.|\?\?|\|\|=|^export/m);
  expect(JSON.parse(readFileSync('package.json', 'utf8')).engines).toEqual({ node: '^20.19 || >=22' });
});
