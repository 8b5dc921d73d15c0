/**
 * Compares a run in two threads with the same run in one thread. The two must have the same digest. Two threads should need
 * about the same CPU time and, on two free cores, little more than half of the real time. `DEVICES` and `HOURS` in the
 * environment select another number of devices and another simulated time.
 */
import { availableParallelism } from 'node:os';
import { packagedProfiles } from '../src/profile/library.js';
import { dayScenario } from './day-scenario.js';
import { type ProgramRun, runProgram } from './program-run.js';
import type { Bench, BenchResult } from './result.js';

const DEVICES = Number(process.env.DEVICES ?? 1000);
const HOURS = Number(process.env.HOURS ?? 24);
/**
 * Lowest accepted ratio of the CPU time with one thread to that with two. Two threads need more, because they start and compile
 * the program twice, and merge events.
 */
const LIMIT = 0.65;
/** Wanted speed with two threads on two cores, as a multiple of real time: with one device type, and with all types. */
const GOALS = { one: 30_000, all: 20_000 };

export const workers: Bench = {
  name: 'workers',
  async run() {
    const all = [...packagedProfiles().values()];
    return [
      comparison('clime devices', all.slice(0, 1), GOALS.one),
      comparison(`devices of ${all.length} types`, all, GOALS.all),
    ];
  },
};

function comparison(what: string, types: Parameters<typeof dayScenario>[0]['types'], least: number): BenchResult {
  const scenario = dayScenario({ name: 'workers', types, devices: DEVICES, hours: HOURS });
  const [one, two] = [runProgram(scenario, ['--workers', '1']), runProgram(scenario, ['--workers', '2'])];
  if (one.digest !== two.digest) throw new Error(`the digest is ${one.digest} with one thread, ${two.digest} with two`);
  const speedOf = (run: ProgramRun) => (HOURS * 3_600_000) / run.wall;
  const speed = (run: ProgramRun) => Math.round(speedOf(run)).toLocaleString('en');
  const shown = (run: ProgramRun) => `${seconds(run.wall)}, ${seconds(run.cpu)} of CPU, ${speed(run)} × real time`;
  return {
    what: `CPU of ${DEVICES} ${what} × ${HOURS} h in one thread, against two threads`,
    ratio: one.cpu / two.cpu,
    limit: LIMIT,
    detail: `one ${shown(one)}; two ${shown(two)}; ${(one.wall / two.wall).toFixed(2)} times as fast on ${availableParallelism()} cores`,
    goals: [
      {
        figure: `${DEVICES} ${what} × ${HOURS} h in two threads`,
        ...{ measured: speedOf(two), least, unit: '× real time', section: 'Two threads' },
      },
    ],
  };
}

function seconds(time: number): string {
  return `${(time / 1000).toFixed(1)} s`;
}
