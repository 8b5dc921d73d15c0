/**
 * The calendar clock of a service is set forward and back, while it runs and between two starts. Messages must keep their
 * order, and their times must not go back.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { between, seededRandom } from '../../src/kernel/random.js';
import type { Verdict } from '../support/proof.js';
import { FREE_PORTS, startServe } from '../support/serve-process.js';
import { API_KEY, Fleet } from './fleet.js';
import { settle } from './settle.js';

const HOUR_MS = 3_600_000;
const LIFE_MS = 700;

/** @param steps number of corrections of the clock by up to an hour; after every third, the service is killed and restarted */
export async function surviveClockSteps(steps: number): Promise<Verdict> {
  const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-chaos-'));
  const clock = join(directory, 'clock');
  const set = (ms: number) => writeFileSync(clock, String(Math.round(ms)));
  set(0);
  const preload = fileURLToPath(new URL('./stepped-clock.mjs', import.meta.url));
  const env = { CHAOS_CLOCK: clock, NODE_OPTIONS: `--import ${preload}` };
  const args = ['--db', join(directory, 'cloud.db'), '--api-key', API_KEY];
  let service = await startServe(args, FREE_PORTS, env);
  try {
    const { api, ports, spaceId } = service;
    const fleet = new Fleet({ apis: [api], udpPorts: [ports.udp], spaceId });
    await fleet.start();
    const random = seededRandom('clock');
    for (let step = 1; step <= steps; step++) {
      await new Promise((resolve) => setTimeout(resolve, LIFE_MS));
      set(between(random, -HOUR_MS, HOUR_MS));
      if (step % 3 !== 0) process.kill(service.pid, 'SIGUSR2');
      else {
        await service.end('SIGKILL');
        service = await startServe(args, ports, env);
      }
    }
    const { held, counts } = await settle(fleet);
    return {
      what: `${steps} steps of the clock by up to an hour`,
      held,
      detail: counts,
    };
  } finally {
    await service.end('SIGKILL');
    rmSync(directory, { recursive: true });
  }
}
