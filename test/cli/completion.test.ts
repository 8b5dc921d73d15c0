/** Completion: the candidates for a command line, and the scripts in the shells of this machine. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.js';
import { ghostfleet } from '../support/host.js';
import { useFolder } from './completion-support.js';

const { folder, runIn } = useFolder();

async function complete(line: string): Promise<readonly string[]> {
  const { exit, out, err } = await ghostfleet(['--complete', ...line.split(' ').slice(1)]);
  expect([exit, err]).toEqual([0, '']);
  return out
    .trimEnd()
    .split('\n')
    .map((each) => each.replace(/\t.*$/, ''));
}

describe('the candidates', () => {
  it.each([
    ['ghostfleet wha', ['what-if']],
    ['ghostfleet hel', ['help']],
    ['ghostfleet help ex', ['expectations', 'exit-codes', 'explain']],
    ['ghostfleet help sel', ['selectors']],
    ['ghostfleet run library/bo', ['library/boot-storm', ':files']],
    ['ghostfleet run two-f', ['two-firmwares', ':files']],
    ['ghostfleet validate demo hands', ['hands-on', ':files']],
    ['ghostfleet run x.yaml --clo', ['--clock']],
    ['ghostfleet run x.yaml --clock ', ['virtual', 'real']],
    ['ghostfleet run x.yaml --seed 7 --clock r', ['real']],
    // zsh and fish pass one word, bash three.
    ['ghostfleet run --clock=r', ['--clock=real']],
    ['ghostfleet run --clock = r', ['real']],
    ['ghostfleet run --clock =', ['virtual', 'real']],
    ['ghostfleet run --clock real fir', ['first-fleet', ':files']],
    ['ghostfleet run --json hard', ['hard-places', ':files']],
    ['ghostfleet device meteo-', ['meteo-m', 'meteo-p', 'meteo-z', ':files']],
    ['ghostfleet profile sh', ['show']],
    ['ghostfleet profile show hio', ['hio-node', ':files']],
    ['ghostfleet list inv', ['invariants']],
    ['ghostfleet init d', ['device']],
    ['ghostfleet completion ', ['bash', 'zsh', 'fish']],
    ['ghostfleet explain ', ['out', 'runs/monday']],
    ['ghostfleet compare out runs/monday/', ['runs/monday/seed-7']],
    ['ghostfleet diverge src', [':files']],
    ['ghostfleet what-if out --without brown', ['brown-out']],
    ['ghostfleet what-if out --without outage --with', ['--without']],
    ['ghostfleet compare out out --fail-if downlink.unr', ['downlink.unreceived']],
    ['ghostfleet run x.yaml --out ', [':files']],
    ['ghostfleet run x.yaml more', ['']],
    ['ghostfleet nonsense ', ['']],
  ])('for "%s" are %j', async (line, expected) => {
    expect(await complete(line)).toEqual(expected);
  });

  it('do not contain an option that is already there', async () => {
    expect(await complete('ghostfleet run x.yaml --seed 7 --see')).toEqual(['--seeds']);
  });

  it('of the first word are all commands, with their descriptions', async () => {
    const { out } = await ghostfleet(['--complete', '']);
    for (const { name, about } of COMMANDS) expect(out).toContain(`${name}\t${about}\n`);
  });

  it('of each command can be listed', async () => {
    for (const { name } of COMMANDS) expect(await complete(`ghostfleet ${name} --`)).toContain('--help');
  });
});

describe('the scripts', () => {
  it('quote in bash the names of runs that mean something to a shell', () => {
    const names = [
      'a b',
      'c$(touch pwned)',
      'd`touch pwned`',
      "e'f",
      'g;touch pwned',
      'h*',
      'i"j',
      'k\\l',
      'm>n',
      'o&p',
    ];
    for (const name of [...names, 'q\n:files', 'r\n$(touch pwned)', '--json']) {
      mkdirSync(join(folder(), 'runs', name), { recursive: true });
      writeFileSync(join(folder(), 'runs', name, 'summary.json'), '{}');
    }
    const out = runIn(
      'bash',
      [
        'compopt() { :; }',
        'eval "$(ghostfleet completion bash)"',
        'cd runs; COMP_WORDS=(ghostfleet explain ""); COMP_CWORD=2; _ghostfleet ghostfleet',
        // As if the candidates were typed.
        `eval "for name in \${COMPREPLY[*]}; do echo \\"\\$name\\"; done"`,
        `COMP_WORDS=(ghostfleet explain 'c\\$'); _ghostfleet ghostfleet; echo "\${COMPREPLY[*]}"`,
      ].join('\n'),
    );
    expect(out.trimEnd().split('\n').sort()).toEqual([...names, 'monday', String.raw`c\$\(touch\ pwned\)`].sort());
    expect(existsSync(join(folder(), 'runs', 'pwned'))).toBe(false);
  });
});
