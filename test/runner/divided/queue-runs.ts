/** Runs whose workers take their parts from a queue in PostgreSQL. The target consists of two services that share a database. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import { readVersion } from '../../../src/cli/version.js';
import { DeviceCloudClient } from '../../../src/client/client.js';
import { type Service, startService } from '../../../src/cloud/service.js';
import { entropy } from '../../../src/kernel/entropy.js';
import { InterruptedError } from '../../../src/kernel/errors.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { seconds } from '../../../src/kernel/time.js';
import { defineScenario, runPlan } from '../../../src/library/scenario.js';
import { QueueCrew } from '../../../src/runner/divided/queue/queue-crew.js';
import { QUEUE } from '../../../src/runner/divided/queue/schema.js';
import { type QueueWorker, startWorker } from '../../../src/runner/divided/queue/worker.js';
import type { RunControl } from '../../../src/runner/run.js';
import type { TargetCloud } from '../../../src/runner/targets/remote-api.js';
import { QUIET } from '../../support/cloud.js';
import { newDatabase, newSeparateDatabase, query, TEST_KEY } from '../../support/postgres/databases.js';
import { unhurried } from '../../support/unhurried.js';

export const API_KEY = 'key-of-the-run-and-its-workers';

function serve(db: string): Promise<Service> {
  return startService({
    ...{ db, secretsKey: TEST_KEY, host: '127.0.0.1', port: 0, udpPort: 0, udpRawPort: null, apiKey: API_KEY },
    ...{ clock: new RealClock({ followsSystem: true }), random: entropy },
    ...{ trace: { emit: () => {} }, log: QUIET, space: 'shared' },
  });
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

/** Starts the services before the tests of the file, and ends what they started. Call this once, outside of tests. */
export async function queueRuns() {
  const queue = await newSeparateDatabase();
  let services: readonly [Service, Service];
  let workers: QueueWorker[] = [];

  beforeAll(async () => {
    const db = await newDatabase();
    services = [await serve(db), await serve(db)];
  });

  afterEach(async () => {
    for (const worker of workers) await worker.stop(new InterruptedError('SIGTERM'));
    workers = [];
  });

  afterAll(async () => {
    for (const service of services) await service.close();
  });

  /** The API of one service, and the gateway of the other. */
  function cloud(): TargetCloud {
    const [one, other] = services;
    return {
      ...{ api: one.api, apiKey: API_KEY, spaceId: null, keyOf: String, pace: { atOnce: 4, perSecond: null } },
      gateway: { host: '127.0.0.1', port: Number(other.udp) },
    };
  }

  /** Starts workers in this process; returns all workers of the test. */
  async function addWorkers(count: number, options: { readonly version?: string; readonly apiKey?: string } = {}) {
    const { version: own = readVersion(), apiKey = API_KEY } = options;
    for (let i = 0; i < count; i++) {
      workers.push(await startWorker({ url: queue, apiKey, version: own, meter: unhurried, say: () => {} }));
    }
    return workers;
  }

  /** @param silence seconds without a heartbeat until a worker without connection counts as lost */
  async function run(count: number, started: (control: RunControl) => unknown = () => {}, silence = 60) {
    const crew = await QueueCrew.open({ url: queue, version: readVersion(), silence: seconds(silence) });
    return runPlan(plan, {
      ...{
        clock: 'real',
        speed: 120,
        cloud: cloud(),
        crew,
        workers: count,
        started: (control) => void started(control),
      },
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

  return { queue, addWorkers, run, left };
}
