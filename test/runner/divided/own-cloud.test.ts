/** Runs in real time whose devices are divided among workers, with one embedded cloud for all workers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import { EXIT, InterruptedError } from '../../../src/kernel/errors.js';
import { defineScenario, runPlan } from '../../../src/library/scenario.js';
import { crewOfThisThread as crew } from '../../support/crew.js';
import { unhurried } from '../../support/unhurried.js';

const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-own-cloud-'));
afterAll(() => rmSync(folder, { recursive: true }));

const plan = defineScenario({
  name: 'shared',
  duration: '3m',
  // Long, because a busy machine may answer requests seconds late, which are minutes of the simulated time.
  settle: '1h',
  setup: [{ client: { name: 'neighbour' } }],
  fleet: [{ name: 'clime', profile: 'clime', count: 5, tags: ['visitor'], config: { 'interval-report': 60 } }],
  load: [
    { 'list-devices': null, rate: '20/m' },
    { 'latest-value': null, to: 'clime', rate: '20/m', spacing: 'poisson', as: 'neighbour' },
  ],
  steps: [{ at: '100s', commands: ['info show'] }],
});
const real = { clock: 'real', speed: 120, workers: 2, crew } as const;

const short = defineScenario({
  ...{ name: 'short', duration: '20s' },
  fleet: [{ name: 'clime', profile: 'clime', count: 4 }],
});

it('workers use one cloud, and the result contains the events of the cloud and of all workers', async () => {
  const result = await runPlan(plan, { ...real, transport: 'http' });
  expect(result).toMatchObject({ target: 'embedded', transport: 'http' });
  expect(result.workers?.map(({ devices, lost }) => [devices, lost])).toEqual([
    [3, null],
    [2, null],
  ]);
  const { calls } = result;
  // A request every three seconds for 3 min.
  expect(calls['list-devices']).toMatchObject({ planned: 60, answered: 60 });
  const requests = Object.values(calls).reduce((sum, { sent }) => sum + sent, 0);
  expect(result.workers?.reduce((sum, worker) => sum + worker.requests, 0)).toBe(requests);
  // Only the cloud emits this event, not the workers.
  expect(result.downlinks.queued).toBe(5);
});

it('the cloud is reached over UDP by default, and leaves one database with the devices of all workers', async () => {
  const db = join(folder, 'cloud.db');
  const result = await runPlan(short, { ...real, speed: 40, db });
  expect(result).toMatchObject({ transport: 'udp' });
  const store = await openStore(db);
  const [space] = await store.spaces({ limit: 1 });
  const devices = await store.devices(space?.id ?? '', { limit: 10, sortBy: 'id', order: 'asc' });
  await store.close();
  expect(devices).toHaveLength(4);
});

it('a divided run that is interrupted ends with the exit code of an interruption', async () => {
  const result = await runPlan(plan, {
    ...real,
    started: ({ clock, stop }) => void clock.after(20_000, 'Ctrl-C', () => stop(new InterruptedError('SIGINT'))),
  });
  expect(result).toMatchObject({ exitCode: EXIT.interrupted, failure: 'interrupted by SIGINT' });
});

it('a run with messages in memory is not divided, because such messages cannot leave a thread', async () => {
  const result = await runPlan(short, { ...real, speed: 1000, meter: unhurried, transport: 'memory' });
  expect(result.workers).toBeUndefined();
});
