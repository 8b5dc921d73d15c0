/** Further tests beside seeds.test.ts. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { SeedsResult } from '../../src/report/seeds.js';
import { ghostfleet } from '../support/host.js';
import { directory, expectSavedNoticed, file, passing } from './seeds-support.js';

afterAll(() => rmSync(directory, { recursive: true }));

describe('ghostfleet run --seeds', () => {
  it.each<[string, string, (text: string) => string]>([
    ['groups.yaml', 'an included file', (text) => text.replace('count: 2', 'count: 1')],
    ['profiles/own.yaml', 'a profile', (text) => text.replace('fw_name: CHESTER Push', 'fw_name: Another')],
  ])('fails if %s is saved between its runs (%s)', (name, _, edit) => expectSavedNoticed(name, edit));

  it('has the same digests as single runs', async () => {
    const { out } = await ghostfleet(['run', file, '--seeds', '2', '--json']);
    const { runs } = JSON.parse(out) as SeedsResult;
    const single = await ghostfleet(['run', file, '--seed', '2', '--json']);
    expect(runs.map(({ seed }) => seed)).toEqual([1, 2]);
    expect(runs[1]?.digest).toBe(JSON.parse(single.out).digest);
    expect(runs[0]?.digest).not.toBe(runs[1]?.digest);
  });

  it('uses the same word as the report for a run that an expectation ends early', async () => {
    const ending = join(directory, 'ending.yaml');
    const text = 'name: ending\nduration: 1h\nfleet: [{ name: clime, profile: clime, count: 2 }]\n';
    writeFileSync(ending, `${text}expect: [{ that: fleet.devices > 5, abort: true }]\n`);
    const { exit, out, err } = await ghostfleet(['run', ending, '--seeds', '2']);
    const single = await ghostfleet(['run', ending]);
    expect(single.out).toMatch(/^NOT FINISHED · /m);
    expect([exit, single.exit]).toEqual([3, 3]);
    expect(out).toMatch(/^ +2 {2}NOT FINISHED {2}[0-9a-f]{16} {2}ended at /m);
    expect(err).toMatch(/^seed 2: NOT FINISHED \(\d of 2\)$/m);
  });

  it.each(['report.html', 'summary.json'])(
    'names a %s that cannot be written, and ends with exit code 2',
    async (name) => {
      const out = join(directory, `unwritable-${name}`);
      const ready = ['device.ready == fleet.devices'];
      const blocked = join(out, 'seed-2', name);
      mkdirSync(join(blocked, 'x'), { recursive: true });
      const { exit, out: text, err } = await ghostfleet(['run', passing(ready), '--seeds', '3', '--out', out]);
      expect(exit).toBe(2);
      expect(err).toContain(`ghostfleet: cannot write the report "${blocked}": `);
      expect(text).toContain('passed · 3 of 3 runs passed');
      expect(readdirSync(join(out, 'seed-3'))).toContain(name);
      expect(readdirSync(out)).toEqual(expect.arrayContaining(['seeds.csv', 'seeds.json']));
    },
  );

  it('prints and writes the results of the runs that have ended when it is interrupted', async () => {
    const out = join(directory, 'interrupted');
    const words = ['run', file, '--seeds', '50', '--out', out];
    const { exit, out: text, err } = await ghostfleet(words, { interruptOn: /seed 1: / });
    expect(exit).toBe(130);
    expect(err).toContain('ghostfleet: interrupted by SIGINT\n');
    expect(text).toMatch(/^ +1 {2}FAILED +[0-9a-f]{16}$/m);
    expect(text).toMatch(/NOT FINISHED · 0 of 50 runs passed, \d+ gave no result/);
    expect(JSON.parse(readFileSync(join(out, 'seeds.json'), 'utf8')).runs[0].seed).toBe(1);
  });

  it.each([
    ['SIGKILL', 'SIGKILL ended it, probably because the memory of this machine was exhausted; use fewer --workers'],
    ['SIGABRT', 'SIGABRT ended it, probably because the memory of this machine was exhausted; use fewer --workers'],
    ['SIGTERM', 'SIGTERM ended it'],
  ])('names the signal %s that has ended a run, which is not a bug in ghostfleet', async (signal, message) => {
    const killed = (args: readonly string[]) => (args[args.indexOf('--seed') + 1] === '2' ? signal : undefined);
    const { exit, out, err } = await ghostfleet(['run', passing([]), '--seeds', '2'], { killed });
    expect(err).toContain(`ghostfleet: the run with seed 2 gave no result: ${message}\n`);
    expect(out).toContain('1 gave no result');
    expect(exit).toBe(4);
  });

  it('names every directory of a seed that cannot be created', async () => {
    const out = join(directory, 'all-blocked');
    mkdirSync(out);
    for (const name of ['seed-1', 'seed-2']) writeFileSync(join(out, name), '');
    const { exit, out: text, err } = await ghostfleet(['run', passing([]), '--seeds', '2', '--out', out]);
    expect([exit, text]).toEqual([2, '']);
    for (const seed of [1, 2]) expect(err).toContain(`the run with seed ${seed} gave no result: cannot create the dir`);
  });
});
