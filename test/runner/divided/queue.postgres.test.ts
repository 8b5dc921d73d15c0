/**
 * Runs whose workers take their parts from a queue in PostgreSQL. The target consists of two services that share a database.
 * Two workers run in this process. A third one runs in a process of its own and is killed. In `npm run prove -- distributed`,
 * each worker has its own process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { execPath, env as nodeEnv } from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { program } from '../../../scripts/support/program.js';
import { readVersion } from '../../../src/cli/version.js';
import { DeviceCloudClient } from '../../../src/client/client.js';
import { type Service, startService } from '../../../src/cloud/service.js';
import { entropy } from '../../../src/kernel/entropy.js';
import { EXIT, InterruptedError } from '../../../src/kernel/errors.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { defineScenario, runPlan } from '../../../src/library/scenario.js';
import { PART_FORMAT, type PartTask } from '../../../src/runner/divided/messages.js';
import { QueueDatabase } from '../../../src/runner/divided/queue/database.js';
import { sharedNow } from '../../../src/runner/divided/queue/queue-channel.js';
import { QueueCrew } from '../../../src/runner/divided/queue/queue-crew.js';
import { QUEUE } from '../../../src/runner/divided/queue/schema.js';
import { seal } from '../../../src/runner/divided/queue/sealed.js';
import { type QueueWorker, startWorker, taskOf } from '../../../src/runner/divided/queue/worker.js';
import type { RunControl } from '../../../src/runner/run.js';
import type { TargetCloud } from '../../../src/runner/targets/remote-api.js';
import { QUIET } from '../../support/cloud.js';
import { newDatabase, newSeparateDatabase, query, TEST_KEY } from '../../support/postgres/databases.js';
import { unhurried } from '../../support/unhurried.js';

const API_KEY = 'key-of-the-run-and-its-workers';
const queue = await newSeparateDatabase();
let services: readonly [Service, Service];
let workers: QueueWorker[] = [];
let child: ChildProcess | undefined;

beforeAll(async () => {
  const db = await newDatabase();
  services = [await serve(db), await serve(db)];
});

afterEach(async () => {
  for (const worker of workers) await worker.stop(new InterruptedError('SIGTERM'));
  workers = [];
  child?.kill('SIGKILL');
});

afterAll(async () => {
  for (const service of services) await service.close();
});

function serve(db: string): Promise<Service> {
  return startService({
    ...{ db, secretsKey: TEST_KEY, host: '127.0.0.1', port: 0, udpPort: 0, udpRawPort: null, apiKey: API_KEY },
    ...{ clock: new RealClock({ followsSystem: true }), random: entropy },
    ...{ trace: { emit: () => {} }, log: QUIET, space: 'shared' },
  });
}

/** The API of one service, and the gateway of the other. */
function cloud(): TargetCloud {
  const [one, other] = services;
  return {
    ...{ api: one.api, apiKey: API_KEY, spaceId: null, keyOf: String, pace: { atOnce: 4, perSecond: null } },
    gateway: { host: '127.0.0.1', port: Number(other.udp) },
  };
}

async function addWorkers(count: number, options: { readonly version?: string; readonly apiKey?: string } = {}) {
  const { version: own = readVersion(), apiKey = API_KEY } = options;
  for (let i = 0; i < count; i++) {
    workers.push(await startWorker({ url: queue, apiKey, version: own, meter: unhurried, say: () => {} }));
  }
}

const plan = defineScenario({
  name: 'spread',
  duration: '4m',
  // Long, because a busy machine may execute steps seconds late, which are minutes of the simulated time.
  settle: '30m',
  setup: [{ client: { name: 'neighbour' } }],
  fleet: [{ name: 'clime', profile: 'clime', count: 5, tags: ['visitor'], config: { 'interval-report': 60 } }],
  load: [
    { 'list-devices': null, rate: '15/m' },
    { 'latest-value': null, to: 'clime', rate: '15/m', spacing: 'poisson', as: 'neighbour' },
  ],
  steps: [{ at: '200s', commands: ['info show'] }],
  expect: ['device.ready == 5'],
});

/** @param silence seconds without a heartbeat until a worker without connection counts as lost */
async function run(count: number, started: (control: RunControl) => unknown = () => {}, silence = 60) {
  const crew = await QueueCrew.open({ url: queue, version: readVersion(), silence: seconds(silence) });
  return runPlan(plan, {
    ...{ clock: 'real', speed: 120, cloud: cloud(), crew, workers: count, started: (control) => void started(control) },
  });
}

/** The names of the devices and tags in the target, and the rows of runs and jobs in the queue. */
async function left() {
  const [{ api, spaceId }] = services;
  const client = new DeviceCloudClient({ baseUrl: api, apiKey: API_KEY, spaceId });
  const things = [...(await client.devices()), ...(await client.tags())].map(({ name }) => name);
  await client.close();
  const rows = await query(queue, `SELECT run::text FROM ${QUEUE}.part UNION SELECT key FROM ghostfleet_jobs.jobs`);
  return [...things, ...rows];
}

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

it('a worker that is stopped counts as lost, like one that is killed', async () => {
  await addWorkers(2);
  const [, stopped] = workers;
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
