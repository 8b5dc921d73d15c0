/**
 * Compares a run in two threads with the same run in one thread. The two must have the same digest. Two threads should need
 * about the same CPU time and, on two free cores, little more than half of the real time. `DEVICES` and `HOURS` in the
 * environment select another number of devices and another simulated time.
 */
import { availableParallelism } from 'node:os';
import { packagedProfiles } from '../src/profile/library.js';
import { dayScenario } from './day-scenario.js';
import type { GoalName } from './goals.js';
import { type ProgramRun, runProgram } from './program-run.js';
import type { Bench, BenchResult } from './result.js';
import { sizeOf } from './size.js';

const DEVICES = sizeOf('DEVICES', { quick: 300, usual: 1000 });
const HOURS = Number(process.env.HOURS ?? 24);
/**
 * Lowest accepted ratio of the CPU time with one thread to that with two. Two threads need more, because they start and compile
 * the program twice, and merge events.
 */
const LIMIT = 0.65;

export const workers: Bench = {
  name: 'workers',
  async run() {
    const all = [...packagedProfiles().values()];
    return [
      comparison('clime devices', all.slice(0, 1), 'threads'),
      comparison(`devices of ${all.length} types`, all, 'threadsOfAll'),
    ];
  },
};

function comparison(what: string, types: Parameters<typeof dayScenario>[0]['types'], goal: GoalName): BenchResult {
  const scenario = dayScenario({ name: 'workers', types, devices: DEVICES, hours: HOURS });
  const [one, two] = [runProgram(scenario, ['--workers', '1']), runProgram(scenario, ['--workers', '2'])];
  if (one.digest !== two.digest) throw new Error(`the digest is ${one.digest} with one thread, ${two.digest} with two`);
  const faster = one.wall / two.wall;
  const speed = (run: ProgramRun) => Math.round((HOURS * 3_600_000) / run.wall).toLocaleString('en');
  const shown = (run: ProgramRun) => `${seconds(run.wall)}, ${seconds(run.cpu)} of CPU, ${speed(run)} × real time`;
  return {
    what: `CPU of ${DEVICES} ${what} × ${HOURS} h in one thread, against two threads`,
    ratio: one.cpu / two.cpu,
    limit: LIMIT,
    detail: `one ${shown(one)}; two ${shown(two)}; ${faster.toFixed(2)} times as fast on ${availableParallelism()} cores`,
    goals: { [goal]: faster },
  };
}

function seconds(time: number): string {
  return `${(time / 1000).toFixed(1)} s`;
}
