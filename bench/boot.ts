/**
 * Measures the CPU time and memory for the boot of a fleet in a complete run: devices are registered, get a session, upload
 * codecs and configuration, and report once. The CPU time is compared with that of the unavoidable work alone (bare-day.ts):
 * writing the same events, and signing and checking packets of the same size.
 *
 * `DEVICES` in the environment selects another size of the fleet.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScenarioDefinition } from '../src/scenario/parse/define.js';
import { bareLog, runProgram } from './program-run.js';
import type { Bench } from './result.js';
import { sizeOf } from './size.js';

const DEVICES = sizeOf('DEVICES', { quick: 3000, usual: 20_000, full: 100_000 });
/** Number of devices in the goals. */
const OF_GOAL = 100_000;
const LIMIT = 0.03;
/** Memory limits in bytes: for each device, and for the program with its three threads before it has devices. */
const MEMORY = { device: 18_000, program: 600 * 1_048_576 };

export const boot: Bench = {
  name: 'boot',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-bench-'));
    try {
      const run = runProgram(SCENARIO, ['--out', folder]);
      const bare = bareLog(join(folder, 'events.jsonl'));
      const most = MEMORY.program + DEVICES * MEMORY.device;
      const fleet = `boot of ${DEVICES.toLocaleString('en')} devices over 10 min`;
      return [
        {
          what: `${fleet}, against the same events and packets alone`,
          ratio: bare / run.cpu,
          limit: LIMIT,
          detail: `${(run.cpu / DEVICES).toFixed(2)} ms of CPU a device, alone ${(bare / DEVICES).toFixed(2)} ms; ${(run.wall / 1000).toFixed(1)} s, ${run.events} events`,
          // The program starts and ends in a few seconds, so the time of a smaller fleet says a little too much.
          goals: { boot: run.cpu / DEVICES, bootFleet: (run.wall / 1000) * (OF_GOAL / DEVICES) },
        },
        {
          what: `memory of the ${fleet}, against ${mebibytes(most)}`,
          ratio: most / run.memory,
          limit: 1,
          detail: mebibytes(run.memory),
          // In a small fleet, most of the memory is that of the program.
          ...(DEVICES === OF_GOAL && { goals: { bootMemory: run.memory / DEVICES / 1000 } }),
        },
      ];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MiB`;
}

const SCENARIO: ScenarioDefinition = {
  name: 'boot',
  duration: '12m',
  fleet: [{ name: 'clime', profile: 'clime', count: DEVICES, boot: { over: '10m' } }],
  network: { latency: '150ms..900ms' },
  expect: [`device.ready == ${DEVICES}`],
};
