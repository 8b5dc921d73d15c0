/** What completion.test.ts and completion.long.test.ts share. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { program } from '../../scripts/support/program.js';
import { folderOfTest } from '../support/folder-of-test.js';

const root = process.cwd();
/** Built while the working directory is the root of the project. */
const MAIN = resolve(program());

/** Runs each test of a file in a folder of its own, with runs, another folder and a scenario. */
export function useFolder() {
  let folder = '';

  beforeEach(() => {
    folder = folderOfTest();
    for (const run of ['runs/monday', 'runs/monday/seed-7', 'out']) {
      mkdirSync(join(folder, run), { recursive: true });
      writeFileSync(join(folder, run, 'summary.json'), '{}');
    }
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'library.yaml'), '');
    process.chdir(folder);
  });
  afterEach(() => process.chdir(root));

  /** Runs a shell script in which `ghostfleet` is the built program. */
  function runIn(shell: string, script: string): string {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'ghostfleet'), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
    return execFileSync(shell, ['-c', script], { encoding: 'utf8', env });
  }

  return { folder: () => folder, runIn };
}
