/**
 * Measures whether a device in a large fleet takes as much CPU time as a device in a small fleet. Both fleets report every half
 * hour and run in the same number of threads, so that only the size differs. The simulated time is 6 hours (2 with `--quick`, 24 with `--full`).
 * `DEVICES` and `HOURS` in the environment select another size of the large fleet and another simulated time.
 */
import { packagedProfiles } from '../src/profile/library.js';
import { dayScenario } from './day-scenario.js';
import { runProgram } from './program-run.js';
import type { Bench } from './result.js';
import { sizeOf } from './size.js';

const SMALL = 1000;
const LARGE = sizeOf('DEVICES', { quick: 4000, usual: 10_000, full: 100_000 });
const HOURS = sizeOf('HOURS', { quick: 2, usual: 6, full: 24 });
/** A heap of one thread is too small for 100,000 devices. */
const THREADS = 2;
/** Lowest accepted ratio of the CPU time per device in the small fleet to that in the large fleet. */
const LIMIT = 0.6;
/** Devices × hours of the goal, relative to those of the large fleet. */
const OF_GOAL = (100_000 * 24) / (LARGE * HOURS);

export const fleetSize: Bench = {
  name: 'fleet-size',
  async run() {
    const types = [...packagedProfiles().values()].slice(0, 1);
    const [small, large] = [SMALL, LARGE].map((devices) => {
      const scenario = dayScenario({ name: 'fleet-size', types, devices, hours: HOURS });
      const { cpu, wall, memory } = runProgram(scenario, ['--workers', String(THREADS)]);
      return { each: cpu / devices, wall, memory };
    });
    if (small === undefined || large === undefined) throw new Error('two fleets are measured');
    return [
      {
        what: `CPU of a device in a fleet of ${SMALL.toLocaleString('en')} × ${HOURS} h, against one of ${LARGE.toLocaleString('en')}`,
        ratio: small.each / large.each,
        limit: LIMIT,
        detail: `${small.each.toFixed(1)} ms, ${large.each.toFixed(1)} ms; the large fleet takes ${(large.wall / 1000).toFixed(0)} s and ${Math.round(large.memory / 1_048_576)} MiB`,
        // The memory of a small fleet is mostly that of the program, so only the full size can tell.
        goals: {
          fleetDay: (large.wall / 60_000) * OF_GOAL,
          ...(OF_GOAL === 1 && { fleetMemory: large.memory / 1e9 }),
        },
      },
    ];
  },
};
