/** What the installation of the package needs: packages, size on disk, and time. */
import { spawnSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MOST_PACKAGES } from '../licences/packages.js';
import { filesIn } from '../support/update-folder.js';

export interface Installation {
  /** Number of packages, with ghostfleet. */
  readonly packages: number;
  /** Size on disk in MB. With its compiler, better-sqlite3 needs 17 MB more than with a binary that was built elsewhere. */
  readonly megabytes: number;
  /** Processor time in s: the time that passes depends on what else the machine does. */
  readonly seconds: number;
  /** For people. */
  readonly text: string;
}

type Limits = Readonly<Record<'packages' | 'megabytes' | 'seconds', number>>;

/** Nearly all of the time is for the compiler of better-sqlite3. */
const LIMITS: Limits = { packages: MOST_PACKAGES + 1, megabytes: 53, seconds: 240 };

/** Installs a package in a folder with a package.json. */
export function measureInstallation(folder: string, tarball: string): Installation {
  const unpack = time(folder, 'npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', tarball);
  const native = time(folder, 'npm', 'rebuild', 'better-sqlite3');
  const { packages: installed } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
  const packages = Object.keys(installed).length;
  const blocks = filesIn(join(folder, 'node_modules')).reduce((sum, file) => sum + lstatSync(file).blocks, 0);
  const megabytes = Math.round((blocks * 512) / 2 ** 20);
  const seconds = Math.round(unpack.used + native.used);
  const times = `${unpack.passed} s for the packages and ${native.passed} s for the native module`;
  return {
    ...{ packages, megabytes, seconds },
    text: `${packages} packages, ${megabytes} MB on disk; ${times}, ${seconds} s of processor time`,
  };
}

/** What exceeds its limit, as parts of a sentence. */
export function failuresOf(found: Omit<Installation, 'text'>, limits: Limits = LIMITS): readonly string[] {
  const { packages, megabytes, seconds } = found;
  return [
    ...(packages > limits.packages ? [`${packages} packages, more than ${limits.packages}`] : []),
    ...(megabytes > limits.megabytes ? [`${megabytes} MB, more than ${limits.megabytes}`] : []),
    ...(seconds > limits.seconds ? [`${seconds} s of processor time, more than ${limits.seconds}`] : []),
  ];
}

/** Seconds that passed, and those that processors were used, until a command ended. @throws Error if it failed */
function time(cwd: string, ...command: readonly string[]): { readonly passed: number; readonly used: number } {
  const args = ['-c', 'time -p "$@"', 'bash', ...command];
  const { status, stderr } = spawnSync('bash', args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`${command.join(' ')} failed:\n${stderr}`);
  const [real = 0, user = 0, system = 0] = stderr
    .trim()
    .split('\n')
    .slice(-3)
    .map((line) => Number(line.split(' ')[1]));
  return { passed: Math.round(real), used: user + system };
}
