/** Measures the rate of durable uplinks of one fragment over UDP, against a bare echo that checks and creates the same tags. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServe } from '../../scripts/support/serve-process.js';
import type { Bench } from '../result.js';
import { size } from '../size.js';
import { startBare } from './bare.js';
import { sendUplinks } from './flap-load.js';
import { FIRST_SERIAL, registerFleet } from './fleet.js';
import { bestInTurn } from './in-turn.js';

const LOAD = { devices: 500, messages: size({ quick: 40, usual: 120 }) };
const LIMIT = 0.15;

export const flapUplinks: Bench = {
  name: 'flap-uplinks',
  async run() {
    const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-bench-'));
    try {
      const echo = await startBare('cloud/bare-udp', String(LOAD.devices), String(FIRST_SERIAL));
      const db = join(directory, 'cloud.db');
      await (await registerFleet(db, LOAD.devices)).store.close();
      const service = await startServe(['--db', db]);
      let round = 0;
      const measured = (port: number) => sendUplinks({ ...LOAD, port, round: ++round });
      const rates = await bestInTurn(
        { service: () => measured(service.ports.udp), echo: () => measured(echo.port) },
        Number,
      );
      const ratio = rates.service / rates.echo;
      await Promise.all([echo.end(), service.end('SIGKILL')]);
      return [
        {
          what: `durable uplinks over UDP of ${LOAD.devices} devices, against a bare echo`,
          ratio,
          limit: LIMIT,
          detail: `${Math.round(rates.service)}/s, echo ${Math.round(rates.echo)}/s`,
          goals: { udp: ratio },
        },
      ];
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
};
