/** Further tests beside what-if.test.ts. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScenario } from '../../src/index.js';
import { ghostfleet } from '../support/host.js';
import { answer, folder, folderOf, makeRun, run, SMALL, type Summary, saidAbout, scenario } from './what-if-support.js';

afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(makeRun);

describe('ghostfleet what-if', () => {
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
});

describe('the folder of a run of another author', () => {
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
