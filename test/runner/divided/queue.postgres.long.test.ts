/** Runs with a queue in PostgreSQL whose workers or connections end early, and runs that are stopped. */
import { expect, it } from 'vitest';
import { EXIT, InterruptedError } from '../../../src/kernel/errors.js';
import type { RunControl } from '../../../src/runner/run.js';
import { query } from '../../support/postgres/databases.js';
import { queueRuns } from './queue-runs.js';

const { queue, addWorkers, run, left } = await queueRuns();

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
