/** Comparisons of several runs on each side. The runs are generated, so that the true difference is known. */
import { describe, expect, it } from 'vitest';
import { parseCondition } from '../../src/cli/fail-if.js';
import { between, type Random, seededRandom } from '../../src/kernel/random.js';
import { compareSides, findLeastShown } from '../../src/report/compare/compare.js';
import type { ComparedRun, Side } from '../../src/report/compare/side.js';
import { exp, ln, studentQuantile } from '../../src/report/compare/student.js';
import { Distribution } from '../../src/trace/distribution.js';
import type { SampledDurations } from '../../src/trace/metrics/samples.js';

/** How the runs of one side come about. */
interface World {
  /** Values of each run and duration. */
  readonly values: number;
  /** The factor by which all values of a run are larger or smaller than usual. */
  readonly ofRun: (random: Random) => number;
  /** A value of a run. */
  readonly ofValue: (random: Random) => number;
}

const METRICS = ['call.latency', 'downlink.delivered', 'downlink.answered'];

const skewed = (random: Random) => 1000 - 400 * ln(1 - random.next());
const STEADY: World = { values: 100, ofRun: () => 1, ofValue: skewed };
const WORLDS: Readonly<Record<string, World>> = {
  'runs that differ only by the chance of their values': STEADY,
  'runs that differ by up to a fifth': { ...STEADY, ofRun: (random) => between(random, 0.8, 1.2) },
  'runs of which one in ten is three times as slow': { ...STEADY, ofRun: (random) => (random.next() < 0.1 ? 3 : 1) },
  'runs with few values': { ...STEADY, values: 25 },
  'runs whose values are of two kinds': {
    values: 60,
    ofRun: () => 1,
    ofValue: (random) => (random.next() < 0.6 ? between(random, 10, 12) : between(random, 60_000, 61_000)),
  },
};

function durationsOf(random: Random, { values, ofRun, ofValue }: World, slower: number): SampledDurations {
  const all = new Distribution();
  const factor = ofRun(random) * slower;
  for (let i = 0; i < values; i++) all.record(ofValue(random) * factor);
  return { steps: 1, min: all.min ?? 0, max: all.max ?? 0, batches: [all.listPairs()] };
}

function runOf(seed: number, durations: Readonly<Record<string, SampledDurations>>, counts: object = {}): ComparedRun {
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

function compareWorlds(world: World, seed: string, { slower = 1, runs = 10, isPaired = false } = {}) {
  const random = seededRandom(seed);
  const a = sideOf(random.fork('a'), world, { runs });
  const b = sideOf(random.fork('b'), world, { runs, slower, from: isPaired ? 1 : 101 });
  return compareSides(a, b);
}

describe('the parts of an interval', () => {
  it.each([
    [10, 0.05, 2.228139],
    [4, 0.01, 4.604095],
    [18, 0.001, 3.921646],
    [2, 0.001, 31.599055],
    [2000, 0.05, 1.961151],
  ])('have the quantile of t with %d degrees of freedom for %d of the table', (freedom, probability, expected) => {
    expect(studentQuantile(freedom, probability)).toBeCloseTo(expected, 5);
  });

  it('have a quantile between those of its neighbours, and not below the true one', () => {
    // The table has 4.780913 for 9 degrees of freedom.
    const found = studentQuantile(9, 0.001);
    expect(found).toBeGreaterThanOrEqual(4.780912);
    expect(found).toBeLessThan(4.81);
  });

  it('have logarithms and powers of e', () => {
    for (const x of [1e-9, 0.3, 0.75, 1, 1.5, 2, 12_345, 1e12]) {
      expect(ln(x)).toBeCloseTo(Math.log(x), 12);
      expect(exp(ln(x)) / x).toBeCloseTo(1, 10);
    }
  });
});

describe('comparing several runs with several', () => {
  it.each(Object.entries(WORLDS))('finds a difference in at most one of 20 comparisons of %s', (name, world) => {
    for (const isPaired of [false, true]) {
      const found = Array.from({ length: 20 }, (_, i) => compareWorlds(world, `${name} ${i}`, { isPaired }));
      expect(found[0]?.isPaired).toBe(isPaired);
      expect(found.filter(({ different }) => different).length).toBeLessThanOrEqual(1);
    }
  });

  it.each([3, 4])('finds a difference in at most one of 20 comparisons of %d runs', (runs) => {
    const found = Array.from({ length: 20 }, (_, i) => compareWorlds(STEADY, `few ${i}`, { runs }));
    expect(found.filter(({ different }) => different).length).toBeLessThanOrEqual(1);
  });

  it('finds a side that is 10 % slower with 10 runs, in each of 10 comparisons', () => {
    const world = { ...STEADY, values: 400 };
    const found = Array.from({ length: 10 }, (_, i) => compareWorlds(world, `slower ${i}`, { slower: 1.1 }));
    const verdicts = found.map(({ rows }) => rows.find(({ metric }) => metric === 'call.latency p(50)')?.verdict);
    expect(verdicts).toEqual(Array.from({ length: 10 }, () => 'slower'));
  });

  it('has intervals that contain the true change together in at least 19 of 20 comparisons', () => {
    const found = Array.from({ length: 20 }, (_, i) =>
      compareWorlds(WORLDS['runs that differ by up to a fifth'] ?? STEADY, `true ${i}`, { slower: 1.3 }),
    );
    const right = found.filter(({ rows }) =>
      rows.every(({ unit, interval }) => {
        const truth = unit === 'ms' ? 1.3 : 1;
        return interval !== null && interval[0] <= truth && truth <= interval[1];
      }),
    );
    expect(right.length).toBeGreaterThanOrEqual(19);
  });

  it('compares the runs with the same seed in pairs, so that a machine that becomes slower does not hide a difference', () => {
    const random = seededRandom('drift');
    const drifting = (slower: number, from: number): Side => ({
      name: `from ${from}`,
      runs: Array.from({ length: 10 }, (_, i) => {
        const durations = durationsOf(random.fork(`${slower} ${i}`), STEADY, slower * (1 + i / 10));
        return runOf(from + i, { 'call.latency': durations });
      }),
    });
    const verdictOf = (from: number) => compareSides(drifting(1, 1), drifting(1.1, from)).rows[0]?.verdict;
    expect([verdictOf(1), verdictOf(101)]).toEqual(['slower', 'undetected']);
  });

  it('takes a percentile from all durations of a side together', () => {
    const durations = (...values: readonly number[]): Readonly<Record<string, SampledDurations>> => {
      const all = new Distribution();
      for (const value of values) all.record(value);
      return { 'call.latency': { steps: 1, min: all.min ?? 0, max: all.max ?? 0, batches: [all.listPairs()] } };
    };
    // Their medians are 10, 10 and 500, whose mean is 173; half of all values are at most 20.
    const runs = [runOf(1, durations(10, 10, 30)), runOf(2, durations(10, 10, 20)), runOf(3, durations(500, 500, 20))];
    const side = { name: 'x', runs };
    expect(compareSides(side, side).rows[0]).toMatchObject({ metric: 'call.latency p(50)', a: 20, b: 20 });
  });

  it('has the same result for runs in another order', () => {
    const { a, b, rows } = compareWorlds(STEADY, 'order', { isPaired: true });
    const turned = compareSides({ ...a, runs: a.runs.toReversed() }, b);
    expect(turned.rows).toEqual(rows);
  });

  it('counts per run, and finds a count that only one side has', () => {
    const side = (from: number, dropped: number, runs = 6): Side => ({
      name: 'x',
      runs: Array.from({ length: runs }, (_, i) =>
        runOf(from + i, {}, { 'uplink.stored': [70, 30], 'uplink.dropped': [dropped] }),
      ),
    });
    const { rows } = compareSides(side(1, 0), side(11, 8));
    expect(rows).toMatchObject([
      { metric: 'uplink.stored', a: 100, b: 100, verdict: 'undetected' },
      { metric: 'uplink.dropped', a: 0, b: 8, verdict: 'more' },
    ]);
    // Too few of them, or too few runs.
    expect(compareSides(side(1, 0), side(11, 1)).rows[1]?.verdict).toBe('unknown');
    expect(compareSides(side(1, 0, 3), side(11, 8, 3)).rows[1]?.verdict).toBe('unknown');
  });

  it('gives the figures of conditions narrower intervals than the others', () => {
    const { a, b } = compareWorlds(STEADY, 'named');
    const condition = parseCondition('call.latency p(95) > +10%');
    if (typeof condition === 'string') throw new Error(condition);
    const widths = (conditions: readonly (typeof condition)[]) => {
      const { rows } = compareSides(a, b, conditions);
      return rows.map(({ metric, interval }) => [metric, interval ? interval[1] - interval[0] : 0] as const);
    };
    const [plain, named] = [new Map(widths([])), new Map(widths([condition]))];
    expect(named.get('call.latency p(95)')).toBeLessThan((plain.get('call.latency p(95)') ?? 0) * 0.9);
    expect(named.get('call.latency p(50)')).toBeGreaterThan(plain.get('call.latency p(50)') ?? 0);
  });

  it('would have found the smallest change that it says it could have shown', () => {
    const { a, b, rows } = compareWorlds(STEADY, 'least', { isPaired: true });
    const [row] = rows;
    const { increase = 0 } = (row && findLeastShown(row)) ?? {};
    const change = (row?.b ?? 1) / (row?.a ?? 1);
    const stretched = (to: number): Side => ({
      ...b,
      runs: b.runs.map(({ samples, ...run }) => {
        const durations = Object.entries(samples.durations).map(([metric, one]) => {
          const batches = one.batches.map((batch) =>
            batch.map((item, i) => (i % 2 === 0 ? Math.round(item * to) : item)),
          );
          return [metric, { ...one, min: one.min * to, max: one.max * to, batches }] as const;
        });
        return { ...run, samples: { ...samples, durations: Object.fromEntries(durations) } };
      }),
    });
    const verdict = (to: number) => compareSides(a, stretched(to / change)).rows[0]?.verdict;
    expect([verdict((1 + increase) * 1.01), verdict((1 + increase) / 1.01)]).toEqual(['slower', 'undetected']);
  });
});
