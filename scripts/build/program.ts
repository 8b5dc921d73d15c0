/** Builds the program and the library into dist/program. The compiler has put their declarations into dist/. */
import { chmodSync, existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { programFiles } from '../support/program.js';
import { filesIn, updateFolder } from '../support/update-folder.js';
import { writeOutTypes } from '../support/written-types.js';
import { MAIN_ENTRY } from './main-entry.js';

/** The files that package.json names. */
const ENTRIES: Readonly<Record<string, string>> = {
  'dist/main.js': MAIN_ENTRY,
  'dist/index.js': "export * from './program/index.mjs';\n",
};

/** Its modification time is the start of this script; if-stale.mjs compares it with those of the sources. */
const BUILT = 'dist/.built';

const began = new Date();
const folder = resolve('dist/program');
updateFolder(folder, programFiles(folder));
await writeOutTypes(resolve('dist'));
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
writeFileSync(BUILT, '');
utimesSync(BUILT, began, began);
