/**
 * npm runs this before and after it packs: it takes package.json from the disk, so what is only for the development of
 * ghostfleet is removed from it meanwhile. With `prepare` in the package, npm would warn its users of an install script.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

const MANIFEST = 'package.json';
/** The whole file meanwhile; npm does not pack it. It is renamed and not copied, so that its time does not cause a build. */
const WHOLE = '.package.json.whole';
const OF_DEVELOPMENT = ['scripts', 'devDependencies', 'overrides', 'allowScripts'];

if (process.env.npm_lifecycle_event === 'postpack') renameSync(WHOLE, MANIFEST);
else {
  // A file that an interrupted `npm pack` has left is older: without scripts in package.json, npm would not run this.
  renameSync(MANIFEST, WHOLE);
  const fields = Object.entries(JSON.parse(readFileSync(WHOLE, 'utf8')));
  const published = fields.filter(([name]) => !OF_DEVELOPMENT.includes(name));
  writeFileSync(MANIFEST, `${JSON.stringify(Object.fromEntries(published), null, 2)}\n`);
}
