/** Further tests beside completion.test.ts. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { useFolder } from './completion-support.js';

const { runIn } = useFolder();

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

  it.skipIf(!has('zsh'))('complete in zsh, where it is installed, with descriptions where there are some', () => {
    const words = (...line: readonly string[]) => `words=(ghostfleet ${line.join(' ')}); CURRENT=$#words; _ghostfleet`;
    const out = runIn(
      'zsh',
      [
        // Both are parts of the completion system of zsh.
        'compdef() { :; }; _files() { print files; }',
        '_describe() { print -rl -- $candidates; }',
        'eval "$(ghostfleet completion zsh)"',
        words('run', 'library/bo'),
        words('run', '--clock', '""'),
        words('run', 'library.y'),
      ].join('\n'),
    );
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^library\/boot-storm:Power returns/),
      'files',
      'virtual',
      'real',
      'files',
    ]);
  });

  it.skipIf(!has('fish'))('complete in fish, where it is installed', () => {
    const out = runIn('fish', 'ghostfleet completion fish | source; complete -C "ghostfleet run library/bo"');
    expect(out).toMatch(/^library\/boot-storm\tPower returns/);
  });
});
