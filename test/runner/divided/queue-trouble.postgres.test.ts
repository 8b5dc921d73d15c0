/** The queue in trouble: several workers create its tables at the same time, connections break, and the server is away. */
import { expect, it } from 'vitest';
import { readVersion } from '../../../src/cli/version.js';
import type { PartTask } from '../../../src/runner/divided/messages.js';
import { QueueDatabase } from '../../../src/runner/divided/queue/database.js';
import { addJobs, takeJobs } from '../../../src/runner/divided/queue/jobs.js';
import { QueueCrew } from '../../../src/runner/divided/queue/queue-crew.js';
import { newSeparateDatabase, query } from '../../support/postgres/databases.js';
import { relayTo } from '../../support/relay.js';
import { until } from '../../support/until.js';

const API_KEY = 'key-of-the-run-and-its-workers';

it('workers that start together on an empty database all wait for parts', async () => {
  const url = await newSeparateDatabase();
  const databases = await Promise.all(Array.from({ length: 5 }, () => QueueDatabase.open(url)));
  const workers = await Promise.allSettled(databases.map((database) => takeJobs(database, async () => {})));
  for (const worker of workers) if (worker.status === 'fulfilled') await worker.value.stop();
  for (const database of databases) await database.close();
  expect(workers.map(({ status }) => status)).toEqual(Array(5).fill('fulfilled'));
});

it('a run gives its parts to the queue although its connections break', async () => {
  const url = await newSeparateDatabase();
  const crew = await QueueCrew.open({ url, version: readVersion() });
  const breaking = breakConnections(url);
  // The cast is safe because the queue does not read the content of a task.
  const channels = await crew.engage([{ number: 1 } as PartTask], API_KEY);
  expect(await breaking).toBeGreaterThan(0);
  await Promise.all([...channels.map((channel) => channel.close()), crew.close()]);
});

it('a worker takes the next job although the server refuses connections when one ends', async () => {
  const relay = await relayTo(await newSeparateDatabase());
  const database = await QueueDatabase.open(relay.url);
  const taken: unknown[] = [];
  const jobs = [1, 2].map((part) => ({ run: 'run', part, version: readVersion(), format: 1 }));
  const added = addJobs(database, jobs);
  const worker = await takeJobs(database, async (payload) => {
    await added;
    if (taken.push(payload) > 1) return;
    await relay.close();
    setTimeout(relay.open, 500);
  });
  await until(() => taken.length > 1);
  expect(taken).toEqual(jobs);
  await worker.stop();
  await database.close();
  await relay.close();
});

/** Breaks all connections with the database, five times. Returns the number of broken connections. */
async function breakConnections(url: string): Promise<number> {
  let broken = 0;
  for (let i = 0; i < 5; i++) {
    const rows = await query(
      url,
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    broken += rows.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return broken;
}
