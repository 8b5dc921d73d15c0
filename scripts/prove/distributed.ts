/**
 * A run of 60 s on three worker processes against two services that share a PostgreSQL database. The workers are in network
 * namespaces of their own, if the machine allows that. One worker is killed in the middle: every planned request and step is
 * still accounted for, the verdict names the worker, and no device is left in the services.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DeviceCloudClient } from '../../src/client/client.js';
import type { RunResult } from '../../src/report/result.js';
import { startPostgres } from '../../test/support/postgres/server.js';
import { relayTo } from '../../test/support/relay.js';
import { openMachines } from '../support/machines.js';
import { program } from '../support/program.js';
import type { Proof, Verdict } from '../support/proof.js';
import { type ServeProcess, startServe } from '../support/serve-process.js';

const API_KEY = 'key-of-the-run-and-its-workers';
const WORKERS = 3;
const DEVICES = 30;
/** At four times real time, because a device needs minutes to become ready. */
const SPEED = 4;
const SCENARIO = `
name: distributed
duration: 4m
settle: 2m
fleet: [{ name: clime, profile: clime, count: ${DEVICES}, config: { interval-report: 60 } }]
load:
  - { list-devices: , rate: 5/s }
  - { latest-value: , to: clime, rate: 5/s, spacing: poisson }
steps: [{ at: 3m, commands: [info show] }]
`;

export const distributed: Proof = {
  name: 'distributed',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-distributed-'));
    const postgres = await startPostgres();
    const services: ServeProcess[] = [];
    const workers: ChildProcess[] = [];
    const machines = openMachines(WORKERS);
    const { host } = machines;
    // The server listens on 127.0.0.1 only, where the other machines do not reach it.
    const queue = await relayTo(postgres.url, host);
    try {
      const file = join(folder, 'scenario.yaml');
      writeFileSync(file, SCENARIO);
      for (let i = 0; i < 2; i++) {
        services.push(await startServe(['--host', host, '--db', postgres.url, '--api-key', API_KEY]));
      }
      const env = { ...process.env, GHOSTFLEET_QUEUE: queue.url, GHOSTFLEET_API_KEY: API_KEY };
      const start = ([name, ...args]: readonly [string, ...string[]]) =>
        spawn(name, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
      const ghostfleet = [process.execPath, program()] as const;
      for (let i = 0; i < WORKERS; i++) workers.push(start(machines.on(i, [...ghostfleet, 'worker'])));
      const [one, other] = services as [ServeProcess, ServeProcess];
      const to = ['--target', one.api, '--udp', `${host}:${other.ports.udp}`];
      const how = ['--workers', String(WORKERS), '--speed', String(SPEED), '--json'];
      const run = start([...ghostfleet, 'run', file, ...how, ...to]);
      const killed = workers[1] as ChildProcess;
      setTimeout(() => killed.kill('SIGKILL'), 35_000);
      const result: RunResult = JSON.parse(await text(run.stdout));
      return [...verdicts(result, killed.pid ?? 0, machines.what), await nothingLeft(one)];
    } finally {
      for (const worker of workers) worker.kill('SIGKILL');
      for (const service of services) await service.end('SIGKILL');
      await queue.close();
      machines.close();
      await postgres.stop();
      rmSync(folder, { recursive: true });
    }
  },
};

function verdicts(
  { workers = [], exitCode, failure, calls, steps }: RunResult,
  killed: number,
  machines: string,
): readonly Verdict[] {
  const lost = workers.filter((worker) => worker.lost !== null);
  const loads = Object.entries(calls).filter(([name]) => name !== 'all');
  const requests = loads.reduce((sum, [, { dropped }]) => sum + dropped, 0);
  return [
    {
      what: 'of three workers, only the killed one is lost',
      held: workers.length === WORKERS && lost.length === 1 && lost[0]?.pid === killed,
      detail: `in ${machines}; killed ${killed}, lost ${lost.map(({ pid }) => pid).join(', ') || 'none'}`,
    },
    {
      what: 'the run is invalid, and its failure names the killed worker',
      held: exitCode === 5 && (failure ?? '').includes(`process ${killed}`),
      detail: `exit code ${exitCode}: ${failure}`,
    },
    {
      what: 'every planned request was sent or lost',
      held:
        loads.length > 0 && loads.every(([, { planned, sent, dropped }]) => planned > 0 && planned === sent + dropped),
      detail: loads
        .map(([name, { planned, sent, dropped }]) => `${name}: ${planned} = ${sent} + ${dropped}`)
        .join('; '),
    },
    {
      what: 'every planned step was done or lost',
      held: steps.done + steps.failed === DEVICES && requests >= (lost[0]?.lost?.requests ?? 0),
      detail: `${DEVICES} = ${steps.done} + ${steps.failed}`,
    },
  ];
}

async function nothingLeft({ api, spaceId }: ServeProcess): Promise<Verdict> {
  const client = new DeviceCloudClient({ baseUrl: api, apiKey: API_KEY, spaceId });
  const devices = await client.countDevices();
  await client.close();
  return { what: 'no device is left in the target', held: devices === 0, detail: `${devices} devices` };
}
