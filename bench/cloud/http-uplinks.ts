/** Measures the rate of durable uplinks over HTTP (2xx after the commit), against a bare endpoint on the same disk. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServe } from '../../scripts/support/serve-process.js';
import type { Bench } from '../result.js';
import { size } from '../size.js';
import { startBare } from './bare.js';
import { FIRST_SERIAL, registerFleet } from './fleet.js';
import { postUplinks } from './http-load.js';
import { bestInTurn } from './in-turn.js';

const DEVICES = 1000;
const WARM_UP = size({ quick: 500, usual: 1000 });
const MEASURED = size({ quick: 1000, usual: 2500 });
const LIMIT = 0.4;

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
      const rates = await bestInTurn(
        { service: () => measured(service.ports.http), bare: () => measured(bare.port) },
        Number,
      );
      const ratio = rates.service / rates.bare;
      await Promise.all([bare.end(), service.end('SIGKILL')]);
      return [
        {
          what: `durable uplinks over HTTP of ${DEVICES.toLocaleString('en')} devices, against a bare endpoint`,
          ratio,
          limit: LIMIT,
          detail: `${Math.round(rates.service)}/s, bare ${Math.round(rates.bare)}/s`,
          goals: { http: ratio },
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
