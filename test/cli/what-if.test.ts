/** `ghostfleet what-if`, as its user sees it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
duration: 3h
fleet: [{ name: clime, profile: clime, count: 2, config: { interval-report: 300 } }]
faults:
  - { outage: both, from: 66m, until: 2h, to: clime/1 }
  - { no-signal: , from: 66m, until: 70m, to: clime/2 }
steps:
  - { at: 65m, commands: [info show] }
  - { at: 150m, to: clime/2, radio: off }
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
