/** Workers that reject parts of runs from a queue in PostgreSQL; queue.postgres.long.test.ts has workers that are lost. */
import { expect, it } from 'vitest';
import { minutes } from '../../../src/kernel/time.js';
import { PART_FORMAT, type PartTask } from '../../../src/runner/divided/messages.js';
import { QueueDatabase } from '../../../src/runner/divided/queue/database.js';
import { sharedNow } from '../../../src/runner/divided/queue/queue-channel.js';
import { QUEUE } from '../../../src/runner/divided/queue/schema.js';
import { seal } from '../../../src/runner/divided/queue/sealed.js';
import { taskOf } from '../../../src/runner/divided/queue/worker.js';
import { query } from '../../support/postgres/databases.js';
import { API_KEY, queueRuns } from './queue-runs.js';

const { queue, addWorkers, run, left } = await queueRuns();

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
