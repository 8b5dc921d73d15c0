/**
 * `npm run golden [-- name…]`: shows how dialogues differ from their golden files; fails when one does.
 * `npm run golden -- --write name…`: shows it as well, and makes the new dialogue the golden file. For named ones only, one
 * after the other: what is written is meant to have been read.
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
  console.error(`no such dialogue: "${unknown.join('", "')}"; there are ${names.join(', ')}`);
  process.exit(2);
}
if (write && wanted.length === 0) {
  console.error(`--write wants the names of the dialogues to be written: ${names.join(', ')}`);
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
