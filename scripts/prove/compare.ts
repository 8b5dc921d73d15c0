/**
 * `compare` finds no difference between two equal targets, and finds a target that is 10 % slower: in virtual time with clouds
 * behind a network, and in real time against servers whose answers take a known time.
 */
import { type RunResult, runScenario } from '../../src/index.js';
import { type Comparison, compareSides } from '../../src/report/compare/compare.js';
import { readSummary } from '../../src/report/compare/read.js';
import type { Side } from '../../src/report/compare/side.js';
import { writeHeadline, writeVerdict } from '../../src/report/compare/words.js';
import { renderJson } from '../../src/report/renderers/json.js';
import type { Proof, Verdict } from '../support/proof.js';
import { limitedServer } from './start-limited-server.js';

const COMPARISONS = 20;
/** Of {@link COMPARISONS}. */
const WANTED = 19;
const RUNS = 10;
const SLOWER = 1.1;

export const compareProof: Proof = {
  name: 'compare',
  async run() {
    return [...(await inVirtualTime()), ...(await inRealTime())];
  },
};

/** With this much more latency, a device takes about 10 % longer to start: its radio needs the rest of the time. */
const MORE_LATENCY = 1.19;

function scenarioOf(slower: number): string {
  const factor = slower > 1 ? MORE_LATENCY : 1;
  return `name: compared
duration: 10m
fleet:
  - { name: clime, profile: clime, count: 60, boot: { over: 3m, pattern: random }, config: { interval-report: 60 } }
network: { latency: ${Math.round(1100 * factor)}ms..${Math.round(1900 * factor)}ms }
steps: [{ at: 6m, over: 2m, commands: [info show] }]
`;
}

async function inVirtualTime(): Promise<readonly Verdict[]> {
  const run = (seed: number, slower: number) => runScenario(scenarioOf(slower), { seed });
  return compareMany('in virtual time', run, COMPARISONS, WANTED);
}

/** A server that serves 25 requests a second takes 40 ms for each, as long as the next one comes later. */
const LOAD = `name: compared
duration: 4s
fleet: [{ name: clime, profile: clime, count: 1, config: { mode: none } }]
load: [{ latest-value:, rate: 20/s }]
`;
const PER_SECOND = 25;
/** In real time, the runs of a comparison take minutes. */
const FEW = 3;

async function inRealTime(): Promise<readonly Verdict[]> {
  const servers = [await limitedServer(PER_SECOND), await limitedServer(PER_SECOND / SLOWER)] as const;
  const run = (seed: number, slower: number) => {
    const own = { spaceId: null, keyOf: () => '', gateway: null, pace: { atOnce: 16, perSecond: null } };
    return runScenario(LOAD, { seed, clock: 'real', cloud: { ...servers[slower > 1 ? 1 : 0].cloud, ...own } });
  };
  try {
    return await compareMany('in real time', run, FEW, FEW);
  } finally {
    for (const { child } of servers) child.kill('SIGKILL');
  }
}

async function compareMany(
  where: string,
  run: (seed: number, slower: number) => Promise<RunResult>,
  comparisons: number,
  wanted: number,
): Promise<readonly Verdict[]> {
  const [equal, slower]: [Comparison[], Comparison[]] = [[], []];
  let seed = 1;
  for (let i = 0; i < comparisons; i++) {
    // The runs take turns, as those of "ab" do.
    const runs: Record<'a' | 'b' | 'slow', RunResult[]> = { a: [], b: [], slow: [] };
    for (let k = 0; k < RUNS; k++) {
      runs.a.push(await run(seed++, 1));
      runs.b.push(await run(seed++, 1));
      runs.slow.push(await run(seed++, SLOWER));
    }
    equal.push(compareSides(sideOf(runs.a), sideOf(runs.b)));
    slower.push(compareSides(sideOf(runs.a), sideOf(runs.slow)));
  }
  const alike = equal.filter(({ different }) => !different).length;
  const found = slower.filter((comparison) => writeHeadline(comparison) === 'slower').length;
  const count = (held: number) => `${held} of ${comparisons}`;
  const wrong = equal.filter(({ different }) => different).map(writeVerdict);
  return [
    {
      what: `${comparisons} comparisons of ${RUNS} runs find no difference between equal targets ${where}`,
      held: alike >= wanted,
      detail: [count(alike), ...wrong].join('; '),
    },
    {
      what: `${comparisons} comparisons of ${RUNS} runs find a target that is 10 % slower ${where}`,
      held: found >= wanted,
      detail: count(found),
    },
  ];
}

function sideOf(results: readonly RunResult[]): Side {
  return { name: 'side', runs: results.map((result) => readSummary(renderJson(result), `seed ${result.seed}`)) };
}
