/** `run --seeds` as its user sees it. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Host } from '../../src/cli/host.js';
import { runSeveral } from '../../src/cli/several-runs.js';
import { writePlainProgress } from '../../src/report/progress.js';
import type { RunResult } from '../../src/report/result.js';
import type { SeedsResult } from '../../src/report/seeds.js';
import { ghostfleet } from '../support/host.js';
import { directory, expectSavedNoticed, file, passing } from './seeds-support.js';

afterAll(() => rmSync(directory, { recursive: true }));

describe('ghostfleet run --seeds', () => {
  it('fails if the scenario is saved between its runs', async () => {
    await expectSavedNoticed('edited.yaml', (text) => text.replace('count: 2', 'count: 1'));
  });

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
    const junit = readFileSync(join(out, 'seed-6', 'junit.xml'), 'utf8');
    expect(junit).toMatch(/<testcase classname="[^"]+ \(seed 6\)" name="device\.ready == fleet\.devices"/);
    const csv = readFileSync(join(out, 'seeds.csv'), 'utf8');
    expect(csv).toMatch(/^metric,runs,min,median,max\r\n/);
    expect(csv).toMatch(/^uplinks\.\S+,3,/m);
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
});

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
  const host = { again, err, env: {}, stopwatch: () => now, onInterrupt: () => () => {} } as unknown as Host;
  await runSeveral([{ name: 'seed 3', args: [], env: {} }], { atOnce: 1, isOther: () => false }, host);
  const shown = 'seed 3: 30m of 1h · 2/2 ready · 4 uplinks stored · 5s real\n';
  expect(lines.slice(0, -1)).toEqual([shown, shown]);
});

it('several runs get the keys of all spaces from the environment, as a single run does', async () => {
  const got: unknown[] = [];
  const again: Host['again'] = (_, options) => {
    got.push(options?.env);
    return { ended: Promise.resolve({ exit: 2, out: '', err: '' }), stop: () => {} };
  };
  const err = { write: () => {}, isTerminal: false, columns: 100 };
  const env = { GHOSTFLEET_API_KEY_NEXT: 'next', HOME: '/home/me' };
  const host = { again, err, env, stopwatch: () => 0, onInterrupt: () => () => {} } as unknown as Host;
  const run = { name: 'seed 3', args: [], env: { GHOSTFLEET_API_KEY: 'own' } };
  await runSeveral([run], { atOnce: 1, isOther: () => false }, host);
  expect(got).toEqual([{ GHOSTFLEET_API_KEY: 'own', GHOSTFLEET_API_KEY_NEXT: 'next' }]);
});

it('an expectation that compares two metrics shows both values, for one run and for several', async () => {
  const own = join(directory, 'compares.yaml');
  const text = readFileSync(file, 'utf8').replace(
    'downlink.answered p(50) < 5s',
    'uplink.stored > 0 + downlink.queued',
  );
  writeFileSync(own, text);
  const { out } = await ghostfleet(['run', own]);
  expect(out).toMatch(/uplink\.stored > 0 \+ downlink\.queued +\d+ and 2\n/);
  const { out: several } = await ghostfleet(['run', own, '--seeds', '2']);
  expect(several).toMatch(/ its right side +2 +2 +2\n/);
});
