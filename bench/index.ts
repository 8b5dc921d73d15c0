/**
 * `npm run bench [-- name… --quick|--full]`: runs the benchmarks one after the other, prints ratios, and fails if a ratio is
 * below its limit. Both sides of most ratios are measured in the same run on the same machine, so that a slow machine does not make them
 * fail. The other ratios compare a time or a memory with a fixed limit. At the end, it prints the goals (goals.ts).
 *
 * Each benchmark has its own process, because objects of earlier benchmarks would make its garbage collections longer.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { boot } from './boot.js';
import { flapUplinks } from './cloud/flap-uplinks.js';
import { httpUplinks } from './cloud/http-uplinks.js';
import { largeStore } from './cloud/large-store.js';
import { severalNodes } from './cloud/several-nodes.js';
import { firstAnswer } from './first-answer.js';
import { fleetSize } from './fleet-size.js';
import { generatorHttp } from './generator-http.js';
import { type GoalName, goalLine } from './goals.js';
import { memoryAtRest } from './memory-at-rest.js';
import { realTimeRun } from './real-time-run.js';
import type { Bench, BenchResult } from './result.js';
import { start } from './start.js';
import { virtualDay } from './virtual-day.js';
import { workers } from './workers.js';

const BENCHES: readonly Bench[] = [
  memoryAtRest,
  start,
  firstAnswer,
  virtualDay,
  workers,
  boot,
  fleetSize,
  httpUplinks,
  flapUplinks,
  largeStore,
  severalNodes,
  generatorHttp,
  realTimeRun,
];

const [, file = '', ...args] = process.argv;
const isFlag = (argument: string) => argument === '--quick' || argument === '--full';
const [wanted, flags] = [args.filter((argument) => !isFlag(argument)), args.filter(isFlag)];
const unknown = wanted.filter((name) => !BENCHES.some((bench) => bench.name === name));
if (unknown.length > 0) {
  console.error(`unknown benchmark "${unknown.join('", "')}"; expected ${BENCHES.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

/** The results of a benchmark, which runs in a new process; if it fails with an error, none. */
async function resultsOf({ name }: Bench): Promise<readonly BenchResult[]> {
  const child = fork(file, [name, ...flags]);
  let results: readonly BenchResult[] = [];
  // The child sends nothing but its results.
  child.on('message', (message) => {
    results = message as readonly BenchResult[];
  });
  const [code, signal] = await once(child, 'close');
  if (code !== 0) {
    failed++;
    console.log(`FAIL ${name}: its process ended with ${signal ?? code}`);
  }
  return results;
}

const benches = BENCHES.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
let failed = 0;
// Only a process that `resultsOf` has started can send messages.
if (process.send === undefined) await runAll();
else for (const bench of benches) process.send(await bench.run());

async function runAll(): Promise<void> {
  const goals: string[] = [];
  for (const bench of benches) {
    for (const { what, ratio, limit, detail, goals: ofResult = {} } of await resultsOf(bench)) {
      const held = ratio >= limit;
      if (!held) failed++;
      const shown = ratio >= 100 ? Math.round(ratio).toLocaleString('en') : ratio.toFixed(2);
      for (const [goal, measured] of Object.entries(ofResult)) goals.push(goalLine(goal as GoalName, measured));
      console.log(`${held ? 'ok  ' : 'FAIL'} ${what}: ${shown} (at least ${limit.toLocaleString('en')}) · ${detail}`);
    }
  }
  if (goals.length > 0) console.log(`\ngoals (docs/SCALE.md, "Limits on one machine"):\n${goals.join('\n')}`);
  process.exitCode = failed === 0 ? 0 : 1;
}
