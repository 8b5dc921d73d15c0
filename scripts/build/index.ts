/**
 * `npm run build`: the declarations and the web console, which are built at the same time, then the program, the library and the
 * pages that are made from others.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { build } from 'vite';
import { PAGES } from '../pages/pages.js';
import { programFiles } from '../support/program.js';
import { filesIn, updateFolder } from '../support/update-folder.js';
import { writeOutTypes } from '../support/written-types.js';
import { keepDeclarations } from './declarations.js';
import { MAIN_ENTRY } from './main-entry.js';

/** The files that package.json names. */
const ENTRIES: Readonly<Record<string, string>> = {
  'dist/main.js': MAIN_ENTRY,
  'dist/index.js': "export * from './program/index.mjs';\n",
};

/** Its modification time is the start of this script; if-stale.mjs compares it with those of the sources. */
const BUILT = 'dist/.built';

const began = new Date();
const compiler = spawn(process.execPath, ['node_modules/tsc/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
const compiled = once(compiler, 'close');
await build({ configFile: 'web/vite.config.ts', logLevel: 'error' });
const folder = resolve('dist/program');
updateFolder(folder, programFiles(folder));
for (const [path, make] of Object.entries(PAGES)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, make());
}
for (const [file, text] of Object.entries(ENTRIES)) {
  // An unchanged file is not written again, because another process may be reading it.
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}
chmodSync('dist/main.js', 0o755);
// Deletes other JavaScript files in dist/, such as those that a compiler wrote for each source.
for (const file of filesIn('dist')) {
  const isOurs = file in ENTRIES || file.startsWith('dist/program/') || file.startsWith('dist/web/');
  if (!isOurs && /\.m?js(\.map)?$/.test(file)) rmSync(file);
}
const [status] = await compiled;
if (status !== 0) process.exit(1);
await writeOutTypes(resolve('dist'));
keepDeclarations('dist', 'index.d.ts');
writeFileSync(BUILT, '');
utimesSync(BUILT, began, began);
