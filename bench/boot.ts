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
import { size } from './size.js';

const DEVICES = size('DEVICES', 20_000, 100_000);
const LIMIT = 0.03;
/** Memory limits in bytes: for each device, and for the program with its three threads before it has devices. */
const MEMORY = { device: 18_000, program: 600 * 1_048_576 };
/** Goals for each device: on two cores, a fleet of 100,000 devices takes 60 s and 1.5 GB. */
const GOAL = { wall: 60_000 / 100_000, memory: 1.5e9 / 100_000 };

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
          goals: [
            {
              figure: fleet,
              measured: run.wall / 1000,
              most: (DEVICES * GOAL.wall) / 1000,
              unit: 's',
              section: 'Boot',
            },
          ],
        },
        {
          what: `memory of the ${fleet}, against ${mebibytes(most)}`,
          ratio: most / run.memory,
          limit: 1,
          detail: mebibytes(run.memory),
          goals: [
            {
              figure: `memory of the ${fleet}`,
              ...{ measured: run.memory / 1e6, most: (DEVICES * GOAL.memory) / 1e6, unit: 'MB', section: 'Boot' },
            },
          ],
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
