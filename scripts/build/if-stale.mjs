/**
 * `npm run prepare`: builds, unless dist/ is newer than all its sources. npm also runs it at the first `npx ghostfleet` in a
 * checkout. There, an unnecessary build would take half a minute without any output.
 */
import { spawnSync } from 'node:child_process';
import { isNewerThan } from '../support/newer.mjs';

/** The file that program.ts writes in the last step of a build. */
const BUILT = 'dist/.built';
const MADE_FROM = [
  'src',
  'profiles',
  'web',
  'scripts/build',
  'scripts/licences',
  'scripts/pages',
  'scripts/support',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
];

if (!isNewerThan(BUILT, MADE_FROM)) {
  await import('./need-tools.mjs');
  process.exitCode = spawnSync('npm', ['run', 'build'], { stdio: 'inherit' }).status ?? 1;
}
