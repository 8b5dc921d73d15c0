/** Runs with a queue in PostgreSQL whose workers or connections end early, and runs that are stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { execPath, env as nodeEnv } from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { program } from '../../../scripts/support/program.js';
import { EXIT, InterruptedError } from '../../../src/kernel/errors.js';
import type { RunControl } from '../../../src/runner/run.js';
import { query } from '../../support/postgres/databases.js';
import { API_KEY, queueRuns } from './queue-runs.js';

const { queue, addWorkers, run, left } = await queueRuns();
let child: ChildProcess | undefined;

afterEach(() => void child?.kill('SIGKILL'));

it('a worker that is stopped counts as lost, like one that is killed', async () => {
  const [, stopped] = await addWorkers(2);
  const stop = ({ clock }: RunControl) =>
    clock.after(90_000, 'SIGTERM', () => void stopped?.stop(new InterruptedError('SIGTERM')));
  const result = await run(2, stop);
  const lost = result.workers?.flatMap(({ lost }) => lost ?? []) ?? [];
  expect(lost).toMatchObject([{ why: 'interrupted by SIGTERM' }]);
  expect(result.exitCode).toBe(EXIT.invalid);
  expect(result.failure).toContain('(interrupted by SIGTERM), and with it');
  expect(result.calls['list-devices']).toMatchObject({ planned: 60 });
  for (const { planned, sent, dropped } of Object.values(result.calls)) expect(sent + dropped).toBe(planned);
  expect(result.steps.done + result.steps.failed).toBe(5);
  expect(await left()).toEqual([]);
});

it('a run begins and ends although connections with the queue break while its workers take their parts', async () => {
  await addWorkers(2);
  const breaks = async () => {
    for (let i = 0; i < 4; i++) {
      await query(
        queue,
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  let broken: Promise<void> | undefined;
  const result = await run(2, () => (broken = breaks()));
  await broken;
  expect(result.workers?.map(({ lost }) => lost)).toEqual([null, null]);
  for (const { planned, sent, dropped } of Object.values(result.calls)) expect(sent + dropped).toBe(planned);
});

it('a run that is stopped ends all parts, and leaves nothing behind', async () => {
  await addWorkers(2);
  const result = await run(2, ({ clock, stop }) =>
    clock.after(30_000, 'Ctrl-C', () => stop(new InterruptedError('SIGINT'))),
  );
  expect(result).toMatchObject({ exitCode: EXIT.interrupted, failure: 'interrupted by SIGINT' });
  expect(result.workers?.map(({ lost }) => lost)).toEqual([null, null]);
  expect(await left()).toEqual([]);
});

it('work of a killed worker is lost: every request is accounted for, and the verdict names the worker', async () => {
  await addWorkers(2);
  const killed = await workerProcess();
  const kill = ({ clock }: RunControl) => clock.after(90_000, 'SIGKILL', () => void killed.kill('SIGKILL'));
  const result = await run(3, kill, 1);
  const lost = result.workers?.filter(({ lost }) => lost !== null) ?? [];
  expect(lost.map(({ pid }) => pid)).toEqual([killed.pid]);
  expect(result.exitCode).toBe(EXIT.invalid);
  expect(result.failure).toContain(`worker ${lost[0]?.number} (${lost[0]?.host}, process ${killed.pid}) was lost at`);
  expect(result.failure).toContain('no heartbeat for 1 s');
  // A request every four seconds for 4 min, and one step for each of the 5 devices.
  const { calls, steps } = result;
  expect(calls['list-devices']).toMatchObject({ planned: 60 });
  for (const { planned, sent, dropped } of Object.values(calls)) expect(sent + dropped).toBe(planned);
  expect(steps.done + steps.failed).toBe(5);
  // On a busy machine, those of other devices may fail, too.
  expect(steps.failed).toBeGreaterThanOrEqual(lost[0]?.lost?.steps ?? Number.NaN);
  expect(await left()).toEqual([]);
});

/** Starts a worker in a process of its own; resolves when it waits for parts. */
async function workerProcess(): Promise<ChildProcess> {
  const env = { PATH: nodeEnv.PATH, GHOSTFLEET_QUEUE: queue, GHOSTFLEET_API_KEY: API_KEY };
  child = spawn(execPath, [program(), 'worker'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout as Readable })) {
    if (/waits for parts of runs/.test(line)) break;
  }
  return child;
}
