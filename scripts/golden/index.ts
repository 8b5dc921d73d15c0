/**
 * `npm run golden [-- name…]`: shows how dialogues differ from their golden files; fails if a dialogue differs. `npm run golden
 * -- --write name…`: also writes the new dialogues to the golden files. It requires names, because a dialogue must be read
 * before it is written.
 */
import { writeFileSync } from 'node:fs';
import { packagedProfiles } from '../../src/profile/library.js';
import { diffLines } from './diff.js';
import { currentLines, goldenLines, goldenNames, goldenPath } from './files.js';

const words = process.argv.slice(2);
const write = words.includes('--write');
const wanted = words.filter((word) => word !== '--write');
const names = goldenNames();
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`unknown dialogue "${unknown.join('", "')}"; expected ${names.join(', ')}`);
  process.exit(2);
}
if (write && wanted.length === 0) {
  console.error(`--write requires the names of the dialogues to write: ${names.join(', ')}`);
  process.exit(2);
}

const profiles = packagedProfiles();
for (const name of wanted.length > 0 ? wanted : names) {
  const current = await currentLines(name, profiles);
  const difference = diffLines(goldenLines(name), current);
  if (difference.length === 0) {
    console.log(`${name}: the same`);
    continue;
  }
  console.log(`${name}:\n${difference.join('\n')}`);
  if (write) {
    writeFileSync(goldenPath(name), `${current.join('\n')}\n`);
    console.log(`${name}: written to ${goldenPath(name)}; read the lines above before you commit it`);
  } else process.exitCode = 1;
}
