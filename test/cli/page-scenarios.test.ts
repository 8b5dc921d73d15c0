/** Scenarios from the web console: their check, and their run in a separate process. */
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { PageScenarios } from '../../src/cli/page-scenarios.js';
import { checkText } from '../../src/cli/scenario-check/check-text.js';
import { CheckThread } from '../../src/cli/scenario-check/thread.js';
import { ghostfleet } from '../support/host.js';

const SMALL = `
name: small
duration: 30m
fleet:
  - { name: clime, profile: clime, count: 2, boot: { over: 1m } }
network:
  faults:
    - { loss: 10%, from: 10m, until: 20m, to: clime }
steps:
  - { at: 5m, to: clime, commands: [info show] }
load:
  - { commands: [info show], rate: 30/h, from: 2m, until: 4m }
expect:
  - device.ready == fleet.devices
`;

/** A plan with 10^8 actions, which does not fit into memory. */
const HUGE = `
name: huge
duration: 30d
fleet:
  - { name: clime, profile: clime, count: 100000 }
steps:
${'  - { at: 5m, to: clime, commands: [info show], over: 1h }\n'.repeat(1000)}`;

const started: string[][] = [];
const tools = new PageScenarios({
  again: (args) => {
    started.push([...args]);
    return { ended: ghostfleet(args), stop: () => {} };
  },
});
afterAll(() => tools.close());

describe('the check of a scenario from the console', () => {
  it('plans the scenario as a timeline of boots, faults, steps and loads', () => {
    const { problems, plan } = checkText(SMALL);
    expect(problems).toEqual([]);
    expect(plan).toMatchObject({ scenario: 'small', devices: 2, durationMs: 1_800_000 });
    expect(plan?.expectations).toEqual(['device.ready == fleet.devices']);
    expect(plan?.spans).toEqual([
      expect.objectContaining({ kind: 'boot', what: '2 × clime', whom: 'clime' }),
      { kind: 'fault', fromMs: 600_000, untilMs: 1_200_000, what: 'loss 10%', whom: 'clime' },
      expect.objectContaining({ kind: 'step', fromMs: 300_000, untilMs: 300_000, what: 'commands: info show' }),
      expect.objectContaining({ kind: 'load', fromMs: 120_000, untilMs: 240_000 }),
    ]);
  });

  it('shows no claim tokens', () => {
    expect(JSON.stringify(checkText(SMALL))).not.toMatch(/[0-9a-f]{32}/);
  });

  it('names every problem with its line and column', () => {
    const { problems, plan } = checkText(SMALL.replace('profile: clime', 'profile: clime2').replace('10%', '200%'));
    expect(problems.map(({ line, column }) => [line, column])).toEqual([
      [5, 29],
      [8, 15],
    ]);
    expect(plan).toBeNull();
  });

  it('rejects allow-private with its place', () => {
    const { problems, plan } = checkText(`${SMALL}cloud:\n  allow-private: true\n`);
    const message = expect.stringContaining('cannot use "allow-private"');
    expect(problems).toEqual([{ line: SMALL.split('\n').length + 1, column: 3, message }]);
    expect(plan).toBeNull();
  });

  it.each([
    ['an include', 'include: other.yaml'],
    ['the trace of a load', 'load: [{ commands: [info show], rate: { replay: trace.csv } }]'],
    ['the recording of a sensor', 'steps: [{ at: 1m, sensor: { thermometer.temperature: { replay: trace.csv } } }]'],
    ['the script of a connector', 'setup: [{ connector: { name: forward, file: forward.js } }]'],
  ])('rejects %s, because a scenario from the console has no files', (_, line) => {
    const { problems } = checkText(
      `name: reader\nduration: 1h\nfleet: [{ name: clime, profile: clime, count: 1 }]\n${line}\n`,
    );
    expect(problems).toEqual([expect.objectContaining({ message: expect.stringContaining('cannot name files') })]);
  });
});

describe('the thread of the checks', () => {
  it('answers requests one after another', async () => {
    const [small, broken] = await Promise.all([tools.check(SMALL), tools.check('name: [')]);
    expect([small.plan?.scenario, broken.plan, broken.problems.length > 0]).toEqual(['small', null, true]);
  });

  it('may take any time to load and to read the names: only the check of a text has a limit', async () => {
    const impatient = new CheckThread(1);
    expect(await impatient.names()).toMatchObject({ schema: expect.any(Object) });
    await impatient.close();
  });

  it('answers a request during which it is closed', async () => {
    const closed = new CheckThread();
    const names = closed.names();
    names.catch(() => {});
    // The thread starts with the next microtask.
    await Promise.resolve();
    await closed.close();
    await expect(names).rejects.toThrow('the scenario cannot be checked');
  });

  it('ends a check that takes too long, with a message', async () => {
    const impatient = new CheckThread(1);
    const { problems } = await impatient.check(HUGE);
    expect(problems).toEqual([{ line: 1, column: 1, message: expect.stringContaining('too large') }]);
    await impatient.close();
  });
});

describe('a run from the console', () => {
  it('uses a folder of its own, deletes it, and returns the verdict and the report', async () => {
    const end = await tools.run(SMALL, 7, () => {}).ended;
    if (typeof end === 'string') throw new Error(end);
    expect(end.verdict).toMatchObject({ word: 'passed', look: 'good', failure: null, simulatedMs: expect.any(Number) });
    expect(end.report()).toMatch(/^<!doctype html>[\s\S]*device\.ready == fleet\.devices/);
    expect(end.report()).toContain('ghostfleet run scenario.yaml');
    const [command, file = '', ...flags] = started.at(-1) ?? [];
    expect([command, ...flags]).toEqual(['run', '--seed', '7', '--workers', '1', '--json']);
    expect([file.endsWith('/scenario.yaml'), existsSync(file)]).toEqual([true, false]);
  });

  it('may not send to this machine, to private networks or to public hosts', async () => {
    const end = await tools.run(`${SMALL}cloud: { allow-private: true }\n`, undefined, () => {}).ended;
    expect(end).toContain('"allow-private"');
    expect(started.at(-1)?.join(' ')).not.toContain('--allow');
  });
});

it('the packaged scenarios are offered as examples, and no other file is', async () => {
  const { examples, profiles, metrics } = await tools.words();
  expect(examples).toContain('library/boot-storm');
  expect(profiles).toContainEqual({ name: 'clime', about: expect.any(String) });
  expect(metrics).toContainEqual({ name: 'device.ready', about: expect.any(String) });
  expect(tools.example('demo')).toBe(readFileSync('scenarios/demo.yaml', 'utf8'));
  expect(tools.example('../package')).toBeUndefined();
});
