/**
 * Runs whose workers take their parts from a queue in PostgreSQL. Two workers run in this process. A third one runs in a process of its own and is killed. In `npm run prove -- distributed`,
 * each worker has its own process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { execPath, env as nodeEnv } from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { program } from '../../../scripts/support/program.js';
import { EXIT } from '../../../src/kernel/errors.js';
import { minutes } from '../../../src/kernel/time.js';
import { PART_FORMAT, type PartTask } from '../../../src/runner/divided/messages.js';
import { QueueDatabase } from '../../../src/runner/divided/queue/database.js';
import { sharedNow } from '../../../src/runner/divided/queue/queue-channel.js';
import { QUEUE } from '../../../src/runner/divided/queue/schema.js';
import { seal } from '../../../src/runner/divided/queue/sealed.js';
import { taskOf } from '../../../src/runner/divided/queue/worker.js';
import type { RunControl } from '../../../src/runner/run.js';
import { query } from '../../support/postgres/databases.js';
import { API_KEY, queueRuns } from './queue-runs.js';

const { queue, addWorkers, run, left } = await queueRuns();
let child: ChildProcess | undefined;

afterEach(() => void child?.kill('SIGKILL'));

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

it('a worker with another version rejects its part, and the error of the run names both versions', async () => {
  await addWorkers(1, { version: '9.9.9' });
  const format = `with part format ${PART_FORMAT}`;
  await expect(run(1)).rejects.toThrow(
    new RegExp(
      `^the worker in process \\d+ on \\S+ has ghostfleet 9.9.9 ${format}, but the run has ghostfleet \\S+ ${format}`,
    ),
  );
  expect(await left()).toEqual([]);
});

it('a worker with another API key rejects its part', async () => {
  await addWorkers(1, { apiKey: 'another key' });
  await expect(run(1)).rejects.toThrow(/^the worker in process \d+ on \S+ has another API key than the run$/);
});

it('a worker rejects a copy of a task that it has carried out, and a task of long ago', async () => {
  const database = await QueueDatabase.open(queue);
  const id = '11111111-89ab-4def-8123-456789abcdef';
  // Nothing of the task is read before it is rejected.
  const task = { number: 1, parts: 1 } as PartTask;
  const place = `${id}/1`;
  const at = await sharedNow(database);
  const taking = (age: number, done: readonly string[]) => {
    const sealed = seal({ task, at: at - age }, API_KEY, place);
    return query(queue, `DELETE FROM ${QUEUE}.part WHERE run = '${id}'`)
      .then(() =>
        query(
          queue,
          `INSERT INTO ${QUEUE}.part (run, number, task) VALUES ('${id}', 1, '\\x${Buffer.from(sealed).toString('hex')}')`,
        ),
      )
      .then(() => taskOf({ run: id, part: 1, version: '', format: PART_FORMAT }, database, API_KEY, new Set(done)));
  };
  expect(await taking(0, [])).toEqual(task);
  await expect(taking(0, [place])).rejects.toThrow('a copy of an earlier one');
  await expect(taking(minutes(6), [])).rejects.toThrow('a copy of an earlier one');
  await query(queue, `DELETE FROM ${QUEUE}.part WHERE run = '${id}'`);
  await database.close();
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
