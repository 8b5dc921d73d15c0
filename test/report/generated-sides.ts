/** Generated runs of two sides, of which the true difference is known. */
import { type Random, seededRandom } from '../../src/kernel/random.js';
import { compareSides } from '../../src/report/compare/compare.js';
import type { ComparedRun, Side } from '../../src/report/compare/side.js';
import { ln } from '../../src/report/compare/student.js';
import { Distribution } from '../../src/trace/distribution.js';
import type { SampledDurations } from '../../src/trace/metrics/samples.js';

/** How the runs of one side come about. */
export interface World {
  /** Values of each run and duration. */
  readonly values: number;
  /** The factor by which all values of a run are larger or smaller than usual. */
  readonly ofRun: (random: Random) => number;
  /** A value of a run. */
  readonly ofValue: (random: Random) => number;
}

const METRICS = ['call.latency', 'downlink.delivered', 'downlink.answered'];

const skewed = (random: Random) => 1000 - 400 * ln(1 - random.next());
export const STEADY: World = { values: 100, ofRun: () => 1, ofValue: skewed };

export function durationsOf(random: Random, { values, ofRun, ofValue }: World, slower: number): SampledDurations {
  const all = new Distribution();
  const factor = ofRun(random) * slower;
  for (let i = 0; i < values; i++) all.record(ofValue(random) * factor);
  return { steps: 1, min: all.min ?? 0, max: all.max ?? 0, batches: [all.listPairs()] };
}

export function runOf(
  seed: number,
  durations: Readonly<Record<string, SampledDurations>>,
  counts: object = {},
): ComparedRun {
  return {
    ...{ name: `run ${seed}`, format: 2, scenario: 's', seed, digest: null, situation: 'x', failure: null },
    ...{ spoiled: false, touched: false, options: new Map() },
    samples: { batches: 24, counts: { ...counts }, durations },
  };
}

/** @param from the seed of the first run: with other seeds, the runs of two sides are not paired */
function sideOf(random: Random, world: World, { runs = 10, slower = 1, from = 1 } = {}): Side {
  return {
    name: `side ${from}`,
    runs: Array.from({ length: runs }, (_, i) => {
      const own = random.fork(`${i}`);
      return runOf(
        from + i,
        Object.fromEntries(METRICS.map((metric) => [metric, durationsOf(own.fork(metric), world, slower)])),
        { 'uplink.stored': [100 + Math.floor(own.next() * 20)] },
      );
    }),
  };
}

export function compareWorlds(world: World, seed: string, { slower = 1, runs = 10, isPaired = false } = {}) {
  const random = seededRandom(seed);
  const a = sideOf(random.fork('a'), world, { runs });
  const b = sideOf(random.fork('b'), world, { runs, slower, from: isPaired ? 1 : 101 });
  return compareSides(a, b);
}
