/**
 * `npm run prepare`: builds, unless dist/ is newer than all that it is made from. npm also calls it for the first
 * `npx ghostfleet` in a checkout, which would otherwise build for half a minute and say nothing.
 */
import { spawnSync } from 'node:child_process';
import { isNewerThan } from '../support/newer.mjs';

/** Written by program.ts, the last step. */
const BUILT = 'dist/.built';
const MADE_FROM = [
  'src',
  'profiles',
  'web',
  'scripts/build',
  'scripts/support',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
];

if (!isNewerThan(BUILT, MADE_FROM)) {
  process.exitCode = spawnSync('npm', ['run', 'build'], { stdio: 'inherit' }).status ?? 1;
}
