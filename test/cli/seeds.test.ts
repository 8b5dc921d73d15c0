/** `run --seeds` as its user sees it. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Host } from '../../src/cli/host.js';
import { runSeveral } from '../../src/cli/several-runs.js';
import { writePlainProgress } from '../../src/report/progress.js';
import type { RunResult } from '../../src/report/result.js';
import type { SeedsResult } from '../../src/report/seeds.js';
import { ghostfleet } from '../support/host.js';

const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-seeds-'));
afterAll(() => rmSync(directory, { recursive: true }));

const file = join(directory, 'lossy.yaml');
writeFileSync(
  file,
  `name: lossy
duration: 1h
fleet: [{ name: clime, profile: clime, count: 2, config: { interval-report: 600 } }]
network: { loss: 20% }
steps: [{ at: 10m, commands: [info show] }]
expect:
  - device.ready == fleet.devices
  - downlink.answered p(50) < 5s
`,
);

describe('ghostfleet run --seeds', () => {
  it('passes variables to its runs by their environment, because other users can read arguments', async () => {
    const started: (readonly string[])[] = [];
    const text = readFileSync(file, 'utf8').replace('20%', `"\${loss}"`);
    const own = join(directory, 'variable.yaml');
    writeFileSync(own, `vars: { loss: 20% }\n${text}`);
    const words = ['run', own, '--seeds', '2', '--var', 'loss=0%', '--json'];
    const { out } = await ghostfleet(words, { started: (args) => void started.push(args) });
    expect(started).toHaveLength(2);
    expect(started.flat().join(' ')).not.toContain('loss');
    const { runs } = JSON.parse(out) as SeedsResult;
    const { out: plain } = await ghostfleet(['run', own, '--seed', '1', '--json'], {
      env: { GHOSTFLEET_VAR_loss: '0%' },
    });
    expect(runs[0]?.digest).toBe((JSON.parse(plain) as RunResult).digest);
  });

  it('prints a verdict for each seed and the spread of each expectation, and writes all metrics', async () => {
    const out = join(directory, 'out');
    const { exit, out: text, err } = await ghostfleet(['run', file, '--seeds', '3', '--seed', '5', '--out', out]);
    expect(err).toContain('(3 of 3)');
    expect(exit).toBe(3);
    for (const seed of [5, 6, 7]) expect(text).toMatch(new RegExp(`^ +${seed}  FAILED +[0-9a-f]{16}$`, 'm'));
    expect(text).toMatch(/✓ +device\.ready == fleet\.devices +3 of 3 +2 +2 +2$/m);
    expect(text).toMatch(/✗ +downlink\.answered p\(50\) < 5s +0 of 3 .*failed with seed 5, 6, 7$/m);
    expect(text).toContain('FAILED · 0 of 3 runs passed');
    expect(readdirSync(out).sort()).toEqual(['seed-5', 'seed-6', 'seed-7', 'seeds.csv', 'seeds.json']);
    const csv = readFileSync(join(out, 'seeds.csv'), 'utf8');
    expect(csv).toMatch(/^metric,runs,min,median,max\r\n/);
    expect(csv).toMatch(/^uplinks\.\S+,3,/m);
  });

  it.each<[string, string, (text: string) => string]>([
    ['edited.yaml', 'the scenario', (text) => text.replace('count: 2', 'count: 1')],
    ['groups.yaml', 'an included file', (text) => text.replace('count: 2', 'count: 1')],
    ['profiles/own.yaml', 'a profile', (text) => text.replace('fw_name: CHESTER Push', 'fw_name: Another')],
  ])('fails if %s is saved between its runs (%s)', async (name, _, edit) => {
    const folder = mkdtempSync(join(directory, 'edited-'));
    mkdirSync(join(folder, 'profiles'));
    writeFileSync(join(folder, 'profiles/own.yaml'), readFileSync('profiles/push.yaml', 'utf8'));
    writeFileSync(join(folder, 'groups.yaml'), 'fleet: [{ name: more, profile: own, count: 2 }]\n');
    const scenario = join(folder, 'edited.yaml');
    const text = `name: edited\nduration: 1m\ninclude: [groups.yaml]\nfleet: [{ name: clime, profile: clime, count: 2 }]\n`;
    writeFileSync(scenario, text);
    const path = join(folder, name);
    let started = 0;
    const { exit, out, err } = await ghostfleet(['run', scenario, '--seeds', '3', '--workers', '1'], {
      started: () => {
        if (++started === 2) writeFileSync(path, edit(readFileSync(path, 'utf8')));
      },
    });
    expect([exit, out, started]).toEqual([2, '', 2]);
    expect(err).toContain('the scenario was changed while its runs were made: the run with seed 2 is of another one\n');
  });

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

  it.each([
    [['--seeds', '1'], '--seeds "1" is not a whole number from 2 to 10000'],
    [
      ['--seeds', '4', '--seed', '9007199254740989'],
      'seed 9007199254740989 is too large for 4 runs, each with the next seed: expected a seed from 0 to 9007199254740988',
    ],
    [['--seeds', '2', '--queue', 'postgres://127.0.0.1/queue'], '--queue cannot be used with --seeds'],
    [['--seeds', '2', '--speed', '2'], '--speed requires --clock real'],
    [['--seeds', '2', '--target', 'http://127.0.0.1:1'], '--target requires an API key'],
    [['--seeds', '2', '--target', 'http://127.0.0.1:1', '--api-key', 'x', '--keep'], '--keep cannot be used with'],
  ])('rejects %j', async (flags, message) => {
    const { exit, err } = await ghostfleet(['run', file, ...flags]);
    expect(exit).toBe(2);
    expect(err).toContain(message);
  });

  it.each(['-', '/dev/fd/63', '/dev/stdin', '/proc/self/fd/0'])(
    'rejects "%s", which other processes cannot read again',
    async (name) => {
      const { exit, err } = await ghostfleet(['run', name, '--seeds', '2']);
      expect([exit, err]).toEqual([2, expect.stringContaining(`"${name}" cannot be used with --seeds`)]);
    },
  );

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

  it('names a directory of a seed that cannot be created, and writes the results of the other seeds', async () => {
    const out = join(directory, 'blocked');
    mkdirSync(out);
    writeFileSync(join(out, 'seed-2'), '');
    const { exit, out: text, err } = await ghostfleet(['run', passing([]), '--seeds', '3', '--out', out]);
    expect(exit).toBe(2);
    expect(err).toContain(`ghostfleet: the run with seed 2 gave no result: cannot create the directory`);
    expect(text).toContain('NOT FINISHED · 2 of 3 runs passed, 1 gave no result');
    const { runs, missing } = JSON.parse(readFileSync(join(out, 'seeds.json'), 'utf8')) as SeedsResult;
    expect([runs.map(({ seed }) => seed), missing]).toEqual([[1, 3], 1]);
  });

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

/** The path of a scenario with these expectations. */
function passing(expect: readonly string[]): string {
  const path = join(directory, 'passing.yaml');
  const fleet = 'fleet: [{ name: clime, profile: clime, count: 1 }]';
  writeFileSync(path, `name: passing\nduration: 5m\n${fleet}\nexpect: ${JSON.stringify(expect)}\n`);
  return path;
}

it('several runs show how far one of them is about every five seconds, and no other line of theirs', async () => {
  let now = 0;
  const lines: string[] = [];
  const progress = { simulated: 1_800_000, duration: 3_600_000, devices: 2, ready: 2, uplinksStored: 4 };
  const line = writePlainProgress({ ...progress, wall: 5000, downlinksQueued: 0, downlinksDelivered: 0 });
  const again: Host['again'] = (_, { errLine } = {}) => {
    for (const step of [5000, 100, 5000]) {
      now += step;
      errLine?.(line);
      errLine?.('warning: not of interest');
    }
    return { ended: Promise.resolve({ exit: 2, out: '', err: 'ghostfleet: no' }), stop: () => {} };
  };
  const err = { write: (text: string) => void lines.push(text), isTerminal: false, columns: 100 };
  const host = { again, err, stopwatch: () => now, onInterrupt: () => () => {} } as unknown as Host;
  await runSeveral([{ name: 'seed 3', args: [], env: {} }], { atOnce: 1, isOther: () => false }, host);
  const shown = 'seed 3: 30m 00s of 1h 00m · 2/2 ready · 4 uplinks stored · 5.0s real\n';
  expect(lines.slice(0, -1)).toEqual([shown, shown]);
});
