/** `npm run figures`: prints figures about the structure of the project. `test/architecture/figures.test.ts` has their limits. */
import {
  additions,
  beginsWithVerb,
  crumbs,
  functions,
  median,
  secondDeclarations,
} from '../../test/architecture/figures.js';
import { pathsIn, textOf } from '../../test/architecture/sources.js';

const rows = additions();
const most = rows.map((row) => row.most);
console.log(
  `rows of "Adding things": ${rows.length}; files that every addition of a row changes, median: ` +
    `${median(rows.map(({ always }) => always))}; files of a row, median: ${median(most)}, most: ${Math.max(...most)}`,
);
for (const { name, always, most: all } of rows) console.log(`  ${always} of ${all}  ${name}`);

const sources = pathsIn('src', '.ts');
const lines = sources.reduce((sum, path) => sum + textOf(path).split('\n').length - 1, 0);
console.log(`src: ${lines} lines in ${sources.length} files`);

const short = crumbs();
console.log(`files below 16 lines with one importer: ${short.length}`);
for (const path of short) console.log(`  ${path}`);

const all = functions();
const share = (names: readonly { readonly name: string }[]) =>
  `${Math.round((100 * names.filter(({ name }) => beginsWithVerb(name)).length) / names.length)} % of ${names.length}`;
console.log(`functions that begin with a verb or is, has, can: ${share(all)}`);
for (const module of new Set(all.map((each) => each.module))) {
  console.log(`  ${module}: ${share(all.filter((each) => each.module === module))}`);
}
if (process.argv[2] !== undefined) {
  for (const { file, name } of all)
    if (!beginsWithVerb(name) && file.startsWith(process.argv[2])) console.log(`  ${file}: ${name}`);
}

const twice = secondDeclarations();
console.log(`declarations of an API type a second time: ${twice.length}`);
for (const each of twice) console.log(`  ${each}`);
