/**
 * Measures how late a run in two threads is in real time. The devices boot and then report every minute, with the embedded
 * cloud in the same process. `DEVICES` in the environment selects another size of the fleet.
 */
import { seconds } from '../src/kernel/time.js';
import type { ScenarioDefinition } from '../src/scenario/parse/define.js';
import { bareLoop } from './bare-loop.js';
import { runProgram } from './program-run.js';
import type { Bench } from './result.js';
import { size, sizeOf } from './size.js';

const DEVICES = sizeOf('DEVICES', { quick: 2500, usual: 20_000, full: 60_000 });
/** Simulated minutes: 250 devices boot in a second, whatever the size, and a boot takes up to 75 s. */
const MINUTES = size({ quick: 1.6, usual: 2.5, full: 6 });
const BOOTS_IN_SECOND = 250;
const MOST_LATER_MS = 10;
/** Duration of the loop of bare timers. */
const BARE = seconds(size({ quick: 10, usual: 20 }));

export const realTimeRun: Bench = {
  name: 'real-time-run',
  async run() {
    const run = runProgram(SCENARIO, ['--clock', 'real', '--workers', '2']);
    const { p99: late = Number.NaN, count = 0 } = run.lateness;
    const alarms = Math.round((count / (MINUTES * 60_000)) * BARE);
    const bare = await bareLoop(Array.from({ length: alarms }, (_, i) => (BARE * i) / alarms));
    const bareLate = bare.findPercentile(99) ?? 0;
    return [
      {
        what: `punctuality of a run of ${DEVICES.toLocaleString('en')} devices in real time in two threads, against a bare loop's + ${MOST_LATER_MS} ms`,
        ratio: (bareLate + MOST_LATER_MS) / late,
        limit: 1,
        detail: `99 % of ${count} alarms of a thread are at most ${late.toFixed(1)} ms late, those of the bare loop ${bareLate.toFixed(1)} ms; ${(run.cpu / run.wall).toFixed(2)} cores, ${Math.round(run.memory / 1_048_576)} MiB`,
        goals: { realTime: late - bareLate },
      },
    ];
  },
};

const SCENARIO: ScenarioDefinition = {
  name: 'real-time-run',
  duration: `${MINUTES * 60}s`,
  fleet: [
    {
      ...{ name: 'clime', profile: 'clime', count: DEVICES, boot: { over: `${DEVICES / BOOTS_IN_SECOND}s` } },
      config: ['app config interval-report 60'],
    },
  ],
  expect: [`device.ready == ${DEVICES}`],
};
