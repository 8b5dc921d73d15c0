/** Measures the rate of durable uplinks over HTTP (2xx after the commit), against a bare endpoint on the same disk. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServe } from '../../scripts/support/serve-process.js';
import type { Bench } from '../result.js';
import { startBare } from './bare.js';
import { FIRST_SERIAL, registerFleet } from './fleet.js';
import { postUplinks } from './http-load.js';
import { bestInTurn } from './in-turn.js';

const DEVICES = 1000;
const WARM_UP = 1000;
const MEASURED = 2500;
const LIMIT = 0.4;
const GOAL = 0.85;

export const httpUplinks: Bench = {
  name: 'http-uplinks',
  async run() {
    const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-bench-'));
    try {
      const path = join(directory, 'bare.db');
      const bare = await startBare('cloud/bare-http', path, String(DEVICES), String(FIRST_SERIAL));
      const db = join(directory, 'cloud.db');
      await (await registerFleet(db, DEVICES)).store.close();
      const service = await startServe(['--db', db]);
      const [rate, bareRate] = await bestInTurn(
        () => measured(service.ports.http),
        () => measured(bare.port),
        Number,
      );
      await Promise.all([bare.end(), service.end('SIGKILL')]);
      return [
        {
          what: `durable uplinks over HTTP of ${DEVICES.toLocaleString('en')} devices, against a bare endpoint`,
          ratio: rate / bareRate,
          limit: LIMIT,
          detail: `${Math.round(rate)}/s, bare ${Math.round(bareRate)}/s`,
          goals: [
            {
              figure: 'durable uplinks over HTTP, of a bare endpoint',
              measured: rate / bareRate,
              least: GOAL,
              section: 'Uplinks over HTTP',
            },
          ],
        },
      ];
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
};

async function measured(port: number): Promise<number> {
  await postUplinks({ port, devices: DEVICES, milliseconds: WARM_UP });
  return postUplinks({ port, devices: DEVICES, milliseconds: MEASURED });
}
