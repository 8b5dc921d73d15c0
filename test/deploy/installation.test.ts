/** What users install: the declarations of the package, and the limits of an installation. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepDeclarations } from '../../scripts/build/declarations.js';
import { failuresOf } from '../../scripts/release/installation.js';
import { folderOfTest } from '../support/folder-of-test.js';

function write(files: Readonly<Record<string, string>>): string {
  const folder = folderOfTest();
  mkdirSync(join(folder, 'a'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

it('a build keeps the declarations that the entry needs, whichever way it names them, and deletes the others', () => {
  const needed = {
    'index.d.ts': "export * from './a/b.js';\nexport type X = import('./a/c.mjs').X;\n",
    'a/b.d.ts': "import {\n  type D,\n} from './d.js';\nimport 'node:http';\nexport declare const b: D;\n",
    'a/c.d.mts': "/** Not import('pg'). */\nexport interface X {\n  /** As from 'pg'. */\n  readonly x: 'scalar';\n}\n",
    'a/d.d.ts': "export type D = 'a' | 'b';\n",
  };
  const others = { 'main.d.ts': "import 'pg';\n", 'a/e.d.mts': 'export {};\n' };
  const folder = write({ ...needed, ...others, 'a/page.html': '' });
  keepDeclarations(folder, 'index.d.ts');
  const kept = [...Object.keys(needed), ...Object.keys(others), 'a/page.html'].filter((name) =>
    existsSync(join(folder, name)),
  );
  expect(kept).toEqual([...Object.keys(needed), 'a/page.html']);
});

it('a build ends with an error if a declaration of the package has types of another package', () => {
  const folder = write({
    'index.d.ts': "export * from './a/b.js';\n",
    'a/b.d.ts': "import { type Pool } from 'pg';\n",
  });
  expect(() => keepDeclarations(folder, 'index.d.ts')).toThrow('a/b.d.ts has types of pg, which users do not have');
});

it('the release check names each figure of an installation that exceeds its limit', () => {
  const limits = { packages: 39, megabytes: 53, seconds: 240 };
  expect(failuresOf({ packages: 39, megabytes: 53, seconds: 240 }, limits)).toEqual([]);
  expect(failuresOf({ packages: 215, megabytes: 106, seconds: 241 }, limits)).toEqual([
    '215 packages, more than 39',
    '106 MB, more than 53',
    '241 s of processor time, more than 240',
  ]);
});
