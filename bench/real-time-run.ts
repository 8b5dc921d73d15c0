/**
 * Measures how late a run in two threads is in real time. The devices boot and then report every minute, with the embedded
 * cloud in the same process. The smaller fleets run faster than real time, so that they have as many alarms a second as a larger
 * one. `DEVICES` in the environment selects another size of the fleet.
 */
import { EXIT } from '../src/kernel/errors.js';
import { seconds } from '../src/kernel/time.js';
import type { ScenarioDefinition } from '../src/scenario/parse/define.js';
import { bareLoop } from './bare-loop.js';
import { runProgram } from './program-run.js';
import type { Bench } from './result.js';
import { size, sizeOf } from './size.js';

const DEVICES = sizeOf('DEVICES', { quick: 500, usual: 5000, full: 60_000 });
/** Simulated seconds in a real second. */
const SPEED = size({ quick: 16, usual: 4, full: 1 });
/** Devices that boot in a real second. */
const BOOTS_IN_SECOND = 250;
/** Simulated time, in seconds: the boots begin one after another, the last one takes up to 75 s, and then all devices report. */
const BOOT = (DEVICES * SPEED) / BOOTS_IN_SECOND;
const DURATION = BOOT + 75 + 45;
const MOST_LATER_MS = 10;
/** Duration of the loop of bare timers. */
const BARE = seconds(size({ quick: 5, usual: 10 }));

export const realTimeRun: Bench = {
  name: 'real-time-run',
  async run() {
    // On a busy machine, the run is too late to be valid. This is the figure to measure.
    const args = ['--clock', 'real', '--speed', String(SPEED), '--workers', '2'];
    const run = runProgram(SCENARIO, args, [EXIT.fine, EXIT.invalid]);
    const { p99: late = Number.NaN, count = 0 } = run.lateness;
    const alarms = Math.round((count * SPEED * BARE) / seconds(DURATION));
    const bare = await bareLoop(Array.from({ length: alarms }, (_, i) => (BARE * i) / alarms));
    const bareLate = bare.findPercentile(99) ?? 0;
    return [
      {
        what: `punctuality of a run of ${DEVICES.toLocaleString('en')} devices at ${SPEED} × real time in two threads, against a bare loop's + ${MOST_LATER_MS} ms`,
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
  duration: `${DURATION}s`,
  fleet: [
    {
      ...{ name: 'clime', profile: 'clime', count: DEVICES, boot: { over: `${BOOT}s` } },
      config: ['app config interval-report 60'],
    },
  ],
  expect: [`device.ready == ${DEVICES}`],
};
