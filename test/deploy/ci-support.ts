/** What ci.test.ts and ci.long.test.ts share. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { folderOfTest } from '../support/folder-of-test.js';

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
export const action: {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly runs: { readonly steps: readonly Step[] };
} = parse(readFileSync('action.yml', 'utf8'));
export const { ghostfleet: job } = parse(readFileSync('deploy/ci/gitlab.yml', 'utf8'));

/** A folder with stand-ins in `bin`. Each writes its arguments to `called.txt`. */
export function makeFolder(standIns: Readonly<Record<string, string>>): string {
  const folder = folderOfTest();
  mkdirSync(join(folder, 'bin'));
  for (const [name, body] of Object.entries(standIns)) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\necho "${name} $*" >> called.txt\n${body}\n`, { mode: 0o755 });
  }
  return folder;
}

export function runScript(folder: string, script: string, env: Readonly<Record<string, string>>): number | null {
  const path = `${join(folder, 'bin')}:${process.env.PATH}`;
  const summary = join(folder, 'step-summary.md');
  const all = { PATH: path, GITHUB_ACTION_PATH: resolve('.'), GITHUB_STEP_SUMMARY: summary, ...env };
  return spawnSync('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: folder, env: all }).status;
}

export const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');
export const scriptOf = (name: string) => action.runs.steps.find((step) => step.name === name)?.run ?? '';
export const CHECK = scriptOf('Run and compare');

/** `npx` in place of ghostfleet, which ends with the exit codes in RUN and COMPARE. */
export const FAKE = `
case "$*" in
  *" run "*) f=\${FOLDER:-ghostfleet}; mkdir -p $f/run; touch $f/run/seeds.json; echo "of the run" > $f/run.md; exit $RUN;;
  *" compare ghostfleet/run ghostfleet/run "*) [ -z "$CHECK" ] && exit 0
    echo "wrong condition" >&2; exit $CHECK;;
  *" compare "*) [ "$COMPARE" = 2 ] && { echo "not comparable" >&2; exit 2; }
    echo "of the comparison" > ghostfleet/comparison.md; exit $COMPARE;;
esac`;
