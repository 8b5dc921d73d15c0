/**
 * `compare` finds no difference between two equal targets, and finds a target that is 10 % slower: in virtual time with clouds
 * behind a network, and in real time against servers whose answers take a known time.
 */
import PQueue from 'p-queue';
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
  return compareMany('in virtual time', 1, async (first) =>
    runInTurns(first, (seed, slower) => runScenario(scenarioOf(slower), { seed })),
  );
}

/**
 * A server that serves 10 requests a second takes 100 ms for each, as long as the next one comes later. This machine adds some
 * milliseconds, which must be few beside the 10 ms that the slower server takes longer. So half its rate: a pause of this machine
 * delays one request, and not those behind it.
 */
const LOAD = `name: compared
duration: 12s
fleet: [{ name: clime, profile: clime, count: 1, config: { mode: none } }]
load: [{ latest-value:, rate: 5/s }]
`;
const PER_SECOND = 10;
/** The runs of a comparison in real time mostly wait: they need about a twentieth of a core. */
const AT_ONCE = 20;

async function inRealTime(): Promise<readonly Verdict[]> {
  return compareMany('in real time', AT_ONCE, async (first) => {
    const servers = [await limitedServer(PER_SECOND), await limitedServer(PER_SECOND / SLOWER)] as const;
    const own = { spaceId: null, keyOf: () => '', gateway: null, pace: { atOnce: 16, perSecond: null } };
    try {
      return await runInTurns(first, (seed, slower) => {
        const { cloud } = servers[slower > 1 ? 1 : 0];
        return runScenario(LOAD, { seed, clock: 'real', cloud: { ...cloud, ...own } });
      });
    } finally {
      for (const { child } of servers) child.kill('SIGKILL');
    }
  });
}

interface Runs {
  readonly a: RunResult[];
  readonly b: RunResult[];
  readonly slow: RunResult[];
}

/** The runs take turns, as those of "ab" do. */
async function runInTurns(first: number, run: (seed: number, slower: number) => Promise<RunResult>): Promise<Runs> {
  const runs: Runs = { a: [], b: [], slow: [] };
  let seed = first;
  for (let k = 0; k < RUNS; k++) {
    runs.a.push(await run(seed++, 1));
    runs.b.push(await run(seed++, 1));
    runs.slow.push(await run(seed++, SLOWER));
  }
  return runs;
}

/** @param make makes the runs of a comparison. Its parameter is the first of their seeds */
async function compareMany(
  where: string,
  concurrency: number,
  make: (first: number) => Promise<Runs>,
): Promise<readonly Verdict[]> {
  const queue = new PQueue({ concurrency });
  const numbers = Array.from({ length: COMPARISONS }, (_, i) => i);
  const made = await queue.addAll(numbers.map((i) => () => make(1 + i * 3 * RUNS)));
  const equal = made.map(({ a, b }) => compareSides(sideOf(a), sideOf(b)));
  const slower = made.map(({ a, slow }) => compareSides(sideOf(a), sideOf(slow)));
  const alike = equal.filter(({ different }) => !different).length;
  const isFound = (comparison: Comparison) => writeHeadline(comparison) === 'slower';
  const found = slower.filter(isFound).length;
  const count = (held: number) => `${held} of ${COMPARISONS}`;
  return [
    {
      what: `${COMPARISONS} comparisons of ${RUNS} runs find no difference between equal targets ${where}`,
      held: alike >= WANTED,
      detail: [count(alike), ...equal.filter(({ different }) => different).map(writeVerdict)].join('; '),
    },
    {
      what: `${COMPARISONS} comparisons of ${RUNS} runs find a target that is 10 % slower ${where}`,
      held: found >= WANTED,
      detail: [count(found), ...slower.filter((comparison) => !isFound(comparison)).map(writeVerdict)].join('; '),
    },
  ];
}

function sideOf(results: readonly RunResult[]): Side {
  return { name: 'side', runs: results.map((result) => readSummary(renderJson(result), `seed ${result.seed}`)) };
}
