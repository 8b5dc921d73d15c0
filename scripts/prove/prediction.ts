/** Records a run in real time on a separate service. A replay of the recording must predict each delivery of the run. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ErrorSpread, ReplayAccuracy } from '../../src/record/predict.js';
import type { Polls } from '../../src/record/script.js';
import { program } from '../support/program.js';
import type { Proof } from '../support/proof.js';
import { startServe } from '../support/serve-process.js';

const API_KEY = 'a-key-for-the-proof';
const SCENARIO = `
name: prediction
seed: 11
duration: 2m20s
fleet:
  - { name: clime, profile: clime, count: 20, config: { interval-report: 30 }, boot: { over: 10s } }
  - { name: control, profile: control, count: 10, config: { interval-report: 60, interval-poll: 30 }, boot: { over: 10s } }
steps:
  - { at: 60s, to: clime, over: 40s, commands: [info show] }
  - { at: 70s, to: control, over: 40s, downlink: { output_1_state: 1 } }
  - { at: 80s, to: control, over: 20s, commands: [info show] }
`;
/**
 * Limits in ms: of the largest error, of the median error, and of the largest error after a poll. If only the predicted
 * downlink shows that there was a poll, the time of the poll can be wrong by 1.5 s: the radio needs 1 to 4 s to wake up.
 */
const LIMIT = 1000;
const MEDIAN = 100;
const POLL_LIMIT = 2000;

export const prediction: Proof = {
  name: 'prediction',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-prediction-'));
    const service = await startServe(['--db', 'memory', '--api-key', API_KEY]);
    try {
      const file = (name: string) => join(folder, name);
      writeFileSync(file('scenario.yaml'), SCENARIO);
      const target = ['--target', service.api, '--api-key', API_KEY];
      const udp = ['--udp', `127.0.0.1:${service.ports.udp}`];
      await ghostfleet('run', file('scenario.yaml'), '--clock', 'real', '--keep', ...target, ...udp);
      await ghostfleet('record', '--after', '10m', '--rate', '100', '--out', file('history.jsonl'), ...target);
      const replay = async (polls: Polls): Promise<ReplayAccuracy> =>
        JSON.parse(await ghostfleet('replay', file('history.jsonl'), '--json', '--polls', polls));
      const [recorded, foretold] = [await replay('recorded'), await replay('foretold')];
      const [uplink, poll] = (['uplink', 'poll'] as const).map((lead) =>
        foretold.byLead.find(({ ledBy }) => ledBy === lead),
      );
      return [
        {
          what: 'a replay with the recorded contacts delivers each downlink within 1 s of its recorded delivery',
          held: isComplete(recorded) && isClose(recorded.errors, LIMIT),
          detail: figures(recorded.errors),
        },
        {
          what: 'a downlink delivered after an uplink is predicted within 1 s without its own delivery',
          held: isComplete(foretold) && isClose(uplink, LIMIT),
          detail: figures(uplink),
        },
        {
          what: 'a downlink delivered after a poll is predicted within 2 s, although no message shows when the radio woke up',
          held: poll !== undefined && poll.worst <= POLL_LIMIT,
          detail: figures(poll),
        },
      ];
    } finally {
      await service.end('SIGTERM');
      rmSync(folder, { recursive: true });
    }
  },
};

async function ghostfleet(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program(), ...args], { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

function isComplete({ missed, invented, errors }: ReplayAccuracy): boolean {
  return missed === 0 && invented === 0 && (errors?.count ?? 0) > 50;
}

function isClose(errors: ErrorSpread | null | undefined, limit: number): boolean {
  return errors !== null && errors !== undefined && errors.worst <= limit && errors.median <= MEDIAN;
}

function figures(errors: ErrorSpread | null | undefined): string {
  if (errors === null || errors === undefined) return 'none was predicted';
  const { count, median, p95, worst } = errors;
  return `${count} downlinks: median ${median} ms, p95 ${p95} ms, worst ${worst} ms`;
}
