/**
 * `npm run bench [-- name… --full]`: runs the benchmarks one after the other, prints ratios, and fails if a ratio is below its
 * limit. Both sides of most ratios are measured in the same run on the same machine, so that a slow machine does not make them
 * fail. The other ratios compare a time or a memory with a fixed limit. At the end, it prints the goals: figures that do not
 * decide about the exit code. `--full` measures the sizes of docs/SCALE.md.
 */
import { boot } from './boot.js';
import { flapUplinks } from './cloud/flap-uplinks.js';
import { httpUplinks } from './cloud/http-uplinks.js';
import { largeStore } from './cloud/large-store.js';
import { messagePages } from './cloud/message-pages.js';
import { scanningReads } from './cloud/scanning-reads.js';
import { severalNodes } from './cloud/several-nodes.js';
import { firstAnswer } from './first-answer.js';
import { fleetSize } from './fleet-size.js';
import { generatorHttp } from './generator-http.js';
import { memoryAtRest } from './memory-at-rest.js';
import { realTimeFleet } from './real-time-fleet.js';
import { realTimeRun } from './real-time-run.js';
import { type Bench, type BenchResult, goalLine } from './result.js';
import { start } from './start.js';
import { virtualDay } from './virtual-day.js';
import { workers } from './workers.js';

const BENCHES: readonly Bench[] = [
  // This benchmark runs first: if objects of an earlier benchmark were freed during it, its figure would be too small.
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
  scanningReads,
  messagePages,
  severalNodes,
  generatorHttp,
  realTimeFleet,
  realTimeRun,
];

const wanted = process.argv.slice(2).filter((argument) => argument !== '--full');
const unknown = wanted.filter((name) => !BENCHES.some((bench) => bench.name === name));
if (unknown.length > 0) {
  console.error(`unknown benchmark "${unknown.join('", "')}"; expected ${BENCHES.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

/** The results of a benchmark; if it fails with an error, none. The other benchmarks are run nevertheless. */
async function resultsOf(bench: Bench): Promise<readonly BenchResult[]> {
  try {
    return await bench.run();
  } catch (error) {
    failed++;
    console.log(`FAIL ${bench.name}: ${error instanceof Error ? error.message : error}`);
    return [];
  }
}

let failed = 0;
const goals: string[] = [];
for (const bench of BENCHES) {
  if (wanted.length > 0 && !wanted.includes(bench.name)) continue;
  for (const { what, ratio, limit, detail, goals: ofResult = [] } of await resultsOf(bench)) {
    const held = ratio >= limit;
    if (!held) failed++;
    const shown = ratio >= 100 ? Math.round(ratio).toLocaleString('en') : ratio.toFixed(2);
    goals.push(...ofResult.map(goalLine));
    console.log(`${held ? 'ok  ' : 'FAIL'} ${what}: ${shown} (at least ${limit.toLocaleString('en')}) · ${detail}`);
  }
}
if (goals.length > 0) console.log(`\ngoals (docs/SCALE.md, "Limits on one machine"):\n${goals.join('\n')}`);
process.exitCode = failed === 0 ? 0 : 1;
