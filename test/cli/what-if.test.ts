/** `ghostfleet what-if`, as its user sees it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScenario } from '../../src/index.js';
import { ghostfleet } from '../support/host.js';

const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-what-if-'));
afterAll(() => rmSync(folder, { recursive: true }));
const [scenario, run] = [join(folder, 'small.yaml'), join(folder, 'run')];
const SMALL = `
name: small
duration: 2h
fleet: [{ name: clime, profile: clime, count: 2, config: { interval-report: 300 } }]
faults:
  - { outage: both, from: 66m, until: 95m, to: clime/1 }
  - { no-signal: , from: 66m, until: 70m, to: clime/2 }
steps:
  - { at: 65m, commands: [info show] }
  - { at: 100m, to: clime/2, radio: off }
expect: [downlink.answered p(95) < 10m, downlink.answered == 2]
`;

beforeAll(async () => {
  writeFileSync(scenario, SMALL);
  await ghostfleet(['run', scenario, '--out', run]);
});

async function answer(...args: readonly string[]) {
  const { exit, out, err } = await ghostfleet(['what-if', ...args, '--json']);
  expect([exit, err]).toEqual([0, '']);
  return JSON.parse(out);
}

describe('ghostfleet what-if', () => {
  it('has the downlink of a device in the run, and exactly as it is in a run of the changed scenario', async () => {
    const { downlinks, changes, simulated, expectations } = await answer(run, 'clime-0001', '--without', 'outage');
    expect([changes, simulated, expectations]).toEqual([['without outage (clime/1)'], false, undefined]);
    const [other, calm] = [join(folder, 'calm.yaml'), join(folder, 'calm')];
    writeFileSync(other, SMALL.replace(/ {2}- \{ outage.*\n/, ''));
    await ghostfleet(['run', other, '--out', calm]);
    const of = async (path: string) =>
      JSON.parse((await ghostfleet(['explain', path, 'clime-0001', '--json'])).out).downlinks[0];
    const [before, after] = [await of(run), await of(calm)];
    expect(downlinks).toHaveLength(1);
    expect(downlinks[0]).toMatchObject({ downlink: before.downlink, before: { took: before.took } });
    expect(downlinks[0].after).toMatchObject({ took: after.took, timeline: after.timeline });
    expect(after.took).toBeLessThan(600_000);
  });

  it('has the expectations before and after if it is about all devices', async () => {
    const { expectations, downlinks } = await answer(run, '--without', 'outage', '--without', 'no-signal');
    expect(downlinks).toHaveLength(2);
    const verdicts = expectations.map(
      ({ before, after }: { before: { passed: boolean }; after: { passed: boolean } }) => [before.passed, after.passed],
    );
    expect(verdicts).toEqual([
      [false, true],
      [true, true],
    ]);
  });

  it('shows both timelines beside each other, and the figures before and after', async () => {
    const { out } = await ghostfleet(['what-if', scenario, '--set', 'interval-p=60', '--without', 'out']);
    expect(out).toContain('what if: without outage (clime/1), with app interval-poll 60');
    expect(out).not.toContain('simulated');
    expect(out).toMatch(/before +after\n.*downlinks +2 +2/);
    expect(out).toMatch(/✗ .*\n +after +✓/);
    expect(out).toMatch(/outage \(clime\/1\) begins +│ /);
  });

  it('leaves out a step by its number, and a downlink that is then not queued', async () => {
    const { downlinks, changes } = await answer(run, 'clime-0002', '--without', 'step 1');
    expect(changes).toEqual(['without commands: info show (step 1)']);
    expect(downlinks.map(({ after }: { after: unknown }) => after)).toEqual([null]);
  });

  it('gives the devices another firmware', async () => {
    expect((await answer(scenario, 'clime-0002', '--firmware', 'v3.5.5')).changes).toEqual(['with firmware 3.5.5']);
  });

  it.each([
    [['--without', 'outtage'], 'unknown fault, step or load "outtage" (did you mean "outage"?)'],
    [['--without', 'o'], undefined],
    [['--set', 'intervall-poll=60'], 'no parameter "intervall-poll" (did you mean "interval-poll"?)'],
    [['--set', 'interval=60'], '"interval" is the beginning of several parameters: app interval-'],
    [['--set', 'interval-poll=soon'], '"app config interval-poll soon" would be rejected'],
    [['--set', 'interval-poll'], '--set "interval-poll" is not key=value'],
    [['--firmware', '9.9.9'], 'no device type has the firmware "9.9.9"; there are 3.5.5, 4.0.0'],
    [['clime-003', '--without', 'outage'], 'no device or downlink "clime-003" (did you mean "clime-000'],
    [[], 'nothing is changed'],
    [['--seed', '3', '--without', 'outage'], '--seed is for a scenario'],
  ])('%j gives the message %j', async (words, message) => {
    const { exit, err } = await ghostfleet(['what-if', run, ...words]);
    expect(exit).toBe(message === undefined ? 0 : 2);
    expect(err).toContain(message ?? '');
  });

  it('repeats a run that a program has started from a scenario file', async () => {
    const out = join(folder, 'program');
    await runScenario(scenario, { out });
    expect((await answer(out, 'clime-0001', '--without', 'outage')).downlinks).toEqual(
      (await answer(run, 'clime-0001', '--without', 'outage')).downlinks,
    );
  });

  it('repeats a run that a program has started from a scenario file with variables', async () => {
    const [open, out] = [join(folder, 'open.yaml'), join(folder, 'variables')];
    writeFileSync(open, `${SMALL.replace('66m', `"\${from}"`)}vars: { from: 50m }\n`);
    await runScenario(open, { out, vars: new Map([['from', '66m']]) });
    expect((await answer(out, 'clime-0001', '--without', 'outage')).downlinks).toEqual(
      (await answer(run, 'clime-0001', '--without', 'outage')).downlinks,
    );
  });

  it('says that a run cannot be repeated if its scenario has changed, and so does explain', async () => {
    const [changed, old] = [join(folder, 'changed.yaml'), join(folder, 'old')];
    writeFileSync(changed, SMALL);
    await ghostfleet(['run', changed, '--out', old]);
    writeFileSync(changed, SMALL.replace('66m', '67m'));
    const { exit, err } = await ghostfleet(['what-if', old, '--without', 'outage']);
    expect(exit).toBe(2);
    expect(err).toContain(`the run cannot be repeated, because "${changed}" is another scenario now`);
    const explained = (await ghostfleet(['explain', old, '--slowest', '1'])).out.replace(/\s+/g, ' ');
    expect(explained).toContain('is another scenario now.');
    expect(explained).toContain('The cause is the fault outage (clime/1).');
  });
});

/** A copy of the run whose summary another author has changed. */
function folderOf(change: (summary: Summary) => object): string {
  const copy = mkdtempSync(join(folder, 'changed-'));
  cpSync(run, copy, { recursive: true });
  const path = join(copy, 'summary.json');
  const summary = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...summary, ...change(summary) }));
  return copy;
}

interface Summary {
  readonly source: object;
  readonly planned: { readonly fleet: readonly object[]; readonly faults: readonly object[] };
}

/** What both commands say about a folder, in one line. */
async function saidAbout(path: string, ...more: readonly string[]) {
  const whatIf = await ghostfleet(['what-if', path, '--without', 'outage', ...more]);
  const explained = await ghostfleet(['explain', path, '--slowest', '1', ...more]);
  expect([whatIf.exit, explained.exit].filter((exit) => exit !== 0 && exit !== 2)).toEqual([]);
  const text = [whatIf, explained].map(({ out, err }) => (out + err).replace(/\s+/g, ' '));
  return { whatIf: text[0] ?? '', explained: text[1] ?? '' };
}

describe('the folder of a run of another author', () => {
  const named = (file: string) => folderOf(({ source }) => ({ source: { ...source, file } }));

  it('cannot add a line of its own with the name of a secret variable', async () => {
    const vars = { 'x\nFAKE \u202e': null };
    const changed = folderOf(({ source }) => ({ source: { ...source, vars } }));
    const { err } = await ghostfleet(['what-if', changed, '--without', 'outage']);
    expect(err).toContain(String.raw`its variable "x\nFAKE \u202e" is secret`);
  });

  it('that names the standard input as its scenario is not repeated, and nothing is read from there', async () => {
    const { whatIf, explained } = await saidAbout(named('-'));
    for (const said of [whatIf, explained]) expect(said).toContain('"-" cannot be read: the file does not exist');
  });

  it('that names a pipe, a device or a folder as its scenario is not repeated, without waiting for a writer', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const file of [pipe, '/dev/zero']) {
      const { whatIf, explained } = await saidAbout(named(file));
      for (const said of [whatIf, explained]) expect(said).toContain('it is not a regular file');
    }
    expect((await saidAbout(named(folder))).whatIf).toContain('it is a directory');
  });

  it('that names another file as its scenario shows nothing of its text', async () => {
    const file = join(folder, 'secrets');
    for (const text of [
      'root:x:0:0:root\n',
      'token: hunter2-root\n',
      '{ "root": [1, 2',
      'name: root\nduration: [root]\n',
    ]) {
      writeFileSync(file, text);
      const { whatIf, explained } = await saidAbout(named(file));
      for (const said of [whatIf, explained]) {
        expect(said).toContain('is not valid now, or needs --allow-file; "ghostfleet validate" shows why');
        expect(said).not.toContain('root');
      }
    }
  });

  it('does not permit its scenario to read files elsewhere: only the user does', async () => {
    const [inside, outside] = [join(folder, 'inside'), join(folder, 'part.yaml')];
    mkdirSync(inside);
    symlinkSync(outside, join(inside, 'linked.yaml'));
    writeFileSync(outside, 'steps: [{ at: 65m, commands: [info show] }]\n');
    const whole = join(inside, 'whole.yaml');
    writeFileSync(whole, SMALL.replace(/steps:\n.*\n.*\n/, 'include: [linked.yaml]\n'));
    const out = join(folder, 'permitted');
    await ghostfleet(['run', whole, '--allow-file', outside, '--out', out]);
    const { whatIf, explained } = await saidAbout(out);
    for (const said of [whatIf, explained]) expect(said).toContain('needs --allow-file');
    const permitted = await saidAbout(out, '--allow-file', outside);
    expect(permitted.whatIf).toContain('what if: without outage');
    expect(permitted.explained).not.toContain('--allow-file');
  });

  it.each<[string, (summary: Summary) => object]>([
    ['an object as its firmware', ({ source }) => ({ source: { ...source, firmware: { a: 1 } } })],
    ['objects as variables', ({ source }) => ({ source: { ...source, vars: { a: { b: 1 } } } })],
    ['no seed', () => ({ seed: null })],
    ['numbers as names', () => ({ names: { 2159017985: 7, 2159017986: { a: 1 } } })],
    ['a fleet of nothing', ({ planned }) => ({ planned: { ...planned, fleet: [{}] } })],
    [
      'serial numbers without ranges',
      ({ planned }) => ({
        planned: { ...planned, fleet: planned.fleet.map((part) => ({ ...part, serials: [0, 1e308] })) },
      }),
    ],
    ['faults without devices', ({ planned }) => ({ planned: { ...planned, faults: [{ on: 'device', windows: [] }] } })],
    [
      'windows without times',
      ({ planned }) => ({
        planned: { ...planned, faults: planned.faults.map((fault) => ({ ...fault, windows: [null, 7] })) },
      }),
    ],
    ['settings of nothing', ({ planned }) => ({ planned: { ...planned, settings: [null] } })],
  ])('gives a message if it has %s', async (_, change) => {
    const { whatIf } = await saidAbout(folderOf(change));
    expect(whatIf).toMatch(/its summary.json does not name a scenario file|another version of ghostfleet wrote it/);
  });
});
