/** Further tests beside completion.test.ts. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { program } from '../../scripts/support/program.js';
import { folderOfTest } from '../support/folder-of-test.js';

const root = process.cwd();
/** Built while the working directory is the root of the project. */
const MAIN = resolve(program());
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

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;

describe('the scripts', () => {
  it('complete in bash: a scenario with a slash, a value after "=", and the files of the user', () => {
    const words = (...line: readonly string[]) =>
      `COMP_WORDS=(ghostfleet ${line.join(' ')}); COMP_CWORD=${line.length}; _ghostfleet ghostfleet; echo "\${COMPREPLY[*]}"`;
    const out = runIn(
      'bash',
      [
        // compopt works only while a key is handled.
        'compopt() { :; }',
        'eval "$(ghostfleet completion bash)"',
        'complete -p ghostfleet',
        words('run', 'library/bo'),
        words('run', '--clock', '=', 'r'),
        words('run', 'library.y'),
        words('explain', '""'),
      ].join('\n'),
    );
    expect(out.trimEnd().split('\n')).toEqual([
      'complete -F _ghostfleet ghostfleet',
      'library/boot-storm',
      'real',
      'library.yaml',
      'out runs/monday',
    ]);
  });

  it.skipIf(!has('zsh'))('are valid in zsh, where it is installed', () => {
    expect(runIn('zsh', 'ghostfleet completion zsh > _ghostfleet && zsh -n _ghostfleet')).toBe('');
  });

  it.skipIf(!has('fish'))('complete in fish, where it is installed', () => {
    const out = runIn('fish', 'ghostfleet completion fish | source; complete -C "ghostfleet run library/bo"');
    expect(out).toMatch(/^library\/boot-storm\tPower returns/);
  });
});
