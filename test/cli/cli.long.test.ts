/** Further tests beside cli.test.ts. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isColoured } from '../../src/cli/host.js';
import { ghostfleet } from '../support/host.js';
import { directory, SMALL } from './cli-support.js';

afterAll(() => rmSync(directory, { recursive: true }));

describe('ghostfleet', () => {
  it('accepts a switch with a value, or with the prefix "no-"', async () => {
    const printed = async (flag: string) => (await ghostfleet(['run', SMALL, flag])).out.charAt(0);
    expect([await printed('--json=true'), await printed('--json=false'), await printed('--no-json')]).toEqual([
      '{',
      's',
      's',
    ]);
  });
});

describe('ghostfleet run', () => {
  it('prints its report even if the files of --out cannot be written', async () => {
    const out = join(directory, 'taken');
    mkdirSync(join(out, 'report.html'), { recursive: true });
    const result = await ghostfleet(['run', SMALL, '--out', out]);
    expect(result.exit).toBe(2);
    expect(result.err).toContain(`cannot write the report "${join(out, 'report.html')}": it is a directory`);
    expect(result.out).toContain('passed · seed 1');
    expect(readdirSync(out).sort()).toEqual([
      ...['downlinks.csv', 'events.jsonl', 'junit.xml', 'report.html', 'report.txt', 'series.csv', 'summary.json'],
    ]);
  });

  it('names every report that cannot be written', async () => {
    const out = join(directory, 'taken-twice');
    for (const name of ['junit.xml', 'downlinks.csv']) mkdirSync(join(out, name), { recursive: true });
    const { err } = await ghostfleet(['run', SMALL, '--out', out]);
    const report = (name: string) => `cannot write the report "${join(out, name)}": it is a directory`;
    expect(err).toContain(`${report('junit.xml')}; ${report('downlinks.csv')}`);
  });

  it('removes the files of earlier runs from --out at its start, and nothing else', async () => {
    const out = join(directory, 'again');
    await ghostfleet(['run', SMALL, '--out', out, '--store', 'sqlite']);
    await ghostfleet(['run', SMALL, '--seeds', '2', '--out', out]);
    writeFileSync(join(out, 'notes.txt'), 'mine');
    writeFileSync(join(out, 'seed-2', 'notes.txt'), 'mine');
    const broken = join(directory, 'unwritable.yaml');
    // The run ends with an error, so that it writes no report.
    writeFileSync(broken, 'name: broken\nduration: 1h\nfleet: [{ name: clime, profile: clime, count: 1 }]\n');
    mkdirSync(join(out, 'events.jsonl'));
    expect((await ghostfleet(['run', broken, '--out', out])).exit).toBe(2);
    const left = readdirSync(out, { recursive: true }).filter((name) => !String(name).endsWith('-owner'));
    expect(left.sort()).toEqual(['events.jsonl', 'notes.txt', 'seed-2', join('seed-2', 'notes.txt')]);
  });

  it('prints colours on a terminal, unless NO_COLOR is set', async () => {
    const coloured = (env: Readonly<Record<string, string>>) => ghostfleet(['run', SMALL], { terminal: {}, env });
    expect((await coloured({})).out).toContain('\u001b[32m✓');
    expect((await coloured({ NO_COLOR: '1' })).out).not.toContain('\u001b');
  });

  it.each([
    [true, {}, true],
    [true, { TERM: 'dumb' }, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { FORCE_COLOR: 'false' }, false],
    [false, {}, false],
    [false, { FORCE_COLOR: '1' }, true],
    [false, { FORCE_COLOR: '', NO_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '3', TERM: 'dumb' }, true],
  ])('with a terminal (%s) and the environment %j, colours are %s', (isTerminal, env, coloured) => {
    expect(isColoured({ isTerminal }, env)).toBe(coloured);
  });
});
