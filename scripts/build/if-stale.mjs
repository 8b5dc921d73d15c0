/**
 * `npm run prepare`: builds, unless dist/ is newer than all that it is made from. npm also calls it for the first
 * `npx ghostfleet` in a checkout, which would otherwise build for half a minute and say nothing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Written by program.ts, the last step. */
const BUILT = 'dist/.built';
const MADE_FROM = [
  'src',
  'web',
  'scripts/build',
  'scripts/support',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
];

/** Time of the last change of a file, or of anything in a folder; a folder changes when a file in it is deleted. */
function changedAt(/** @type {string} */ path) {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  /** @type {number} */
  let latest = mtimeMs;
  for (const name of readdirSync(path)) latest = Math.max(latest, changedAt(join(path, name)));
  return latest;
}

const isFresh = existsSync(BUILT) && MADE_FROM.every((path) => changedAt(path) < statSync(BUILT).mtimeMs);
if (!isFresh) process.exitCode = spawnSync('npm', ['run', 'build'], { stdio: 'inherit' }).status ?? 1;
